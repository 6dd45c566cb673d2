import CryptoPrimitives
import NetworkPrimitives
import TestSupport
import Testing

@Suite("X25519")
struct X25519Tests {
    private func multiplied(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0xEE, count: 32)
        var span = result.mutableSpan
        X25519.multiply(scalar.span, point.span, into: &span)
        return result
    }

    private func privateKey(_ scalar: [UInt8]) throws -> X25519PrivateKey {
        X25519PrivateKey(try secretKey(scalar))
    }

    /// Valid ones, and "acceptable" ones: points of low order or of the twist, and bytes that are
    /// not reduced.
    @Test(.shared("vectors"))
    func secretsOfWycheproof() throws {
        let cases = try Vectors.wycheproof("x25519_test.json")
        #expect(cases.count == 518)
        var refused = 0
        for vector in cases {
            let expected = try vector.bytes("shared")
            let scalar = try vector.bytes("private")
            let point = try vector.bytes("public")
            #expect(multiplied(scalar, point) == expected, "\(vector.label)")
            let publicKey = try publicKey(point)
            let secret: [UInt8]?
            do {
                secret = try X25519.sharedSecret(privateKey(scalar), publicKey).withBytes {
                    Array(copying: $0)
                }
            } catch {
                secret = nil
                refused += 1
            }
            let isZero = expected.allSatisfy { $0 == 0 }
            #expect(secret == (isZero ? nil : expected), "\(vector.label)")
        }
        #expect(refused > 10)
    }

    /// RFC 7748 §5.2.
    @Test func productsOfRFC7748() throws {
        let records = try Vectors.records("Crypto/rfc7748-x25519.txt")
        #expect(records.count == 3)
        for record in records {
            let product = multiplied(
                try record.bytes("INPUT_SCALAR"), try record.bytes("INPUT_U"))
            #expect(product == (try record.bytes("OUTPUT_U")))
        }
    }

    /// RFC 7748 §5.2: after one and after a thousand iterations.
    @Test func iterationsOfRFC7748() throws {
        var scalar = [9] + [UInt8](repeating: 0, count: 31)
        var point = scalar
        for round in 1...1_000 {
            (scalar, point) = (multiplied(scalar, point), scalar)
            if round == 1 {
                #expect(
                    Hexadecimal.text(scalar)
                        == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
            }
        }
        #expect(
            Hexadecimal.text(scalar)
                == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
    }

    /// RFC 7748 §6.1.
    @Test func bothSidesComputeTheSameSecret() throws {
        let alice = try privateKey(
            bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
        let bob = try privateKey(
            bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        #expect(
            Hexadecimal.text(alice.publicKey.bytes)
                == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        #expect(
            Hexadecimal.text(bob.publicKey.bytes)
                == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        let secret = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        let one = try X25519.sharedSecret(alice, bob.publicKey)
        let other = try X25519.sharedSecret(bob, alice.publicKey)
        #expect(Hexadecimal.text(one.withBytes { Array(copying: $0) }) == secret)
        #expect(Hexadecimal.text(other.withBytes { Array(copying: $0) }) == secret)
    }

    /// The top bit of a public key is ignored, and p + 9 is 9 (RFC 7748 §5).
    @Test func pointsThatAreNotReduced() throws {
        let scalar = [UInt8](1...32)
        var nine = [UInt8](repeating: 0, count: 32)
        nine[0] = 9
        var withTopBit = nine
        withTopBit[31] = 0x80
        var sum = [UInt8](repeating: 0xFF, count: 32)
        sum[0] = 0xF6
        sum[31] = 0x7F
        #expect(multiplied(scalar, withTopBit) == multiplied(scalar, nine))
        #expect(multiplied(scalar, sum) == multiplied(scalar, nine))
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func keysOfOtherLengths(_ count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        #expect(throws: WrongLength.self) { try publicKey(bytes) }
        #expect(throws: WrongLength.self) { _ = try secretKey(bytes) }
    }

    @Test func aDuplicateAgreesOnTheSame() throws {
        var generator = SeededGenerator(seed: 1)
        let key = X25519PrivateKey(SecretKey(using: &generator))
        let copy = key.duplicate()
        let peer = X25519PrivateKey(SecretKey(using: &generator)).publicKey
        #expect(copy.publicKey == key.publicKey)
        let secret = try X25519.sharedSecret(key, peer).withBytes { Array(copying: $0) }
        #expect(try X25519.sharedSecret(copy, peer).withBytes { Array(copying: $0) } == secret)
    }
}
