package import DNSMessages
package import DNSSD
package import LinuxNetworking
package import NetworkPrimitives

/// A participant in multicast DNS over this host's sockets, for one thread: the rules that the
/// actor and the blocking loop have in common.
///
/// Who holds it waits, and calls. The contract is discovery's: *call one mutating method; take
/// `nextEvent()` and `nextPacket()` until nil; arm one timer for `nextDeadline()`; repeat.*
package struct DiscoveryNode {
    /// What it was started with.
    package let options: NodeOptions
    var driver: NodeDriver
    /// What it offers.
    var registrations: [OperationID: RegistrationState] = [:]
    /// Registrations that are established but for a datagram that the kernel took.
    var unsettledRegistrations: Set<OperationID> = []
    var retry = RetrySchedule()
    /// What nobody has been told yet.
    var events = Queue<(id: OperationID, event: Discovery.Event)>()
    /// Whether everything was withdrawn.
    package private(set) var isClosed = false

    /// Opens port 5353. Call it on the thread that will wait, which may be in a network of its
    /// own.
    ///
    /// - Throws: `MDNSError`: an interface that does not exist, none that can be used, a port
    ///   that another program holds for itself, a missing permission.
    package init(_ options: NodeOptions) throws(MDNSError) {
        self.options = options
        driver = try NodeDriver(options)
    }

    /// Begins to work.
    ///
    /// - Parameter watch: Begins to wait for a source, also for those that are opened later.
    package mutating func begin(_ watch: @escaping SourceWatch) throws(MDNSError) {
        do throws(SystemError) {
            try driver.attach(watch)
        } catch {
            throw MDNSError(error, whenDoing: "watching the sockets")
        }
        let now = SystemClock.now
        driver.begin(at: now)
        reviewPort(at: now)
        settle(at: now)
    }

    /// Withdraws everything with goodbyes (RFC 6762 §10.1) and ends all operations. What waits
    /// for the kernel to have room still leaves as long as it is called for its sources.
    package mutating func shutDown() {
        guard !isClosed else { return }
        let now = SystemClock.now
        driver.discovery.shutdown(at: now)
        takeOutputs(at: now)
        isClosed = true
        registrations = [:]
        unsettledRegistrations = []
        retry.stop()
        driver.watchesPackets = false
    }

    /// Gives the port back.
    package mutating func close() {
        driver.close()
    }

    /// Throws if it has been closed.
    package func checkOpen() throws(MDNSError) {
        if isClosed {
            throw MDNSError(.nodeClosed, "the node has been closed; start another one")
        }
    }

    // MARK: What it is called for

    /// A source is ready.
    package mutating func isReady(_ source: NodeSource, _ readiness: Readiness) {
        guard !isClosed else {
            driver.sendQueued(source, readiness)
            return driver.noteLateResults()
        }
        let offersSomething = offersSomething
        driver.handle(source, readiness, offersSomething: offersSomething)
        driver.noteLateResults()
        settle(at: SystemClock.now)
    }

    /// The deadline is met.
    package mutating func advance() {
        guard !isClosed else { return }
        let now = SystemClock.now
        if let due = retry.deadline, due <= now { retrySending(at: now) }
        if let due = driver.nextDeadline(), due <= now {
            let offersSomething = offersSomething
            driver.advance(to: now, offersSomething: offersSomething)
        }
        settle(at: now)
    }

    /// When `advance` is to be called; nil when never.
    package mutating func nextDeadline() -> Instant? {
        guard !isClosed else { return nil }
        guard let due = driver.nextDeadline() else { return retry.deadline }
        return retry.deadline.map { min($0, due) } ?? due
    }

    /// The next thing that an operation has found, or that became of a registration.
    package mutating func nextEvent() -> (id: OperationID, event: Discovery.Event)? {
        events.popFirst()
    }

    /// The next packet, if they are watched.
    package mutating func nextPacket() -> PacketEvent? { driver.packets.popFirst() }

    /// Whether packets are kept for `nextPacket`.
    package var watchesPackets: Bool {
        get { driver.watchesPackets }
        set { driver.watchesPackets = newValue }
    }

    /// What is due after every call into discovery: its outputs go out, and what they say of a
    /// registration is settled.
    mutating func settle(at now: Instant) {
        takeOutputs(at: now)
        if retry.takeWish(at: now) {
            driver.discovery.wake(at: now)
            takeOutputs(at: now)
        }
    }

    private mutating func takeOutputs(at now: Instant) {
        driver.sendOutputs()
        while let (id, event) = driver.events.popFirst() {
            if case .registration(let status) = event {
                registrationChanged(id, status)
            } else {
                events.append((id, event))
            }
        }
        settleRegistrations(at: now)
    }

    /// Probes and announces again what could not be sent anywhere; where it is only not found
    /// everywhere, a question shows whether that has changed.
    private mutating func retrySending(at now: Instant) {
        let isAnyBlocked = registrations.values.contains { $0.isBlocked }
        guard !retry.isDue(restarts: isAnyBlocked, at: now) else { return }
        for trial in driver.trials {
            driver.send(trial.bytes, to: trial.destination, on: trial.interface)
        }
    }

    mutating func reviewPort(at now: Instant, isUrgent: Bool = false) {
        let offersSomething = offersSomething
        driver.reviewPort(offersSomething: offersSomething, at: now, isUrgent: isUrgent)
    }

    private var offersSomething: Bool { !registrations.isEmpty }

    // MARK: Facts

    /// This host's name, as it is or would be published: it changes if another host has it.
    package var hostName: DomainName { driver.discovery.hostName }

    /// The interfaces that it works on now.
    package var interfaces: [NetworkInterface] { driver.interfaces.used }

    /// The interface's name as it is now, or as it was last for one that has gone; `if7` for one
    /// that never was.
    package func interfaceName(of index: InterfaceIndex) -> String {
        driver.interfaces.name(of: index)
    }

    /// How it stands with the system, as far as is known without asking.
    package var knownStatus: NodeStatus { driver.status }

    /// How it stands with the system.
    package mutating func status() -> NodeStatus {
        if !isClosed { reviewPort(at: SystemClock.now, isUrgent: true) }
        return driver.status
    }

    /// What was counted so far, also once it has been closed.
    package var statistics: NodeStatistics { driver.statistics }

    /// When discovery has something to do by itself; nil when never.
    package var discoveryDeadline: Instant? { driver.discovery.deadline }
}
