/// A public key of X25519: any 32 bytes (RFC 7748 §5).
///
/// Equal if the bytes are equal: a peer is known by the bytes it shows, not by the point they
/// stand for.
package struct X25519PublicKey: Hashable, Sendable {
    /// Bytes of a key.
    package static let size = 32

    /// The bytes as they are sent.
    package let bytes: [UInt8]

    /// Nil if there are not 32 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = [UInt8](capacity: Self.size) { key in
            for index in bytes.indices { key.append(bytes[index]) }
        }
    }

    /// The key that belongs to a private one: the scalar times the point whose u is 9
    /// (RFC 7748 §6.1).
    init(_ scalar: borrowing SecretKey) {
        var generator = [UInt8](repeating: 0, count: Self.size)
        generator[0] = 9
        var bytes = [UInt8](repeating: 0, count: Self.size)
        var result = bytes.mutableSpan
        scalar.withBytes { X25519.multiply($0, generator.span, into: &result) }
        self.bytes = bytes
    }
}
