/// An IPv6 address, without a scope.
public struct IPv6Address: Hashable, Sendable, Comparable, RawRepresentable {
    private var high: UInt64
    private var low: UInt64

    /// The address as a number, its first byte on top.
    public var rawValue: UInt128 {
        UInt128(high) << 64 | UInt128(low)
    }

    /// The address with that number.
    public init(rawValue: UInt128) {
        high = UInt64(truncatingIfNeeded: rawValue >> 64)
        low = UInt64(truncatingIfNeeded: rawValue)
    }

    /// The address with those upper and lower 64 bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The address of these eight groups; `nil` unless there are eight.
    public init?(groups: some Collection<UInt16>) {
        guard groups.count == 8 else { return nil }
        self.init(rawValue: groups.reduce(0) { $0 << 16 | UInt128($1) })
    }

    /// The sixteen bytes in network order.
    public var bytes: [UInt8] {
        (0..<16).map { index in
            let word = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
        }
    }

    /// The eight groups of 16 bits.
    public var groups: [UInt16] {
        (0..<8).map(group)
    }

    /// The group at that index, 0 to 7.
    func group(_ index: Int) -> UInt16 {
        let word = index < 4 ? high : low
        return UInt16(truncatingIfNeeded: word >> UInt64(48 - 16 * (index & 3)))
    }

    /// The address `::`.
    public static let unspecified = IPv6Address(high: 0, low: 0)
    /// The address `::1`.
    public static let loopback = IPv6Address(high: 0, low: 1)
    /// `ff02::fb`, the group of multicast DNS (RFC 6762 §3).
    public static let multicastDNS = IPv6Address(high: 0xFF02 << 48, low: 0xFB)

    /// Whether it is in fe80::/10.
    public var isLinkLocal: Bool { high >> 54 == 0x3FA }
    /// Whether it is `::1`.
    public var isLoopback: Bool { high == 0 && low == 1 }
    /// Whether it is in ff00::/8.
    public var isMulticast: Bool { high >> 56 == 0xFF }
    /// Whether it is `::`.
    public var isUnspecified: Bool { high == 0 && low == 0 }
    /// Whether it is in fc00::/7, the unique local range.
    public var isUniqueLocal: Bool { high >> 57 == 0x7E }

    /// The IPv4 address inside an address of ::ffff:0:0/96, `nil` for any other.
    public var mappedIPv4: IPv4Address? {
        guard high == 0, low >> 32 == 0xFFFF else { return nil }
        return IPv4Address(rawValue: UInt32(truncatingIfNeeded: low))
    }

    public static func < (left: IPv6Address, right: IPv6Address) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
