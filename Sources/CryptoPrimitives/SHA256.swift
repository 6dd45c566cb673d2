/// SHA-256 (FIPS 180-4 §6.2, RFC 6234), for bytes that come in pieces.
package struct SHA256: Sendable {
    /// Bytes of a digest.
    package static let digestSize = 32
    /// Bytes of a block.
    package static let blockSize = 64

    /// The hash so far: H0 to H7.
    private var state = SHA256.initialState
    /// Bytes that don't fill a block yet.
    private var pending = InlineArray<64, UInt8>(repeating: 0)
    private var pendingCount = 0
    /// Bytes hashed so far; 64 bits also where `Int` has 32.
    private var length: UInt64 = 0

    /// Of nothing yet.
    package init() {}

    /// Takes the next bytes.
    package mutating func update(_ bytes: Span<UInt8>) {
        length &+= UInt64(bytes.count)
        var offset = 0
        if pendingCount > 0 {
            while pendingCount < Self.blockSize, offset < bytes.count {
                pending[pendingCount] = bytes[offset]
                pendingCount += 1
                offset += 1
            }
            guard pendingCount == Self.blockSize else { return }
            compressPending()
        }
        let whole = (bytes.count - offset) / Self.blockSize
        Self.compress(&state, bytes.extracting(droppingFirst: offset), blocks: whole)
        offset += whole * Self.blockSize
        while offset < bytes.count {
            pending[pendingCount] = bytes[offset]
            pendingCount += 1
            offset += 1
        }
    }

    /// Writes the digest of all bytes to the first 32 bytes of `digest`.
    package consuming func finish(into digest: inout MutableSpan<UInt8>) {
        pad()
        for word in 0..<8 {
            for byte in 0..<4 {
                digest[4 * word + byte] = UInt8(truncatingIfNeeded: state[word] &>> (24 - 8 * byte))
            }
        }
    }

    /// The digest of all bytes, where it is not secret.
    package consuming func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.digestSize)
        var span = digest.mutableSpan
        finish(into: &span)
        return digest
    }

    /// The digest of some bytes.
    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// A one, zeros, and the length in bits as the end of a block (FIPS 180-4 §5.1.1).
    private mutating func pad() {
        pending[pendingCount] = 0x80
        pendingCount += 1
        if pendingCount > 56 {
            fillPending(to: 64)
            compressPending()
        }
        fillPending(to: 56)
        for byte in 0..<8 {
            pending[56 + byte] = UInt8(truncatingIfNeeded: (length &<< 3) &>> (56 - 8 * byte))
        }
        compressPending()
    }

    private mutating func fillPending(to end: Int) {
        while pendingCount < end {
            pending[pendingCount] = 0
            pendingCount += 1
        }
    }

    private mutating func compressPending() {
        Self.compress(&state, pending.span, blocks: 1)
        pendingCount = 0
    }
}
