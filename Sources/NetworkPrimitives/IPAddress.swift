/// The two families of the Internet protocol.
public enum AddressFamily: Hashable, Sendable, CaseIterable {
    /// IPv4.
    case ipv4
    /// IPv6.
    case ipv6

    /// `IPv4` or `IPv6`, as texts have it.
    package var name: String { self == .ipv4 ? "IPv4" : "IPv6" }
}

/// An IPv4 or an IPv6 address.
public enum IPAddress: Hashable, Sendable, Comparable {
    /// An IPv4 address.
    case v4(IPv4Address)
    /// An IPv6 address.
    case v6(IPv6Address)

    /// Reads either text form; `nil` for text that is neither.
    public init?(_ text: some StringProtocol) {
        if let address = IPv4Address(text) {
            self = .v4(address)
        } else if let address = IPv6Address(text) {
            self = .v6(address)
        } else {
            return nil
        }
    }

    /// The address's family.
    public var family: AddressFamily {
        switch self {
        case .v4: .ipv4
        case .v6: .ipv6
        }
    }

    /// The group of multicast DNS in that family (RFC 6762 §3).
    public static func multicastDNS(_ family: AddressFamily) -> IPAddress {
        switch family {
        case .ipv4: .v4(.multicastDNS)
        case .ipv6: .v6(.multicastDNS)
        }
    }

    /// The address's bytes in network order: four or sixteen.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let address): address.bytes
        case .v6(let address): address.bytes
        }
    }

    /// Whether it is in 169.254.0.0/16 or fe80::/10.
    public var isLinkLocal: Bool {
        switch self {
        case .v4(let address): address.isLinkLocal
        case .v6(let address): address.isLinkLocal
        }
    }

    /// Whether it is in 127.0.0.0/8 or is `::1`.
    public var isLoopback: Bool {
        switch self {
        case .v4(let address): address.isLoopback
        case .v6(let address): address.isLoopback
        }
    }

    /// Whether it is a group's address.
    public var isMulticast: Bool {
        switch self {
        case .v4(let address): address.isMulticast
        case .v6(let address): address.isMulticast
        }
    }

    /// Whether it is 0.0.0.0 or `::`.
    public var isUnspecified: Bool {
        switch self {
        case .v4(let address): address.isUnspecified
        case .v6(let address): address.isUnspecified
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address's usual text, without a scope.
    public var description: String {
        switch self {
        case .v4(let address): address.description
        case .v6(let address): address.description
        }
    }
}

extension IPAddress {
    /// Appends the usual text to `bytes`, for output that must not make a string of each field.
    package func appendText(to bytes: inout [UInt8]) {
        switch self {
        case .v4(let address): address.appendText(to: &bytes)
        case .v6(let address): address.appendText(to: &bytes)
        }
    }

    /// Appends the usual text to `bytes`, which has room for 39 more.
    package func appendText(to bytes: inout OutputSpan<UInt8>) {
        switch self {
        case .v4(let address): address.appendText(to: &bytes)
        case .v6(let address): address.appendText(to: &bytes)
        }
    }
}
