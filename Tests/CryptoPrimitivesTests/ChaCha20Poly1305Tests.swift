import CryptoPrimitives
import NetworkPrimitives
import TestSupport
import Testing

@Suite("ChaCha20-Poly1305")
struct ChaCha20Poly1305Tests {
    private func sealed(
        _ message: [UInt8], _ data: [UInt8], _ key: [UInt8], _ nonce: ChaCha20.Nonce
    ) throws -> (bytes: [UInt8], tag: [UInt8]) {
        let key = try secretKey(key)
        var bytes = message
        var span = bytes.mutableSpan
        let tag = ChaCha20Poly1305.seal(
            &span, authenticating: data.span, key: key, nonce: nonce)
        return (bytes, tag.bytes)
    }

    /// The message, nil where it is refused; that it stays as it came is expected here.
    private func opened(
        _ ciphertext: [UInt8], _ tag: [UInt8], _ data: [UInt8], _ key: [UInt8],
        _ nonce: ChaCha20.Nonce
    ) throws -> [UInt8]? {
        var bytes = ciphertext
        let tag = try authenticationTag(tag)
        let key = try secretKey(key)
        do {
            var span = bytes.mutableSpan
            try ChaCha20Poly1305.open(
                &span, tag: tag, authenticating: data.span, key: key, nonce: nonce)
        } catch {
            #expect(bytes == ciphertext)
            return nil
        }
        return bytes
    }

    /// RFC 8439 appendix A.5 and §2.8.2.
    @Test func messagesOfRFC8439() throws {
        let records = try Vectors.records("Crypto/rfc8439.txt").filter { $0["AEAD"] != nil }
        #expect(records.count == 2)
        for record in records {
            let key = try record.bytes("KEY")
            let nonce = try nonce(record.bytes("NONCE"))
            let (message, data) = (try record.bytes("PLAINTEXT"), try record.bytes("AAD"))
            let (ciphertext, tag) = (try record.bytes("CIPHERTEXT"), try record.bytes("TAG"))
            #expect(try opened(ciphertext, tag, data, key, nonce) == message)
            let made = try sealed(message, data, key, nonce)
            #expect(made.bytes == ciphertext && made.tag == tag)
        }
    }

    /// Those with a nonce of another size are refused before there is a key.
    @Test(.shared("vectors"))
    func messagesOfWycheproof() throws {
        let cases = try Vectors.wycheproof("chacha20_poly1305_test.json")
        #expect(cases.count == 325)
        var opened = 0
        for vector in cases {
            guard let nonce = try? nonce(vector.bytes("iv")) else {
                #expect(!vector.isValid, "\(vector.label)")
                continue
            }
            let key = try vector.bytes("key")
            let (message, data) = (try vector.bytes("msg"), try vector.bytes("aad"))
            let (ciphertext, tag) = (try vector.bytes("ct"), try vector.bytes("tag"))
            let result = try self.opened(ciphertext, tag, data, key, nonce)
            #expect(result == (vector.isValid ? message : nil), "\(vector.label)")
            guard vector.isValid else { continue }
            opened += 1
            let made = try sealed(message, data, key, nonce)
            #expect(made.bytes == ciphertext && made.tag == tag, "\(vector.label)")
        }
        #expect(opened == 256)
    }

    @Test func everyLengthComesBack() throws {
        var generator = SeededGenerator(seed: 3)
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        for count in Array(0...1_025) + [16_384, 65_519] {
            let message = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator)
            }
            let data = Array(message.prefix(count % 40))
            let nonce = ChaCha20.Nonce(counter: UInt64(count))
            let made = try sealed(message, data, key, nonce)
            #expect(try opened(made.bytes, made.tag, data, key, nonce) == message, "\(count) bytes")
        }
    }

    /// Every bit of ciphertext, tag and associated data counts, and so do their lengths.
    @Test func whatWasChangedIsRefused() throws {
        let key = [UInt8](1...32)
        let nonce = ChaCha20.Nonce(counter: 5)
        let data = [UInt8](0..<13)
        let made = try sealed([UInt8](100..<130), data, key, nonce)
        func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
        #expect(try opened(made.bytes, made.tag, data, key, nonce) != nil)
        for bit in 0..<8 * made.bytes.count {
            #expect(try opened(flipped(made.bytes, bit), made.tag, data, key, nonce) == nil)
        }
        for bit in 0..<8 * made.tag.count {
            #expect(try opened(made.bytes, flipped(made.tag, bit), data, key, nonce) == nil)
        }
        for bit in 0..<8 * data.count {
            #expect(try opened(made.bytes, made.tag, flipped(data, bit), key, nonce) == nil)
        }
        #expect(try opened(made.bytes, made.tag, data + [0], key, nonce) == nil)
        #expect(try opened(made.bytes + [0], made.tag, data, key, nonce) == nil)
        #expect(try opened(made.bytes, made.tag, data, key, .init(counter: 6)) == nil)
        #expect(
            try opened(made.bytes, made.tag, data, [UInt8](repeating: 0, count: 32), nonce) == nil)
    }

    @Test(arguments: [0, 15, 17, 32])
    func tagsOfOtherLengths(_ count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(throws: WrongLength.self) { try authenticationTag(bytes) }
    }
}
