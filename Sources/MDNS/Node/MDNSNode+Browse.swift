public import DNSMessages
public import DNSSD
import LinuxDiscovery
public import NetworkPrimitives

extension MDNSNode {
    /// Browses for the services of a type (RFC 6763 §4), for as long as somebody listens.
    ///
    /// - Parameters:
    ///   - type: The service type, `_http._tcp`.
    ///   - subtype: Only services that are offered under this subtype too.
    ///   - domain: The domain to look in.
    ///   - resolving: Whether each service is resolved as well: it is `added` by its name, and
    ///     `changed` when it is known where it is, and whenever that changes.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to look; `nil` for ever.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: a name that is too long or one of unicast DNS, an interface that does
    ///   not exist, a closed node.
    public func browse(
        _ type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName = .local,
        resolving: Bool = false, on interfaces: InterfaceSelection = .all,
        within limit: Duration? = nil
    ) throws(MDNSError) -> BrowseEvents {
        let detail = resolving ? BrowseDetail.services : .names
        return try run(EventSink.states { $0.browseEvent }, within: limit) {
            (node: inout DiscoveryNode) throws(MDNSError) in
            try node.startBrowse(
                type, subtype: subtype, domain: domain, detail: detail, on: interfaces)
        }
    }

    /// Browses for the types of service that there are (RFC 6763 §9), for as long as somebody
    /// listens.
    ///
    /// - Parameters:
    ///   - domain: The domain to look in.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to look; `nil` for ever.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: a name that is too long, an interface that does not exist, a closed
    ///   node.
    public func browseTypes(
        domain: DomainName = .local, on interfaces: InterfaceSelection = .all,
        within limit: Duration? = nil
    ) throws(MDNSError) -> TypeEvents {
        return try run(EventSink.states { $0.typeEvent }, within: limit) {
            (node: inout DiscoveryNode) throws(MDNSError) in
            try node.startTypeEnumeration(domain: domain, on: interfaces)
        }
    }

    /// Browses for the domains that the network recommends, for browsing or registering
    /// (RFC 6763 §11), for as long as somebody listens.
    ///
    /// - Parameters:
    ///   - kind: What the domains are recommended for.
    ///   - domain: The domain that is asked for its recommendations.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to look; `nil` for ever.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: a name that is too long, an interface that does not exist, a closed
    ///   node.
    public func browseDomains(
        _ kind: DomainEnumeration, domain: DomainName = .local,
        on interfaces: InterfaceSelection = .all, within limit: Duration? = nil
    ) throws(MDNSError) -> NameEvents {
        return try run(EventSink.states { $0.nameEvent }, within: limit) {
            (node: inout DiscoveryNode) throws(MDNSError) in
            try node.startDomainEnumeration(kind, domain: domain, on: interfaces)
        }
    }
}
