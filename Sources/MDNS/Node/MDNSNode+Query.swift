public import DNSMessages
public import DNSSD
public import NetworkPrimitives

extension MDNSNode {
    /// Asks for records of any kind, for as long as somebody listens.
    ///
    /// - Throws: `MDNSError`, such as `unicastName` for a name outside the link-local domains
    ///   unless `NodeOptions.multicastsAnyName` allows it.
    public func query(
        _ name: DomainName, type: RecordType, recordClass: RecordClass = .internet,
        on interfaces: InterfaceSelection = .all, within limit: Duration? = nil
    ) throws(MDNSError) -> RecordEvents {
        try driver.check(interfaces)
        try driver.checkMulticast(name)
        let question = Question(name, type, recordClass: recordClass)
        return try run(Feed.states { $0.recordEvent }, within: limit) {
            (discovery: inout Discovery, now: Instant) throws(NameError) in
            discovery.startQuery(question, on: interfaces, at: now)
        }
    }

    /// Has it checked soon whether a record still holds: if nobody answers for it, it is
    /// forgotten, and whoever was told of it is told that it is gone (RFC 6762 §10.4). What the
    /// node does not remember, because nothing asked for it, need not be checked.
    public func reconfirm(
        _ record: ResourceRecord, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) {
        try checkOpen()
        try driver.check(interfaces)
        let now = driver.now
        driver.discovery.reconfirm(record, on: interfaces, at: now)
        settle(at: now)
    }

    /// Has it checked soon whether a service is still there, after a connection failed, say.
    public func reconfirm(
        _ name: ServiceInstanceName, on interfaces: InterfaceSelection = .all
    ) throws(MDNSError) {
        try checkOpen()
        try driver.check(interfaces)
        let now = driver.now
        driver.discovery.reconfirm(name, on: interfaces, at: now)
        settle(at: now)
    }
}
