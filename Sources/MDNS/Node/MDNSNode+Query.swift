public import DNSMessages
public import DNSSD
public import LinuxDiscovery
public import NetworkPrimitives

extension MDNSNode {
    /// Watches the records of a name, for as long as somebody listens: a continuous query
    /// (RFC 6762 §5.2).
    ///
    /// - Parameters:
    ///   - name: The records' name.
    ///   - type: Their type; `any` for all of them.
    ///   - recordClass: Their class.
    ///   - interfaces: Where to look, of those that the node works on.
    ///   - limit: How long to look; `nil` for ever.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: `unicastName` for a name outside the link-local domains unless
    ///   `NodeOptions.multicastsAnyName` allows it, an interface that does not exist, a closed
    ///   node.
    public func watchRecords(
        of name: DomainName, type: RecordType, recordClass: RecordClass = .internet,
        on interfaces: InterfaceSelection = .all, within limit: Duration? = nil
    ) throws(MDNSError) -> RecordEvents {
        let question = Question(name, type, recordClass: recordClass)
        return try run(EventSink.states { $0.recordEvent }, within: limit) {
            (node: inout DiscoveryNode) throws(MDNSError) in
            try node.startQuery(question, on: interfaces)
        }
    }

    /// Reconfirms a cached record (RFC 6762 §10.4): if nobody answers for it within ten seconds
    /// it is removed, and so is what was found by it. A record that is not cached, because
    /// nothing asked for it, needs no check.
    ///
    /// - Parameters:
    ///   - record: The record; its time to live does not matter.
    ///   - interfaces: Where to check it, of those that the node works on.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node.
    public func reconfirm(
        _ record: ResourceRecord, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) {
        try node.reconfirm(record, on: interfaces)
        settle()
    }

    /// Reconfirms all that is cached of a service (RFC 6762 §10.4), after a connection failed,
    /// say.
    ///
    /// - Parameters:
    ///   - name: The service.
    ///   - interfaces: Where to check it, of those that the node works on.
    /// - Throws: `MDNSError`: an interface that does not exist, a closed node.
    public func reconfirm(
        _ name: ServiceInstanceName, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) {
        try node.reconfirm(name, on: interfaces)
        settle()
    }
}
