public import DNSSD
import NetworkPrimitives

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
        try driver.check(service.interfaces)
        return try offer(on: service.interfaces) {
            (discovery: inout Discovery, now: Instant) throws(RegistrationError) in
            try discovery.register(service, at: now)
        }
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
        try driver.check(records.interfaces)
        return try offer(on: records.interfaces) {
            (discovery: inout Discovery, now: Instant) throws(RegistrationError) in
            try discovery.registerRecords(records, at: now)
        }
    }

    private func offer(
        on interfaces: InterfaceSelection,
        _ begin: (inout Discovery, Instant) throws(RegistrationError) -> OperationID
    ) throws(MDNSError) -> RegistrationHandle {
        try checkOpen()
        // The caller would drop the handle at once.
        if Task.isCancelled { throw .cancelled("registering") }
        let now = driver.now
        driver.reviewPort(offersSomething: true, at: now)
        let id: OperationID
        do throws(RegistrationError) {
            id = try begin(&driver.discovery, now)
        } catch {
            reviewPort(at: now)
            throw MDNSError(error)
        }
        let pair = EventSink.registration()
        operations[id] = Operation(
            sinks: [0: pair.sink], registration: RegistrationState(interfaces: interfaces))
        settle(at: now)
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
        if let status = operation.registration?.reported {
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
        let unsentCount = driver.unsentCount
        conflicts[id] = nil
        stop(id)
        return await delivery(since: unsentCount)
    }

    /// Nobody can reach a registration any more.
    func leaseHasEnded(_ id: OperationID) {
        conflicts[id] = nil
        guard !isClosed else { return }
        let unsentCount = driver.unsentCount
        stop(id)
        if driver.unsentCount > unsentCount {
            flush.unsentBefore = flush.unsentBefore ?? unsentCount
        }
    }

    func update(_ id: OperationID, txt: TXTRecord) throws(MDNSError) {
        try change { (discovery: inout Discovery, now: Instant) throws(RegistrationError) in
            try discovery.update(id, txt: txt, at: now)
        }
    }

    func update(_ id: OperationID, subtypes: [ServiceSubtype]) throws(MDNSError) {
        try change { (discovery: inout Discovery, now: Instant) throws(RegistrationError) in
            try discovery.update(id, subtypes: subtypes, at: now)
        }
    }

    private func change(
        _ body: (inout Discovery, Instant) throws(RegistrationError) -> Void
    ) throws(MDNSError) {
        try checkOpen()
        let now = driver.now
        do throws(RegistrationError) {
            try body(&driver.discovery, now)
        } catch {
            throw MDNSError(error)
        }
        settle(at: now)
    }
}
