import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import ProcessSupport
import Testing

/// A network of its own, with sockets and a monitor on a loop in it.
actor NetworkCell {
    let loop: EventLoop
    private var sockets: [DatagramSocket] = []
    private(set) var received: [[(info: DatagramInfo, bytes: [UInt8])]] = []
    private var monitorWatch: MonitorWatch?
    private var monitors: [InterfaceMonitor] = []
    private(set) var snapshots: [[NetworkInterface]] = []
    private var condition: (@Sendable (isolated NetworkCell) -> Bool)?
    private var waiter: CheckedContinuation<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init() throws {
        loop = try EventLoop(name: "cell")
    }

    /// Runs `body` in a new network whose loopback is up.
    static func with(_ body: (NetworkCell) async throws -> Void) async throws {
        let cell = try NetworkCell()
        do {
            try await cell.enter()
            try await body(cell)
        } catch {
            await cell.loop.stop()
            throw error
        }
        await cell.loop.stop()
    }

    private func enter() async throws {
        try NetworkNamespace.enterNew()
        try await run("ip link set lo up")
    }

    /// Runs a shell script in this network.
    func run(_ script: String) async throws {
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-e", "-c", script], limit: .seconds(20)), on: loop)
        try #require(outcome.status.isSuccess, "\(script): \(outcome.errorText)")
    }

    /// Opens a socket; the number stands for it from then on.
    func open(
        _ family: AddressFamily, port: UInt16 = 0, sharesPort: Bool = false
    ) throws -> Int {
        let socket = try DatagramSocket(family, port: port, sharesPort: sharesPort)
        let index = sockets.count
        try socket.attach(to: loop) { [weak self] readiness in
            self?.assumeIsolated { $0.take(readiness, index) }
        }
        sockets.append(socket)
        received.append([])
        return index
    }

    private func take(_ readiness: Readiness, _ index: Int) {
        _ = try? sockets[index].handle(readiness) { info, bytes in
            received[index].append((info, bytes.indices.map { bytes[$0] }))
        }
        checkCondition()
    }

    func port(_ socket: Int) -> UInt16 { sockets[socket].port }
    func statistics(_ socket: Int) -> SocketStatistics { sockets[socket].statistics }
    func sources(_ socket: Int) -> [SocketAddress] { received[socket].map(\.info.source) }
    func interfaces(_ socket: Int) -> [InterfaceIndex] { received[socket].map(\.info.interface) }
    func bytes(_ socket: Int) -> [[UInt8]] { received[socket].map(\.bytes) }
    func infos(_ socket: Int) -> [DatagramInfo] { received[socket].map(\.info) }

    func join(_ socket: Int, _ group: IPAddress, _ interface: InterfaceIndex) throws {
        try sockets[socket].join(group, on: interface)
    }

    func leave(_ socket: Int, _ group: IPAddress, _ interface: InterfaceIndex) {
        sockets[socket].leave(group, on: interface)
    }

    func send(
        _ socket: Int, _ bytes: [UInt8], to address: IPAddress, port: UInt16,
        on interface: InterfaceIndex?, from source: IPAddress? = nil
    ) -> SendResult {
        sockets[socket].send(
            bytes.span, to: SocketAddress(address, port: port), on: interface, from: source)
    }

    /// Sends datagrams one right after the other, to the socket's own port.
    func send(
        _ socket: Int, all datagrams: [[UInt8]], to address: IPAddress, on interface: InterfaceIndex
    ) -> [SendResult] {
        datagrams.map {
            send(socket, $0, to: address, port: sockets[socket].port, on: interface)
        }
    }

    /// Starts the monitor; its snapshots are collected from now on, the first one included.
    func monitorInterfaces(refusal: SystemError? = nil) throws {
        let monitor = try InterfaceMonitor(refusal: refusal)
        monitorWatch = try MonitorWatch(monitor, on: loop) { [weak self] in
            self?.assumeIsolated { $0.takeSnapshots() }
        }
        snapshots.append(monitor.interfaces)
    }

    /// The interface of that name in the last snapshot.
    func latest(_ name: String) -> NetworkInterface? {
        snapshots.last?.first { $0.name == name }
    }

    /// Makes a monitor that nobody calls but `update`; the number stands for it.
    func makeMonitor() throws -> Int {
        monitors.append(try InterfaceMonitor())
        return monitors.count - 1
    }

    func update(_ monitor: Int) throws -> [[NetworkInterface]] {
        try monitors[monitor].update()
    }

    private func takeSnapshots() {
        snapshots += (try? monitorWatch?.update()) ?? []
        checkCondition()
    }

    /// The index of an interface.
    func index(_ name: String) throws -> InterfaceIndex {
        try #require(try allInterfaces().first { $0.name == name }).index
    }

    func interfacesWithoutNetlink() throws -> [NetworkInterface] {
        try InterfaceMonitor(refusal: SystemError("socket", .notPermitted)).interfaces
    }

    func details(refusal: SystemError? = nil) throws -> [InterfaceDetails] {
        try InterfaceDetails.snapshot(refusal: refusal).interfaces
    }

    func allInterfaces() throws -> [NetworkInterface] {
        try InterfaceMonitor.snapshot()
    }

    /// Waits until something holds, which is asked after each event.
    func wait(until condition: @escaping @Sendable (isolated NetworkCell) -> Bool) async {
        self.condition = condition
        await withCheckedContinuation { beginWaiting($0) }
    }

    private func beginWaiting(_ continuation: CheckedContinuation<Void, Never>) {
        waiter = continuation
        checkCondition()
    }

    private func checkCondition() {
        guard let waiter, let condition, condition(self) else { return }
        self.condition = nil
        self.waiter = nil
        waiter.resume()
    }
}

extension DatagramSocket {
    /// Has the loop call `onReady` when there is something to do, as a node does.
    func attach(to loop: EventLoop, onReady: @escaping @Sendable (Readiness) -> Void) throws {
        let watch = try loop.watch(number: number, for: interest, onReady: onReady)
        onInterest = { try? watch.setInterest($0) }
    }
}
