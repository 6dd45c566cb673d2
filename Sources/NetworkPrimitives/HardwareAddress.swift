/// A 48-bit link-layer address.
public struct HardwareAddress: Hashable, Sendable {
    /// The six bytes as a number, the first on top; the two upper bytes are zero.
    public var rawValue: UInt64

    /// The address of these bytes; `nil` unless there are six.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 6 else { return nil }
        rawValue = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension HardwareAddress: CustomStringConvertible {
    /// `02:00:00:4d:00:01`.
    public var description: String {
        (0..<6).map { index in
            Hexadecimal.text([UInt8(truncatingIfNeeded: rawValue >> UInt64(40 - 8 * index))])
        }.joined(separator: ":")
    }
}
