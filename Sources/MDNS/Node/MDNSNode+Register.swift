public import DNSSD
import NetworkPrimitives

extension MDNSNode {
    /// Offers a service. It is asked for first whether the name is free; if it is not, another
    /// is chosen, unless the description says otherwise.
    ///
    /// - Returns: At once, with a handle that tells how it goes on.
    /// - Throws: `MDNSError` for a description that can't be offered.
    public func register(
        _ service: ServiceDescription
    ) throws(MDNSError) -> RegistrationHandle {
        try driver.check(service.interfaces)
        return try offer { (discovery: inout Discovery, now: Instant) throws(RegistrationError) in
            try discovery.register(service, at: now)
        }
    }

    /// Offers records as they are, beside any service.
    public func register(
        _ records: RecordRegistration
    ) throws(MDNSError) -> RegistrationHandle {
        try driver.check(records.interfaces)
        return try offer { (discovery: inout Discovery, now: Instant) throws(RegistrationError) in
            try discovery.registerRecords(records, at: now)
        }
    }

    private func offer(
        _ begin: (inout Discovery, Instant) throws(RegistrationError) -> OperationID
    ) throws(MDNSError) -> RegistrationHandle {
        try checkOpen()
        let now = driver.now
        let id: OperationID
        do throws(RegistrationError) {
            id = try begin(&driver.discovery, now)
        } catch {
            throw MDNSError(error)
        }
        let pair = Feed.registration()
        operations[id] = Operation(feeds: [0: pair.feed], isRegistration: true)
        settle(at: now)
        return RegistrationHandle(node: self, id: id, events: events(pair, number: 0, of: id))
    }

    func statuses(of id: OperationID) -> RegistrationEvents {
        let pair = Feed.registration()
        guard let operation = operations[id] else {
            pair.feed.finish()
            return events(pair, number: 0, of: id)
        }
        let number = (operation.feeds.keys.max() ?? 0) + 1
        if let status = operation.status { pair.feed.receive(.registration(status)) }
        operations[id]?.feeds[number] = pair.feed
        return events(pair, number: number, of: id)
    }

    private func events(
        _ pair: (feed: Feed, source: EventSource<RegistrationStatus>), number: Int,
        of id: OperationID
    ) -> RegistrationEvents {
        EventSequence(
            subscription: subscription(to: pair.feed, number: number, of: id),
            source: pair.source)
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
