import DNSMessages
import DNSSD
package import LinuxEventLoop
import LinuxNetworking
import MulticastDNS
public import NetworkPrimitives

/// A participant in multicast DNS: it finds, resolves and offers services on the local network.
///
/// Methods that begin with `browse` or `watch` give a sequence of events that goes on as long as
/// somebody listens; all others act or answer once.
///
/// One node serves a whole program. It lives on the thread of its sockets: a datagram is handled
/// without a hop, and everything about the node happens in one order. It works until it is
/// closed or nobody holds it, nor any of its event sequences, any more. Close it before the
/// program ends, so that what it offers says goodbye.
public actor MDNSNode {
    /// Where the node runs.
    nonisolated let loop: EventLoop
    /// The executor of the node's thread.
    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        // The node holds its loop as long as it lives.
        unsafe loop.asUnownedSerialExecutor()
    }

    /// What the node was started with.
    public nonisolated let options: NodeOptions

    var driver: NodeDriver
    var operations: [OperationID: Operation] = [:]
    var packetWatchers: [Int: PacketWatcher] = [:]
    var nextPacketWatcher = 0
    var statusWatchers = StatusWatchers()
    /// Registrations that were ended by a conflict, as long as somebody holds a handle to them.
    var conflicts: [OperationID: RegistrationStatus] = [:]
    /// Registrations that are established but for a datagram that the kernel took.
    var unsettledRegistrations: Set<OperationID> = []
    var retry = RetrySchedule()
    var flush = FlushState()
    private var timer: DeadlineTimer?
    private var retryTimer: DeadlineTimer?
    /// Whether it has been closed.
    public private(set) var isClosed = false

    /// Opens port 5353 and starts to work.
    ///
    /// - Parameter options: What is to be other than usual.
    /// - Throws: `MDNSError`: an interface that does not exist, none that can be used, a port
    ///   that another program holds for itself, a missing permission.
    public init(_ options: NodeOptions = NodeOptions()) async throws(MDNSError) {
        let loop: EventLoop
        do throws(SystemError) {
            loop = try EventLoop.shared
        } catch {
            throw MDNSError(error, whenDoing: "starting the event loop")
        }
        try await self.init(options, loop: loop)
    }

    /// A node on a loop of its own.
    package init(_ options: NodeOptions, loop: EventLoop) async throws(MDNSError) {
        self.loop = loop
        self.options = options
        driver = try await NodeOpening(loop: loop).driver(options)
        // All is set, so from here on this runs on the loop.
        do throws(SystemError) {
            try attach()
        } catch {
            throw MDNSError(error, whenDoing: "watching the sockets")
        }
        let now = SystemClock.now
        driver.begin(at: now)
        reviewPort(at: now)
        settle(at: now)
    }

    isolated deinit {
        shutDown()
        driver.close()
    }

    /// Says goodbye for everything that is offered, ends all event sequences, and closes the
    /// sockets. Closing twice does nothing more.
    ///
    /// - Returns: When the goodbyes are in the kernel's hands, or a second has gone by in which
    ///   it did not take them: `failed` says why, also of the goodbyes of registrations whose
    ///   handle was dropped. It does so also when the task is cancelled.
    @discardableResult
    public func close() async -> GoodbyeDelivery {
        let unsentCount = flush.unsentBefore ?? driver.unsentCount
        flush.unsentBefore = unsentCount
        if !isClosed { shutDown() }
        let delivery = await delivery(since: unsentCount)
        driver.close()
        return delivery
    }

    func checkOpen() throws(MDNSError) {
        if isClosed {
            throw MDNSError(.nodeClosed, "the node has been closed; start another one")
        }
    }

    // MARK: The loop

    private func attach() throws(SystemError) {
        timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.deadlineIsDue() }
        }
        retryTimer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.retrySending() }
        }
        try driver.attach { [weak self, loop] source, number throws(SystemError) in
            let watch = try loop.watch(number: number, for: .readable) { [weak self] readiness in
                self?.assumeIsolated { $0.isReady(source, readiness) }
            }
            return { try? watch.setInterest($0) }
        }
    }

    private func deadlineIsDue() {
        guard !isClosed else { return }
        let now = SystemClock.now
        driver.advance(to: now, offersSomething: offersSomething)
        settle(at: now)
    }

    private func isReady(_ source: NodeDriver.Source, _ readiness: Readiness) {
        guard !isClosed else {
            driver.sendQueued(source, readiness)
            return resumeFlushWaiters()
        }
        driver.handle(source, readiness, offersSomething: offersSomething)
        resumeFlushWaiters()
        settle(at: SystemClock.now)
    }

    /// What is due after every call into discovery: its outputs go out, its deadline is set.
    func settle(at now: Instant) {
        drain(at: now)
        if retry.takeWish(at: now) {
            driver.discovery.wake(at: now)
            drain(at: now)
        }
        rearm()
        statusWatchers.publish { driver.status }
    }

    /// Probes and announces again what could not be sent anywhere; where it is only not found
    /// everywhere, a question shows whether that has changed.
    private func retrySending() {
        guard !isClosed else { return }
        let now = SystemClock.now
        let isAnyBlocked = operations.values.contains { $0.registration?.isBlocked == true }
        if !retry.isDue(restarts: isAnyBlocked, at: now) {
            for trial in driver.trials {
                driver.send(trial.bytes, to: trial.destination, on: trial.interface)
            }
        }
        settle(at: now)
    }

    func reviewPort(at now: Instant, isUrgent: Bool = false) {
        driver.reviewPort(offersSomething: offersSomething, at: now, isUrgent: isUrgent)
    }

    private var offersSomething: Bool {
        operations.values.contains { $0.registration != nil }
    }

    func drain(at now: Instant) {
        driver.sendOutputs()
        while let packet = driver.packets.popFirst() { show(packet) }
        while let (id, event) = driver.events.popFirst() { deliver(event, to: id) }
        settleRegistrations(at: now)
    }

    private func rearm() {
        timer?.setDeadline(isClosed ? nil : driver.nextDeadline())
        retryTimer?.setDeadline(isClosed ? nil : retry.deadline)
    }

    private func shutDown() {
        guard !isClosed else { return }
        let now = SystemClock.now
        driver.discovery.shutdown(at: now)
        drain(at: now)
        isClosed = true
        timer?.cancel()
        timer = nil
        retryTimer?.cancel()
        retryTimer = nil
        for operation in operations.values { operation.finish() }
        operations = [:]
        for watcher in packetWatchers.values { watcher.mailbox.finish() }
        packetWatchers = [:]
        statusWatchers.finish()
        driver.watchesPackets = false
    }

    // MARK: Facts

    /// This host's name, as it is or would be published: it changes if another host has it.
    public var hostName: DomainName { driver.discovery.hostName }

    /// How the node stands with the system: what is bound, joined, refused.
    public func status() -> NodeStatus {
        if !isClosed { reviewPort(at: driver.now, isUrgent: true) }
        return driver.status
    }

    /// The interfaces that the node works on now.
    public var interfaces: [NetworkInterface] { driver.interfaces.used }

    /// How many operations run.
    package var runningOperations: Int { operations.count }

    /// When the node has something to do by itself; `nil` when never.
    package var nextDeadline: Instant? { driver.discovery.deadline }

    /// The interface's name as it is now, or as it was last for one that has gone; `if7` for one
    /// that never was.
    ///
    /// - Parameter index: The kernel's number of the interface.
    public func interfaceName(of index: InterfaceIndex) -> String {
        driver.interfaces.name(of: index)
    }
}

/// Opens what a node needs on the loop's thread: a thread can be in a network of its own.
private actor NodeOpening {
    private nonisolated let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // Held by this actor as long as it lives.
        unsafe loop.asUnownedSerialExecutor()
    }

    init(loop: EventLoop) {
        self.loop = loop
    }

    func driver(_ options: NodeOptions) throws(MDNSError) -> sending NodeDriver {
        try NodeDriver(options)
    }
}
