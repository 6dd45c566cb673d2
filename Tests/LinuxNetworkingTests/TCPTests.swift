import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import ProcessSupport
import TestSupport
import Testing

/// Listeners and connections on a loop, by numbers.
private actor TCPCell {
    let loop: EventLoop
    private var listeners: [TCPListener] = []
    private var connections: [TCPConnection] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init() throws { loop = try EventLoop(name: "tcp") }

    static func with(_ body: (TCPCell) async throws -> Void) async throws {
        let cell = try TCPCell()
        do {
            try await body(cell)
        } catch {
            await cell.loop.stop()
            throw error
        }
        await cell.loop.stop()
    }

    func enterNetwork(_ script: String) async throws {
        try NetworkNamespace.enterNew()
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-e", "-c", script], limit: .seconds(20)), on: loop)
        try #require(outcome.status.isSuccess, "\(script): \(outcome.errorText)")
    }

    func index(_ name: String) throws -> InterfaceIndex {
        try #require(try InterfaceMonitor.snapshot().first { $0.name == name }).index
    }

    func listen(
        _ address: IPAddress, port: UInt16 = 0, on scope: InterfaceIndex? = nil
    ) throws
        -> SocketAddress
    {
        let listener = try TCPListener(
            address.family, port: port, address: SocketAddress(address, port: 0, scope: scope))
        listeners.append(listener)
        return SocketAddress(address, port: listener.address.port, scope: scope)
    }

    func closeListeners() { listeners = [] }

    func connect(to address: SocketAddress) async throws -> Int {
        let connection = try TCPConnection(to: address)
        connections.append(connection)
        while try !connection.finishConnecting() {
            try await loop.ready(connection.number, .writable)
        }
        return connections.count - 1
    }

    func accept(_ listener: Int = 0) async throws -> Int {
        while true {
            if let connection = try listeners[listener].accept() {
                connections.append(connection)
                return connections.count - 1
            }
            try await loop.ready(listeners[listener].number, .readable)
        }
    }

    func hasWaiting(_ listener: Int) throws -> Bool { try listeners[listener].accept() != nil }

    func write(_ bytes: [UInt8], to number: Int) throws -> Int? {
        try connections[number].write(bytes.span)
    }

    func read(_ number: Int, _ limit: Int = 100) async throws -> [UInt8] {
        while true {
            if let bytes = try connections[number].read(upTo: limit) { return bytes }
            try await loop.ready(connections[number].number, .readable)
        }
    }

    func finish(_ number: Int) { connections[number].finishWriting() }
    func remote(_ number: Int) -> SocketAddress { connections[number].remote }
    func local(_ number: Int) -> SocketAddress? { connections[number].local }
    func flags(_ number: Int) throws -> String {
        let path = "/proc/self/fdinfo/\(connections[number].number)"
        return String(decoding: try SystemFile.read(path), as: UTF8.self)
    }
}

@Suite("TCP", .timeLimit(.minutes(10)))
struct TCPTests {
    private static let loopbacks: [IPAddress] = [.v4(.loopback), .v6(.loopback)]

    @Test("Bytes and the end go both ways", arguments: loopbacks)
    func exchanges(_ address: IPAddress) async throws {
        try await TCPCell.with { cell in
            let place = try await cell.listen(address)
            #expect(place.port != 0)
            let client = try await cell.connect(to: place)
            let server = try await cell.accept()
            #expect(await cell.remote(client) == place)
            #expect(await cell.local(client) == cell.remote(server))
            #expect(try await cell.write([1, 2, 3], to: client) == 3)
            #expect(try await cell.read(server) == [1, 2, 3])
            await cell.finish(client)
            #expect(try await cell.read(server) == [])
            // One direction is closed, the other goes on.
            #expect(try await cell.write([4], to: server) == 1)
            #expect(try await cell.read(client) == [4])
            // O_CLOEXEC is 02000000, O_NONBLOCK 04000: both on both ends.
            for end in [client, server] {
                #expect(try await cell.flags(end).contains("flags:\t02004002"))
            }
        }
    }

    @Test("A listener without connections waits for none")
    func nobodyWaits() async throws {
        try await TCPCell.with { cell in
            _ = try await cell.listen(.v4(.loopback))
            #expect(try await !cell.hasWaiting(0))
        }
    }

