import LinuxEventLoop
import LinuxNetworking
import MDNS
import ProcessSupport
import Testing

/// A network of its own with nothing but a loopback, and nodes on a loop in it.
actor PrivateNetwork {
    nonisolated let loop: EventLoop
    private var nodes: [MDNSNode] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private init() throws {
        loop = try EventLoop(name: "network")
    }

    /// Runs `body` in a new network whose loopback is up; its nodes are closed afterwards.
    static func with(_ body: (PrivateNetwork) async throws -> Void) async throws {
        let network = try PrivateNetwork()
        do {
            try await network.enter()
            try await body(network)
        } catch {
            await network.leave()
            throw error
        }
        await network.leave()
    }

    private func enter() async throws {
        try NetworkNamespace.enterNew()
        try await run("ip link set lo up")
    }

    private func leave() async {
        for node in nodes { await node.close() }
        nodes = []
        await loop.stop()
    }

    /// Runs a shell script in this network.
    func run(_ script: String) async throws {
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-e", "-c", script], limit: .seconds(20)), on: loop)
        try #require(outcome.status.isSuccess, "\(script): \(outcome.errorText)")
    }

    /// Starts a node that works on the loopback.
    func node(
        _ name: String, families: Set<AddressFamily> = [.ipv4],
        limitsAmplification: Bool = true
    ) async throws -> MDNSNode {
        let options = NodeOptions(
            interfaces: .named(["lo"]), families: families, hostName: .label(name),
            limitsAmplification: limitsAmplification)
        return try await node(options)
    }

    /// Starts a node.
    func node(_ options: NodeOptions) async throws -> MDNSNode {
        let node = try await MDNSNode(options, loop: loop)
        nodes.append(node)
        return node
    }

    /// Sends bytes from another program of this network to all nodes on it.
    func multicast(_ bytes: [UInt8]) throws {
        let socket = try DatagramSocket(.ipv4, port: 0, sharesPort: false)
        let result = socket.send(
            bytes.span, to: SocketAddress(.multicastDNS(.ipv4), port: 5353),
            on: InterfaceIndex(rawValue: 1), from: .v4(.loopback))
        try #require(result == .sent)
    }

    /// A socket of another program in this network that receives what is multicast there.
    func listen(_ family: AddressFamily, on index: InterfaceIndex) throws -> sending DatagramSocket
    {
        let group = IPAddress.multicastDNS(family)
        let socket = try DatagramSocket(family, port: 5353, sharesPort: true, address: group)
        try socket.join(group, on: index)
        return socket
    }

    /// A socket of another program in this network, on a port of its own, that has sent these
    /// bytes to the group.
    func ask(
        _ family: AddressFamily, _ bytes: [UInt8], on index: InterfaceIndex, from source: IPAddress
    ) throws -> sending DatagramSocket {
        let socket = try DatagramSocket(family)
        let scope = family == .ipv6 ? index : nil
        let result = socket.send(
            bytes.span, to: SocketAddress(.multicastDNS(family), port: 5353, scope: scope),
            on: index, from: source)
        try #require(result == .sent)
        return socket
    }

    /// How many sockets there are in this network, of any kind.
    func socketCount() throws -> Int {
        // "sockets: used 7"
        let bytes = try SystemFile.read("/proc/thread-self/net/sockstat")
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    /// A socket of another program in this network.
    func hold(_ port: UInt16, sharing: Bool) throws -> sending DatagramSocket {
        try DatagramSocket(.ipv4, port: port, sharesPort: sharing)
    }
}
