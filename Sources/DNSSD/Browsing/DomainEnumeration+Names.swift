public import DNSMessages
public import NetworkPrimitives

extension DomainEnumeration {
    /// The name that is asked for domains, `b._dns-sd._udp.local` (RFC 6763 §11).
    ///
    /// - Throws: `NameError.nameTooLong`.
    public func domainName(in domain: DomainName) throws(NameError) -> DomainName {
        let parent = try domain.prepending(Label("_udp")).prepending(Label("_dns-sd"))
        return try parent.prepending(Label(rawValue))
    }

    /// The domain that stands for a subnet, `0.0.168.192.in-addr.arpa` for 192.168.12.34/16:
    /// the address with its host part cleared, reversed. `nil` for link-local addresses, which
    /// say nothing of where one is (RFC 6763 §11).
    public static func domain(of subnet: NetworkPrefix) -> DomainName? {
        guard !subnet.address.isLinkLocal else { return nil }
        switch subnet.address {
        case .v4(let four):
            let mask = subnet.length == 0 ? 0 : UInt32.max << UInt32(32 - subnet.length)
            return ReverseMapping.name(of: .v4(IPv4Address(rawValue: four.rawValue & mask)))
        case .v6(let six):
            let mask = subnet.length == 0 ? 0 : UInt128.max << UInt128(128 - subnet.length)
            return ReverseMapping.name(of: .v6(IPv6Address(rawValue: six.rawValue & mask)))
        }
    }
}