    @Test("A port where nobody listens is refused", arguments: loopbacks)
    func refused(_ address: IPAddress) async throws {
        try await TCPCell.with { cell in
            let place = try await cell.listen(address)
            await cell.closeListeners()
            let error = await #expect(throws: SystemError.self) {
                _ = try await cell.connect(to: place)
            }
            #expect(error?.code == .connectionRefused)
            #expect(error?.subject == "\(place)")
        }
    }

    @Test("A port that another listens on is taken", arguments: loopbacks)
    func taken(_ address: IPAddress) async throws {
        try await TCPCell.with { cell in
            let place = try await cell.listen(address)
            let error = await #expect(throws: SystemError.self) {
                _ = try await cell.listen(address, port: place.port)
            }
            #expect(error?.code == .addressInUse)
        }
    }

    @Test("The families have ports of their own")
    func bothFamilies() async throws {
        try await TCPCell.with { cell in
            let four = try await cell.listen(.v4(.unspecified))
            let six = try await cell.listen(.v6(.unspecified), port: four.port)
            #expect(four.port == six.port)
        }
    }

    @Test("A port is free again though connections to it were closed just now")
    func reused() async throws {
        try await TCPCell.with { cell in
            let place = try await cell.listen(.v4(.loopback))
            let client = try await cell.connect(to: place)
            let server = try await cell.accept()
            // The side that closes first keeps the port for a minute.
            await cell.finish(server)
            #expect(try await cell.read(client) == [])
            await cell.finish(client)
            #expect(try await cell.read(server) == [])
            await cell.closeListeners()
            #expect(try await cell.listen(.v4(.loopback), port: place.port) == place)
        }
    }

    @Test("Writing to a connection that the other side has reset is an error, no signal")
    func brokenPipe() async throws {
        try await TCPCell.with { cell in
            let place = try await cell.listen(.v4(.loopback))
            let client = try await cell.connect(to: place)
            await cell.closeListeners()
            // It was never accepted, so the kernel has reset it.
            let error = await #expect(throws: SystemError.self) {
                _ = try await cell.read(client)
                _ = try await cell.write([1], to: client)
                _ = try await cell.write([1], to: client)
            }
            #expect(error?.code == .connectionReset || error?.code == .brokenPipe)
        }
    }

    @Test("A link-local address of IPv6 is reached on its interface", .makesNetworks)
    func scoped() async throws {
        try await TCPCell.with { cell in
            try await cell.enterNetwork(
                """
                ip link set lo up
                ip link add one type veth peer name one-end
                ip link add two type veth peer name two-end
                for name in one two; do
                    ip link set $name addrgenmode none
                    ip link set $name up
                    ip link set $name-end up
                    ip addr add fe80::7/64 dev $name nodad
                done
                """)
            for name in ["one", "two"] {
                let index = try await cell.index(name)
                let address = try #require(IPAddress("fe80::7"))
                let place = try await cell.listen(address, on: index)
                let client = try await cell.connect(to: place)
                let server = try await cell.accept(name == "one" ? 0 : 1)
                #expect(await cell.remote(server).scope == index)
                #expect(await cell.remote(client) == place)
            }
            // The other interface's listener is not meant.
            let one = try await cell.index("one")
            let two = try await cell.index("two")
            let address = try #require(IPAddress("fe80::7"))
            let place = try await cell.listen(address, on: one)
            let error = await #expect(throws: SystemError.self) {
                _ = try await cell.connect(
                    to: SocketAddress(address, port: place.port, scope: two))
            }
            #expect(error?.code == .connectionRefused)
        }
    }

    @Test("Without a route nothing is begun", .makesNetworks)
    func withoutRoute() async throws {
        try await TCPCell.with { cell in
            try await cell.enterNetwork("ip link set lo up")
            for text in ["192.0.2.1", "2001:db8::1"] {
                let address = try #require(IPAddress(text))
                let error = await #expect(throws: SystemError.self) {
                    _ = try await cell.connect(to: SocketAddress(address, port: 9))
                }
                #expect(error?.code == .networkUnreachable || error?.code == .addressNotAvailable)
            }
        }
    }
}
