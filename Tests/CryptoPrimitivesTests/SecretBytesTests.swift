import CryptoPrimitives
import NetworkPrimitives
import Testing

@Suite("Secrets")
struct SecretBytesTests {
    @Test func bytesAreKeptAsGiven() throws {
        let key = try secretKey([UInt8](0..<32))
        #expect(key.withBytes { Array(copying: $0) } == [UInt8](0..<32))
        let copy = key.duplicate()
        #expect(copy.withBytes { Array(copying: $0) } == [UInt8](0..<32))
    }

    @Test func aDuplicateHasMemoryOfItsOwn() throws {
        let key = try secretKey([UInt8](0..<32))
        var copy = key.duplicate()
        copy.withMutableBytes { $0[0] = 99 }
        #expect(key.withBytes { $0[0] } == 0)
        #expect(copy.withBytes { $0[0] } == 99)
    }

    @Test func whatIsNotFilledIsZero() {
        let key = SecretBytes<8> { $0[3] = 7 }
        #expect(key.withBytes { Array(copying: $0) } == [0, 0, 0, 7, 0, 0, 0, 0])
        #expect(SecretBytes<4>().withBytes { Array(copying: $0) } == [0, 0, 0, 0])
    }

    /// A generator that fails leaves no key.
    @Test func aFailureToFillIsThrown() {
        struct Exhausted: Error {}
        #expect(throws: Exhausted.self) {
            _ = try SecretKey { bytes in
                bytes[0] = 1
                throw Exhausted()
            }
        }
    }

    @Test(arguments: [0, 31, 33])
    func copiesOfOtherLengths(_ count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(throws: WrongLength.self) { _ = try secretKey(bytes) }
    }

    @Test func comparison() {
        let bytes = [UInt8](0..<40)
        #expect(areEqual(bytes, bytes))
        #expect(areEqual([], []))
        #expect(!areEqual(bytes, [UInt8](0..<39)))
        for bit in 0..<8 * bytes.count {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!areEqual(bytes, other))
        }
    }

    @Test func zeros() {
        for bit in 0..<8 * 33 {
            var bytes = [UInt8](repeating: 0, count: 33)
            #expect(isAllZero(bytes))
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!isAllZero(bytes))
        }
    }

    // Spans can't be handed through the macros.
    private func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        ConstantTime.areEqual(left.span, right.span)
    }

    private func isAllZero(_ bytes: [UInt8]) -> Bool { ConstantTime.isAllZero(bytes.span) }
}
