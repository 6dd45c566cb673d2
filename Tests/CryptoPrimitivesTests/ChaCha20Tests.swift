import CryptoPrimitives
import NetworkPrimitives
import Testing

@Suite("ChaCha20 and Poly1305")
struct ChaCha20Tests {
    private func combined(
        _ message: [UInt8], _ key: [UInt8], _ nonce: ChaCha20.Nonce,
        from counter: UInt32
    ) throws -> [UInt8] {
        let key = try secretKey(key)
        var bytes = message
        var span = bytes.mutableSpan
        ChaCha20(key: key, nonce: nonce).combine(with: &span, from: counter)
        return bytes
    }

    private func tag(of message: [UInt8], key: [UInt8]) throws -> [UInt8] {
        let key = try secretKey(key)
        return Poly1305.tag(of: message.span, key: key).bytes
    }

    /// RFC 8439 appendix A.1.
    @Test func blocksOfRFC8439() throws {
        let records = try Vectors.records("Crypto/rfc8439.txt").filter { $0["BLOCK"] != nil }
        #expect(records.count == 5)
        for record in records {
            let nonce = try nonce(record.bytes("NONCE"))
            let counter = try #require(record["COUNTER"].flatMap { UInt32($0) })
            let zeros = [UInt8](repeating: 0, count: 64)
            let made = try combined(zeros, try record.bytes("KEY"), nonce, from: counter)
            #expect(made == (try record.bytes("KEYSTREAM")))
        }
    }

    /// RFC 8439 appendix A.4: a key of Poly1305 is the start of block zero.
    @Test func oneTimeKeysOfRFC8439() throws {
        let records = try Vectors.records("Crypto/rfc8439.txt").filter { $0["POLYKEY"] != nil }
        #expect(records.count == 3)
        for record in records {
            let nonce = try nonce(record.bytes("NONCE"))
            let zeros = [UInt8](repeating: 0, count: 32)
            let made = try combined(zeros, try record.bytes("KEY"), nonce, from: 0)
            #expect(made == (try record.bytes("ONE_TIME_KEY")))
        }
    }

    /// RFC 7539 appendix A.2, which RFC 8439 keeps.
    @Test func streamsOfRFC8439() throws {
        let records = try Vectors.records("Crypto/rfc7539-chacha20.txt")
        #expect(records.count == 3)
        for record in records {
            let nonce = try nonce(record.bytes("NONCE"))
            let counter = try #require(record["INITIAL_BLOCK_COUNTER"].flatMap { UInt32($0) })
            let made = try combined(
                try record.bytes("PLAINTEXT"), try record.bytes("KEY"), nonce,
                from: counter)
            #expect(made == (try record.bytes("CIPHERTEXT")))
        }
    }

    /// RFC 7539 appendix A.3, which RFC 8439 keeps: sums at and around the modulus among them.
    @Test func tagsOfRFC8439() throws {
        let records = try Vectors.records("Crypto/rfc7539-poly1305.txt")
        #expect(records.count == 11)
        for record in records {
            let made = try tag(of: record.bytes("MSG"), key: record.bytes("KEY"))
            #expect(made == (try record.bytes("TAG")))
        }
    }

    /// Whatever the length and wherever the eight lanes end, a byte is combined with the byte of
    /// the stream that one block at a time gives.
    @Test func lanesAgreeWithSingleBlocks() throws {
        var generator = SeededGenerator(seed: 8)
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let nonce = ChaCha20.Nonce(counter: 0x0102_0304_0506_0708)
        let start: UInt32 = 41
        var stream: [UInt8] = []
        for block in 0..<17 {
            let zeros = [UInt8](repeating: 0, count: 64)
            stream += try combined(zeros, key, nonce, from: start + UInt32(block))
        }
        for count in 0...1_025 {
            let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let expected = zip(message, stream).map { $0 ^ $1 }
            #expect(try combined(message, key, nonce, from: start) == expected, "\(count) bytes")
        }
    }

    /// The counter of a lane wraps around at 2^32 like that of a block of its own.
    @Test func theCounterWrapsInsideTheLanes() throws {
        let key = [UInt8](repeating: 0, count: 32)
        let nonce = ChaCha20.Nonce(counter: 0)
        let zeros = [UInt8](repeating: 0, count: 128)
        let both = try combined(zeros, key, nonce, from: .max)
        let last = try combined(Array(zeros.prefix(64)), key, nonce, from: .max)
        let first = try combined(Array(zeros.prefix(64)), key, nonce, from: 0)
        #expect(both == last + first)
    }

    @Test(arguments: [0, 8, 11, 13, 24])
    func noncesOfOtherLengths(_ count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(throws: WrongLength.self) { try nonce(bytes) }
    }

    @Test func aCounterIsTheLastEightBytesOfANonce() throws {
        let expected = try nonce([0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1])
        #expect(ChaCha20.Nonce(counter: 0x0102_0304_0506_0708) == expected)
    }
}
