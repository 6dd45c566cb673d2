import MDNS
public import NetworkPrimitives

/// Which destinations are on the local network.
public enum LocalAddress {
    /// Whether a host is a destination on the local network: an address that is, or a name that
    /// multicast DNS resolves.
    ///
    /// - Parameter host: A name, or an address; an IPv6 one may stand in brackets and have a zone.
    public static func isLocal(_ host: String) -> Bool {
        var text = host[...]
        let isBracketed = text.first == "[" && text.last == "]"
        if isBracketed { text = text.dropFirst().dropLast() }
        if let address = IPAddress(text.prefix { $0 != "%" }) {
            let hasZone = text.contains("%")
            // Neither stands around an IPv4 address.
            guard address.family == .ipv6 || (!hasZone && !isBracketed) else { return false }
            return isLocal(address)
        }
        guard !isBracketed else { return false }
        if text.last == "." { text = text.dropLast() }
        // A single label is completed by the resolver's search list.
        return text.lowercased().hasSuffix(".local") && text.count > ".local".count
    }

    /// Whether an address is on the local network: link-local, private (RFC 1918, RFC 4193), a
    /// group's or the broadcast address. The loopback is not: no packet to it leaves the host.
    public static func isLocal(_ address: IPAddress) -> Bool {
        switch address {
        case .v4(let address):
            return address.isLinkLocal || address.isMulticast || address.isBroadcast
                || isPrivate(address)
        case .v6(let address):
            if let inner = address.mappedIPv4 { return isLocal(.v4(inner)) }
            return address.isLinkLocal || address.isMulticast || address.isUniqueLocal
        }
    }

    private static func isPrivate(_ address: IPv4Address) -> Bool {
        let number = address.rawValue
        return number >> 24 == 10 || number >> 20 == 0xAC1 || number >> 16 == 0xC0A8
    }
}
