/// The 16 bytes that show whether a message is as its sender wrote it.
///
/// Not `Equatable`: tags are compared by whoever checks them, in constant time.
package struct AuthenticationTag: Sendable {
    /// Bytes of a tag.
    package static let size = 16

    /// The bytes as a little-endian number.
    let value: UInt128

    init(value: UInt128) { self.value = value }

    /// Of 16 bytes; nil if there are more or less.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        var value: UInt128 = 0
        for index in bytes.indices { value |= UInt128(bytes[index]) &<< UInt128(8 * index) }
        self.value = value
    }

    /// The bytes as they are sent.
    package var bytes: [UInt8] {
        [UInt8](capacity: Self.size) { bytes in
            for index in 0..<Self.size {
                bytes.append(UInt8(truncatingIfNeeded: value &>> UInt128(8 * index)))
            }
        }
    }

    /// Whether two tags are the same, in the same time whatever they are.
    package func matches(_ other: AuthenticationTag) -> Bool {
        ConstantTime.isZero(value ^ other.value)
    }
}
