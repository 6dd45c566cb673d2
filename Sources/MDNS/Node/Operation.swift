import DNSSD
import LinuxDiscovery
import LinuxEventLoop
import LinuxNetworking

/// What a node knows of an operation that runs in discovery.
struct Operation {
    /// Who gets its events: one reader as a rule, for a registration any number.
    var sinks: [Int: EventSink]
    /// What ends the events after the time that was given, by their reader.
    var limits: [Int: DeadlineTimer] = [:]
    /// Whether it offers something; such an operation goes on without readers.
    var isRegistration = false

    func finish() {
        for sink in sinks.values { sink.finish() }
    }
}

extension MDNSNode {
    /// Starts an operation in discovery and gives out its events.
    func run<Element: Sendable>(
        _ pair: (sink: EventSink, source: EventSource<Element>), within limit: Duration?,
        begin: (inout DiscoveryNode) throws(MDNSError) -> OperationID
    ) throws(MDNSError) -> EventSequence<Element> {
        let subscription = try start(pair.sink, within: limit, begin: begin)
        return EventSequence(subscription: subscription, source: pair.source)
    }

    private func start(
        _ sink: EventSink, within limit: Duration?,
        begin: (inout DiscoveryNode) throws(MDNSError) -> OperationID
    ) throws(MDNSError) -> Subscription {
        let id = try begin(&node)
        operations[id] = Operation(sinks: [0: sink])
        setLimit(limit, for: id, number: 0)
        settle()
        return subscription(to: sink, number: 0, of: id)
    }

    /// What stops an operation, unless that is a registration, when its reader leaves.
    func subscription(
        to sink: EventSink, number: Int, of id: OperationID, keeping lease: RegistrationLease? = nil
    ) -> Subscription {
        // The node is held: events may be the last thing that keeps one at work, and what it
        // offers offered.
        Subscription { [self, lease] in
            _ = lease
            guard sink.cancel() else { return }
            loop.perform { self.assumeIsolated { $0.readerLeft(number, id) } }
        } onLimit: { [self] duration in
            loop.perform { self.assumeIsolated { $0.setLimit(duration, for: id, number: number) } }
        }
    }

    func deliver(_ event: Discovery.Event, to id: OperationID) {
        guard let operation = operations[id] else { return }
        for sink in operation.sinks.values { sink.receive(event) }
        guard case .registration(let status) = event, case .conflicted = status else { return }
        conflicts[id] = status
        end(id)
    }

    private func readerLeft(_ number: Int, _ id: OperationID) {
        guard let operation = operations[id] else { return }
        operations[id]?.limits.removeValue(forKey: number)?.cancel()
        operations[id]?.sinks[number] = nil
        if !operation.isRegistration { stop(id) }
    }

    /// Ends an operation: its events are over, discovery forgets it.
    func stop(_ id: OperationID) {
        guard operations[id] != nil else { return }
        node.stop(id)
        end(id)
        settle()
    }

    func end(_ id: OperationID) {
        guard let operation = operations.removeValue(forKey: id) else { return }
        for limit in operation.limits.values { limit.cancel() }
        operation.finish()
    }

    func setLimit(_ limit: Duration?, for id: OperationID, number: Int) {
        guard operations[id]?.sinks[number] != nil else { return }
        operations[id]?.limits.removeValue(forKey: number)?.cancel()
        guard let limit else { return }
        let timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.limitIsReached(number, id) }
        }
        timer.setDeadline(SystemClock.now.advanced(by: limit))
        operations[id]?.limits[number] = timer
    }

    private func limitIsReached(_ number: Int, _ id: OperationID) {
        let sink = operations[id]?.sinks[number]
        if operations[id]?.isRegistration == false {
            // What is known in part is no less known for having come late.
            node.reportKnown(of: id)
            settle()
        }
        readerLeft(number, id)
        sink?.finish()
    }
}
