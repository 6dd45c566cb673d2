public import DNSMessages
import DNSSD
public import LinuxDiscovery
package import LinuxEventLoop
import LinuxNetworking
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

    var node: DiscoveryNode
    var operations: [OperationID: Operation] = [:]
    var packetWatchers: [Int: PacketWatcher] = [:]
    var nextPacketWatcher = 0
    var statusWatchers = StatusWatchers()
    /// Registrations that were ended by a conflict, as long as somebody holds a handle to them.
    var conflicts: [OperationID: RegistrationStatus] = [:]
    var flush = FlushState()
    private var timer: DeadlineTimer?
    /// Whether it has been closed.
    public var isClosed: Bool { node.isClosed }

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
        node = try await NodeOpening(loop: loop).node(options)
        // All is set, so from here on this runs on the loop.
        try begin()
        settle()
    }

    isolated deinit {
        shutDown()
        node.close()
    }

    /// Says goodbye for everything that is offered, ends all event sequences, and closes the
    /// sockets. Closing twice does nothing more.
    ///
    /// - Returns: When the goodbyes are in the kernel's hands, or a second has gone by in which
    ///   it did not take them: `failed` says why, also of the goodbyes of registrations whose
    ///   handle was dropped. It does so also when the task is cancelled.
    @discardableResult
    public func close() async -> GoodbyeDelivery {
        let unsentCount = flush.unsentBefore ?? node.unsentCount
        flush.unsentBefore = unsentCount
        if !isClosed { shutDown() }
        let delivery = await delivery(since: unsentCount)
        node.close()
        return delivery
    }

    func checkOpen() throws(MDNSError) {
        try node.checkOpen()
    }

    // MARK: The loop

    private func begin() throws(MDNSError) {
        timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.deadlineIsDue() }
        }
        try node.begin { [weak self, loop] source, number throws(SystemError) in
            let watch = try loop.watch(number: number, for: .readable) { [weak self] readiness in
                self?.assumeIsolated { $0.isReady(source, readiness) }
            }
            return { try? watch.setInterest($0) }
        }
    }

    private func deadlineIsDue() {
        node.advance()
        settle()
    }

    private func isReady(_ source: NodeSource, _ readiness: Readiness) {
        node.isReady(source, readiness)
        resumeFlushWaiters()
        settle()
    }

    /// What is due after every call into the node: its events go out, its deadline is set.
    func settle() {
        guard !isClosed else { return }
        drain()
        timer?.setDeadline(node.nextDeadline())
        statusWatchers.publish { node.knownStatus }
    }

    private func drain() {
        while let packet = node.nextPacket() { show(packet) }
        while let (id, event) = node.nextEvent() { deliver(event, to: id) }
    }

    private func shutDown() {
        guard !isClosed else { return }
        node.shutDown()
        drain()
        timer?.cancel()
        timer = nil
        for operation in operations.values { operation.finish() }
        operations = [:]
        for watcher in packetWatchers.values { watcher.mailbox.finish() }
        packetWatchers = [:]
        statusWatchers.finish()
    }

    // MARK: Facts

    /// This host's name, as it is or would be published: it changes if another host has it.
    public var hostName: DomainName { node.hostName }

    /// How the node stands with the system: what is bound, joined, refused.
    public func status() -> NodeStatus { node.status() }

    /// The interfaces that the node works on now.
    public var interfaces: [NetworkInterface] { node.interfaces }

    /// How many operations run.
    package var runningOperations: Int { operations.count }

    /// When the node has something to do by itself; `nil` when never.
    package var nextDeadline: Instant? { node.discoveryDeadline }

    /// The interface's name as it is now, or as it was last for one that has gone; `if7` for one
    /// that never was.
    ///
    /// - Parameter index: The kernel's number of the interface.
    public func interfaceName(of index: InterfaceIndex) -> String {
        node.interfaceName(of: index)
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

    func node(_ options: NodeOptions) throws(MDNSError) -> sending DiscoveryNode {
        try DiscoveryNode(options)
    }
}
