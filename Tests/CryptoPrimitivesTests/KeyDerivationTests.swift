import CryptoPrimitives
import TestSupport
import Testing

@Suite("HMAC and HKDF with SHA-256")
struct KeyDerivationTests {
    /// RFC 4231 §4.
    @Test func codesOfRFC4231() throws {
        let records = try Vectors.records("Crypto/rfc4231.txt")
        #expect(records.count == 7)
        for record in records {
            let expected = try record.bytes("MAC")
            let made = code(of: try record.bytes("MSG"), key: try record.bytes("KEY"))
            #expect(made.prefix(expected.count) == expected[...], "case \(record["CASE"] ?? "")")
        }
    }

    /// In the groups with tags of 128 bits a code is cut.
    @Test(.shared("vectors"))
    func codesOfWycheproof() throws {
        let cases = try Vectors.wycheproof("hmac_sha256_test.json")
        #expect(cases.count == 174)
        for vector in cases {
            let tag = try vector.bytes("tag")
            let made = code(of: try vector.bytes("msg"), key: try vector.bytes("key"))
            #expect((made.prefix(tag.count) == tag[...]) == vector.isValid, "\(vector.label)")
        }
    }

    @Test(.shared("vectors"))
    func outputsOfWycheproof() throws {
        let cases = try Vectors.wycheproof("hkdf_sha256_test.json")
        #expect(cases.count == 86)
        for vector in cases {
            let size = try #require(vector["size"]?.integer)
            let key = pseudorandomKey(try vector.bytes("salt"), try vector.bytes("ikm"))
            let output = expanded(key, info: try vector.bytes("info"), count: size)
            #expect(output == (vector.isValid ? try vector.bytes("okm") : nil), "\(vector.label)")
        }
    }

    @Test func outputsOfRFC5869() throws {
        // A blank line stands between the inputs of the second case and what comes out.
        var cases: [[String: String]] = []
        for record in try Vectors.records("Crypto/rfc5869-hkdf-sha256.txt") {
            if record["IKM"] != nil {
                cases.append(record)
            } else if record["PRK"] != nil, let last = cases.indices.last {
                cases[last].merge(record) { old, _ in old }
            }
        }
        #expect(cases.count == 3)
        for vector in cases {
            let key = pseudorandomKey(try vector.bytes("salt"), try vector.bytes("IKM"))
            #expect(key == (try vector.bytes("PRK")))
            let size = try #require(vector["L"].flatMap { Int($0) })
            #expect(
                expanded(key, info: try vector.bytes("info"), count: size)
                    == (try vector.bytes("OKM")))
        }
    }

    /// 255 blocks are the most (RFC 5869 §2.3); less is no error.
    @Test(arguments: [(0, true), (1, true), (8_160, true), (8_161, false), (1 << 20, false)])
    func lengthsOfOutput(_ count: Int, _ isPossible: Bool) {
        let key = [UInt8](repeating: 0, count: 32)
        #expect(expanded(key, info: [], count: count)?.count == (isPossible ? count : nil))
    }

    @Test func theTypeSaysHowMuchComesOut() throws {
        let key = [UInt8](repeating: 0, count: 32)
        let long: SecretBytes<64> = try HKDF.expand(key.span, info: [1].span)
        let short: SecretBytes<20> = try HKDF.expand(key.span, info: [1].span)
        let all = long.withBytes { Array(copying: $0) }
        #expect(short.withBytes { Array(copying: $0) } == Array(all.prefix(20)))
        #expect(all == expanded(key, info: [1], count: 64))
    }

    private func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        HMAC.code(of: message.span, key: key.span).withBytes { Array(copying: $0) }
    }

    private func pseudorandomKey(_ salt: [UInt8], _ material: [UInt8]) -> [UInt8] {
        HKDF.extract(salt: salt.span, inputKeyMaterial: material.span).withBytes {
            Array(copying: $0)
        }
    }

    /// Nil where the length is refused.
    private func expanded(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        do {
            try HKDF.expand(key.span, info: info.span, into: &span)
        } catch { return nil }
        return output
    }
}
