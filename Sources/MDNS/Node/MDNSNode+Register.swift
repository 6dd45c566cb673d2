public import DNSSD
public import LinuxDiscovery

extension MDNSNode {
    /// Offers a service. Its name is probed for first; if it is taken, another is chosen, unless
    /// the description says otherwise.
    ///
    /// - Parameter service: What to offer, where, under which name.
    /// - Returns: At once, with the handle that keeps the service offered: when nobody holds it
    ///   or a sequence of its events any more, the service is withdrawn.
    /// - Throws: `MDNSError`: a description that can't be offered, an interface that does not
    ///   exist, a closed node; `cancelled` if the task had been cancelled. Nothing is registered
    ///   then.
    public func register(
        _ service: ServiceDescription
    ) throws(MDNSError) -> RegistrationHandle {
        try offer { (node: inout DiscoveryNode) throws(MDNSError) in try node.register(service) }
    }

    /// Offers records as they are, beside any service.
    ///
    /// - Parameter records: What to offer, and where.
    /// - Returns: At once, with the handle that keeps the records offered: when nobody holds it
    ///   or a sequence of its events any more, they are withdrawn.
    /// - Throws: `MDNSError`: records that can't be offered, an interface that does not exist, a
    ///   closed node; `cancelled` if the task had been cancelled. Nothing is registered then.
    public func register(
        _ records: RecordRegistration
    ) throws(MDNSError) -> RegistrationHandle {
        try offer { (node: inout DiscoveryNode) throws(MDNSError) in try node.register(records) }
    }

    private func offer(
        _ begin: (inout DiscoveryNode) throws(MDNSError) -> OperationID
    ) throws(MDNSError) -> RegistrationHandle {
        try checkOpen()
        // The caller would drop the handle at once.
        if Task.isCancelled { throw .cancelled("registering") }
        let id = try begin(&node)
        let pair = EventSink.registration()
        operations[id] = Operation(sinks: [0: pair.sink], isRegistration: true)
        settle()
        let lease = RegistrationLease(node: self, id: id)
        return RegistrationHandle(lease: lease, events: events(pair, number: 0, of: lease))
    }

    func statuses(of lease: RegistrationLease) -> RegistrationEvents {
        let id = lease.id
        let pair = EventSink.registration()
        guard let operation = operations[id] else {
            if let status = conflicts[id] { pair.sink.receive(.registration(status)) }
            pair.sink.finish()
            return events(pair, number: 0, of: lease)
        }
        let number = (operation.sinks.keys.max() ?? 0) + 1
        if let status = node.reportedStatus(of: id) {
            pair.sink.receive(.registration(status))
        }
        operations[id]?.sinks[number] = pair.sink
        return events(pair, number: number, of: lease)
    }

    private func events(
        _ pair: (sink: EventSink, source: EventSource<RegistrationStatus>), number: Int,
        of lease: RegistrationLease
    ) -> RegistrationEvents {
        EventSequence(
            subscription: subscription(to: pair.sink, number: number, of: lease.id, keeping: lease),
            source: pair.source)
    }

    /// Withdraws a registration and says what became of its goodbye.
    func withdraw(_ id: OperationID) async -> GoodbyeDelivery {
        let unsentCount = node.unsentCount
        conflicts[id] = nil
        stop(id)
        return await delivery(since: unsentCount)
    }

    /// Nobody can reach a registration any more.
    func leaseHasEnded(_ id: OperationID) {
        conflicts[id] = nil
        guard !isClosed else { return }
        let unsentCount = node.unsentCount
        stop(id)
        if node.unsentCount > unsentCount {
            flush.unsentBefore = flush.unsentBefore ?? unsentCount
        }
    }

    func update(_ id: OperationID, txt: TXTRecord) throws(MDNSError) {
        try node.update(id, txt: txt)
        settle()
    }

    func update(_ id: OperationID, subtypes: [ServiceSubtype]) throws(MDNSError) {
        try node.update(id, subtypes: subtypes)
        settle()
    }
}
