package import DNSSD
package import LinuxNetworking
package import NetworkPrimitives

/// A node that waits in the calling thread: for programs that do nothing else, or that have no
/// concurrency.
///
/// Ask the node for something, then call `next` until it is found. While nobody is in `next`,
/// nobody answers queries.
package final class DiscoveryLoop {
    /// What is waited for.
    package enum Happening {
        /// Of an operation.
        case event(OperationID, Discovery.Event)
        /// A datagram, if the node's packets are watched.
        case packet(PacketEvent)
        /// A signal to this program.
        case signal(ProcessSignals.Signal)
        /// The time is over.
        case deadline
    }

    /// What does the work.
    package var node: DiscoveryNode
    private let files: PollSet
    private let signalFile: SignalFile?
    private let signalMember: PollSet.Member?
    private var signals = Queue<ProcessSignals.Signal>()

    private static let signalToken = -1

    /// Opens port 5353 and begins to work.
    ///
    /// - Parameters:
    ///   - options: What is to be other than usual.
    ///   - signals: Those that `next` is to report; `ProcessSignals.block` was called for them.
    /// - Throws: `MDNSError`: an interface that does not exist, none that can be used, a port
    ///   that another program holds for itself, a missing permission.
    package init(
        _ options: NodeOptions, signals: [ProcessSignals.Signal] = []
    ) throws(MDNSError) {
        let files: PollSet
        do throws(SystemError) {
            files = try PollSet()
            signalFile = signals.isEmpty ? nil : try SignalFile(of: signals)
        } catch {
            throw MDNSError(error, whenDoing: "starting the loop")
        }
        self.files = files
        if let number = signalFile?.number {
            signalMember = files.add(number, token: Self.signalToken)
        } else {
            signalMember = nil
        }
        node = try DiscoveryNode(options)
        try node.begin { source, number throws(SystemError) in
            let member = files.add(number, token: source.token)
            return { member.setInterest($0) }
        }
    }

    /// Waits for the next thing that happens.
    ///
    /// - Parameter deadline: When to give up; nil to wait for ever. What has happened by then is
    ///   reported first.
    /// - Throws: `MDNSError`: the system does not let the thread wait.
    package func next(until deadline: Instant? = nil) throws(MDNSError) -> Happening {
        while true {
            if let signal = signals.popFirst() { return .signal(signal) }
            if let packet = node.nextPacket() { return .packet(packet) }
            if let (id, event) = node.nextEvent() { return .event(id, event) }
            if let deadline, deadline <= SystemClock.now { return .deadline }
            try wait(until: deadline)
        }
    }

    /// Lets the kernel take the datagrams that it had no room for, for a second at most.
    ///
    /// - Parameters:
    ///   - unsentCount: How many datagrams it had refused before those.
    ///   - onSignal: Called with each signal that comes meanwhile.
    package func flush(
        since unsentCount: Int, onSignal: (ProcessSignals.Signal) -> Void = { _ in }
    ) throws(MDNSError) -> GoodbyeDelivery {
        let limit = SystemClock.now.advanced(by: DiscoveryNode.flushLimit)
        while node.hasQueuedDatagrams, SystemClock.now < limit {
            try wait(until: limit)
            while let signal = signals.popFirst() { onSignal(signal) }
        }
        return node.goodbyeDelivery(since: unsentCount)
    }

    /// Ends a registration with a goodbye (RFC 6762 §10.1).
    ///
    /// - Returns: What became of the goodbye, once the kernel has it or a second has gone by.
    package func withdraw(_ id: OperationID) throws(MDNSError) -> GoodbyeDelivery {
        let unsentCount = node.unsentCount
        node.stop(id)
        return try flush(since: unsentCount)
    }

    /// Says goodbye for everything that is offered and closes the sockets.
    ///
    /// - Parameter onSignal: Called with each signal that comes meanwhile.
    /// - Returns: What became of the goodbyes, once the kernel has them or a second has gone by.
    package func close(
        onSignal: (ProcessSignals.Signal) -> Void = { _ in }
    ) throws(MDNSError) -> GoodbyeDelivery {
        let unsentCount = node.unsentCount
        node.shutDown()
        let delivery = try flush(since: unsentCount, onSignal: onSignal)
        node.close()
        return delivery
    }

    /// How often the thread has waited: each time is a wake-up.
    package var waitCount: Int { files.waitCount }

    private func wait(until deadline: Instant?) throws(MDNSError) {
        let due = node.nextDeadline()
        let ready: [(token: Int, readiness: Readiness)]
        do throws(SystemError) {
            ready = try files.wait(until: deadline.map { min($0, due ?? $0) } ?? due)
        } catch {
            throw MDNSError(error, whenDoing: "waiting for datagrams")
        }
        for file in ready {
            if let source = NodeSource(token: file.token) {
                node.isReady(source, file.readiness)
            } else if file.token == Self.signalToken {
                for signal in signalFile?.read() ?? [] { signals.append(signal) }
            }
        }
        if let due = node.nextDeadline(), due <= SystemClock.now { node.advance() }
    }
}

// A number for each source.
extension NodeSource {
    private static let all: [NodeSource] = [
        .interfaces, .socket(.ipv4, .group), .socket(.ipv4, .unicast), .socket(.ipv6, .group),
        .socket(.ipv6, .unicast),
    ]

    fileprivate var token: Int {
        switch self {
        case .interfaces: 0
        case .socket(.ipv4, .group): 1
        case .socket(.ipv4, .unicast): 2
        case .socket(.ipv6, .group): 3
        case .socket(.ipv6, .unicast): 4
        }
    }

    fileprivate init?(token: Int) {
        guard Self.all.indices.contains(token) else { return nil }
        self = Self.all[token]
    }
}
