/// The stream cipher ChaCha20 with a counter of 32 and a nonce of 96 bits (RFC 8439 §2.4).
///
/// Alone it does not show whether a message was changed: messages go through `ChaCha20Poly1305`.
package struct ChaCha20: ~Copyable {
    /// Bytes of a block.
    package static let blockSize = 64

    /// Sixteen words: constants, key, counter and nonce.
    typealias State = InlineArray<16, UInt32>

    /// The state of a block before its rounds, with a counter of zero.
    private var state: State

    /// The stream of a key under a nonce.
    package init(key: borrowing SecretKey, nonce: Nonce) {
        // "expand 32-byte k" (RFC 8439 §2.3)
        state = [
            0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574, 0, 0, 0, 0, 0, 0, 0, 0,
            0, nonce.word0, nonce.word1, nonce.word2,
        ]
        key.withBytes { bytes in
            for index in 0..<8 { state[4 + index] = Self.word(bytes, at: 4 * index) }
        }
    }

    /// Encrypts or decrypts in place with the stream from block `counter` on.
    ///
    /// The counter wraps around after 2^32 blocks: more than 256 GiB must not be taken from a
    /// stream (RFC 8439 §2.8).
    package borrowing func combine(
        with bytes: inout MutableSpan<UInt8>, from counter: UInt32 = 0
    ) {
        var stream = Keystream()
        combine(with: &bytes, at: 0, from: counter, using: &stream)
    }

    /// The same from byte `start` of `bytes` on, with `stream` as working storage.
    borrowing func combine(
        with bytes: inout MutableSpan<UInt8>, at start: Int, from counter: UInt32,
        using stream: inout Keystream
    ) {
        var offset = start
        var counter = counter
        while offset < bytes.count {
            fill(&stream, from: counter)
            let count = min(Keystream.size, bytes.count - offset)
            if count == Keystream.size {
                // The same with a length that the compiler knows.
                stream.combine(with: &bytes, at: offset, count: Keystream.size, skipping: 0)
            } else {
                stream.combine(with: &bytes, at: offset, count: count, skipping: 0)
            }
            offset += count
            counter &+= UInt32(Keystream.blocks)
        }
    }

    /// The eight blocks from `counter` on.
    borrowing func fill(_ stream: inout Keystream, from counter: UInt32) {
        stream.fill(from: state, counter: counter)
    }

    /// Four bytes, little-endian.
    static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
        UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) &<< 8
            | UInt32(bytes[offset + 2]) &<< 16 | UInt32(bytes[offset + 3]) &<< 24
    }
}

extension ChaCha20 {
    /// A number that is used once with a key: 96 bits, as three little-endian words.
    package struct Nonce: Hashable, Sendable {
        let word0: UInt32
        let word1: UInt32
        let word2: UInt32

        /// Of 12 bytes; nil if there are more or less.
        package init?(_ bytes: Span<UInt8>) {
            guard bytes.count == 12 else { return nil }
            word0 = ChaCha20.word(bytes, at: 0)
            word1 = ChaCha20.word(bytes, at: 4)
            word2 = ChaCha20.word(bytes, at: 8)
        }

        /// 32 bits of zeros and a counter, as Noise counts messages (Noise §12.3).
        package init(counter: UInt64) {
            word0 = 0
            word1 = UInt32(truncatingIfNeeded: counter)
            word2 = UInt32(truncatingIfNeeded: counter >> 32)
        }
    }
}
