import LinuxNetworking
import NetworkPrimitives
import Testing

/// A socket on a group's address asks the kernel for errors (`IP_RECVERR`, `IPV6_RECVERR`).
@Suite(
    "Datagrams that are dropped below IP, in a network of their own", .timeLimit(.minutes(1)),
    .enabled(if: CurrentProcess.isAdministrator, "network namespaces need root"))
struct DroppedDatagramTests {
    private let cable = """
        ip link add d0 type veth peer name d0p
        echo 0 > /proc/sys/net/ipv6/conf/d0/accept_dad
        ip link set d0p up
        ip link set d0 up
        ip addr add 10.9.0.1/24 dev d0

        """
    private let queue = "tc qdisc add dev d0 root tbf rate 8bit burst 10 limit 10"

    /// A socket that is bound to the group's address, and a member on `d0`.
    private func groupSocket(
        _ cell: NetworkCell, _ family: AddressFamily
    ) async throws -> (socket: Int, interface: InterfaceIndex) {
        let d0 = try await cell.index("d0")
        let socket = try await cell.open(
            family, sharesPort: true, address: .multicastDNS(family))
        try await cell.join(socket, .multicastDNS(family), d0)
        return (socket, d0)
    }

    @Test(
        "What the device's queue drops is told to a socket on the group, and not as sent",
        arguments: AddressFamily.allCases)
    func dropped(_ family: AddressFamily) async throws {
        try await NetworkCell.with { cell in
            try await cell.run(cable + queue)
            let (socket, d0) = try await groupSocket(cell, family)
            let group = IPAddress.multicastDNS(family)
            for _ in 0..<3 {
                let result = await cell.send(
                    socket, [1], to: group, port: cell.port(socket), on: d0)
                #expect(result == .failed(.noBufferSpace))
            }
            #expect(await cell.statistics(socket).sendErrors == 3)
            #expect(await cell.statistics(socket).sent == 0)
            try await cell.run("tc qdisc del dev d0 root")
            let later = await cell.send(socket, [2], to: group, port: cell.port(socket), on: d0)
            #expect(later == .sent)
        }
    }

    @Test(
        "An error that the kernel queues is taken out of its queue: the loop is not woken for ever",
        arguments: AddressFamily.allCases)
    func queuedErrors(_ family: AddressFamily) async throws {
        try await NetworkCell.with { cell in
            try await cell.run(cable)
            let (socket, d0) = try await groupSocket(cell, family)
            let group = IPAddress.multicastDNS(family)
            let port = await cell.port(socket)
            // Longer than a datagram can be, and short enough to come that far.
            let tooLong = [UInt8](repeating: 0, count: family == .ipv4 ? 65_520 : 65_600)
            for _ in 0..<3 {
                let refused = await cell.send(socket, tooLong, to: group, port: port, on: d0)
                #expect(refused == .failed(.messageTooLong))
            }
            await cell.wait { $0.readinesses[0].contains { $0.contains(.failed) } }
            for byte in 1...3 as ClosedRange<UInt8> {
                #expect(await cell.send(socket, [byte], to: group, port: port, on: d0) == .sent)
                await cell.wait { $0.received[0].count >= Int(byte) }
            }
            #expect(await cell.bytes(socket) == [[1], [2], [3]])
            let readinesses = await cell.readinesses[0]
            #expect(readinesses.last?.contains(.failed) == false)
            #expect(readinesses.count { $0.contains(.failed) } <= 3)
            #expect(await cell.statistics(socket).receiveErrors <= 3)
        }
    }

    @Test(
        "A unicast datagram that nobody takes does not fail a later one to the group",
        arguments: AddressFamily.allCases)
    func refusedUnicast(_ family: AddressFamily) async throws {
        try await NetworkCell.with { cell in
            try await cell.run(cable)
            let (socket, d0) = try await groupSocket(cell, family)
            let group = IPAddress.multicastDNS(family)
            let port = await cell.port(socket)
            let own = try #require(
                await cell.allInterfaces().first { $0.index == d0 }?.addresses
                    .first { $0.address.family == family }
            ).address
            for number in 0..<3 as Range<UInt8> {
                // The kernel answers at once that nobody is on that port.
                let unicast = await cell.send(
                    socket, [9], to: own, port: 9, on: d0, from: own)
                #expect(unicast == .sent)
                #expect(await cell.send(socket, [number], to: group, port: port, on: d0) == .sent)
            }
            await cell.wait { $0.received[0].count >= 3 }
            #expect(await cell.bytes(socket) == [[0], [1], [2]])
            #expect(await cell.statistics(socket).sendErrors == 0)
        }
    }
}
