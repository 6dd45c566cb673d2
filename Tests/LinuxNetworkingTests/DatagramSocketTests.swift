import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import Testing

/// Owns a socket on a loop and hands on what it receives, as a node does.
private actor Receiver {
    private let loop: EventLoop
    private let socket: DatagramSocket
    private var received: [(DatagramInfo, [UInt8])] = []
    private var awaited = 0
    private var waiter: CheckedContinuation<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(_ loop: EventLoop, _ family: AddressFamily) async throws {
        self.loop = loop
        socket = try DatagramSocket(family, address: family.loopback)
        try attach()
    }

    private func attach() throws {
        try socket.attach(to: loop) { [weak self] readiness in
            self?.assumeIsolated { $0.take(readiness) }
        }
    }

    private func take(_ readiness: Readiness) {
        _ = try? socket.handle(readiness) { info, bytes in
            received.append((info, bytes.indices.map { bytes[$0] }))
        }
        wakeIfDone()
    }

    private func wakeIfDone() {
        guard received.count >= awaited, let waiter else { return }
        self.waiter = nil
        waiter.resume()
    }

    private func beginWaiting(_ continuation: CheckedContinuation<Void, Never>) {
        waiter = continuation
        wakeIfDone()
    }

    var address: SocketAddress { SocketAddress(socket.family.loopback, port: socket.port) }
    var statistics: SocketStatistics { socket.statistics }

    func send(_ bytes: [UInt8], to destination: SocketAddress) -> SendResult {
        socket.send(
            bytes.span, to: destination, on: InterfaceIndex(rawValue: 1),
            from: socket.family.loopback)
    }

    func waitFor(_ count: Int) async -> [(DatagramInfo, [UInt8])] {
        awaited = count
        await withCheckedContinuation { beginWaiting($0) }
        return received
    }
}

extension AddressFamily {
    fileprivate var loopback: IPAddress {
        self == .ipv4 ? .v4(.loopback) : .v6(.loopback)
    }
}

@Suite("Datagram sockets", .timeLimit(.minutes(5)))
struct DatagramSocketTests {
    /// The families that this machine's loopback speaks.
    static let families: [AddressFamily] = AddressFamily.allCases.filter { family in
        (try? DatagramSocket(family, address: family.loopback)) != nil
    }

    @Test(
        "A datagram arrives with its source, destination, interface and hop limit",
        arguments: families)
    func facts(_ family: AddressFamily) async throws {
        let loop = try EventLoop()
        let one = try await Receiver(loop, family)
        let two = try await Receiver(loop, family)
        #expect(await one.send([1, 2, 3], to: two.address) == .sent)
        let (info, bytes) = try #require(await two.waitFor(1).first)
        #expect(bytes == [1, 2, 3])
        #expect(info.source == (await one.address))
        #expect(info.destination == family.loopback)
        #expect(info.interface == InterfaceIndex(rawValue: 1))
        #expect(info.hopLimit == 255)
        #expect(!info.isMulticast)
        await loop.stop()
    }

    @Test("Datagrams arrive whole and in order, from none to the longest", arguments: families)
    func sizes(_ family: AddressFamily) async throws {
        let loop = try EventLoop()
        let one = try await Receiver(loop, family)
        let two = try await Receiver(loop, family)
        let sizes = [0, 1, 1472, 8952, 9000]
        for size in sizes {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            #expect(await one.send(bytes, to: two.address) == .sent)
        }
        let received = await two.waitFor(sizes.count)
        #expect(received.map(\.1.count) == sizes)
        #expect(received.last?.1.last == UInt8(truncatingIfNeeded: 8999))
        await loop.stop()
    }

    @Test("A datagram longer than any message may be is counted, not cut and handed on")
    func oversized() async throws {
        let loop = try EventLoop()
        let one = try await Receiver(loop, .ipv4)
        let two = try await Receiver(loop, .ipv4)
        #expect(await one.send([UInt8](repeating: 7, count: 9001), to: two.address) == .sent)
        #expect(await one.send([8], to: two.address) == .sent)
        #expect(await two.waitFor(1).map(\.1) == [[8]])
        #expect(await two.statistics.oversized == 1)
        #expect(await two.statistics.received == 1)
        await loop.stop()
    }

    @Test("A port that is held without sharing is told as that")
    func exclusivePort() throws {
        let holder = try DatagramSocket(.ipv4, address: .v4(.loopback))
        #expect(throws: SocketError.portHeldExclusively(holder.port)) {
            try DatagramSocket(.ipv4, port: holder.port, sharesPort: true)
        }
    }

    @Test("M15-1 a port is shared by all who share it", arguments: families)
    func sharedPort(_ family: AddressFamily) throws {
        let first = try DatagramSocket(family, sharesPort: true)
        let second = try DatagramSocket(family, port: first.port, sharesPort: true)
        #expect(second.port == first.port)
        #expect(throws: SocketError.portHeldExclusively(first.port)) {
            try DatagramSocket(family, port: first.port)
        }
    }

    @Test("One family does not take the other's port")
    func familiesApart() throws {
        try #require(Self.families.count == 2)
        let six = try DatagramSocket(.ipv6)
        let four = try DatagramSocket(.ipv4, port: six.port)
        #expect(four.port == six.port)
    }

    @Test("What the kernel refuses is a value with the reason")
    func refused() throws {
        let socket = try DatagramSocket(.ipv4)
        let bytes: [UInt8] = [1]
        // TEST-NET-1 by the loopback, and an interface that isn't there.
        let destination = SocketAddress(.v4(.loopback), port: socket.port)
        let foreign = socket.send(
            bytes.span, to: destination, on: InterfaceIndex(rawValue: 1),
            from: .v4(IPv4Address(192, 0, 2, 1)))
        #expect(foreign == .failed(.networkUnreachable) || foreign == .failed(.invalidArgument))
        let missing = socket.send(
            bytes.span, to: destination, on: InterfaceIndex(rawValue: 999_999), from: nil)
        #expect(missing == .failed(.noSuchDevice) || missing == .failed(.networkUnreachable))
        #expect(socket.statistics.sendErrors == 2)
        #expect(socket.statistics.sent == 0)
    }

    @Test("The end of a peer does not disturb the next datagrams")
    func peerGone() async throws {
        let loop = try EventLoop()
        let one = try await Receiver(loop, .ipv4)
        let two = try await Receiver(loop, .ipv4)
        let gone = try DatagramSocket(.ipv4, address: .v4(.loopback))
        let port = gone.port
        _ = consume gone
        // The kernel answers with an error that port is unreachable.
        _ = await one.send([1], to: SocketAddress(.v4(.loopback), port: port))
        #expect(await two.send([2], to: one.address) == .sent)
        #expect(await one.waitFor(1).map(\.1) == [[2]])
        await loop.stop()
    }

    @Test("Joining twice and leaving twice is harmless; an interface that isn't there is told")
    func memberships() throws {
        let socket = try DatagramSocket(.ipv4)
        let lo = InterfaceIndex(rawValue: 1)
        let group = IPAddress.v4(IPv4Address(239, 255, 7, 7))
        try socket.join(group, on: lo)
        try socket.join(group, on: lo)
        socket.leave(group, on: lo)
        socket.leave(group, on: lo)
        try socket.join(group, on: lo)
        let error = #expect(throws: SystemError.self) {
            try socket.join(group, on: InterfaceIndex(rawValue: 999_999))
        }
        #expect(error?.code == .noSuchDevice)
    }
}
