import DNSMessages
import LinuxNetworking
import NetworkPrimitives
import TestSupport
import Testing

@testable import MDNS

/// What is offered on one interface is never advertised with an address of another one.
@Suite("Addresses of interfaces", .makesNetworks, .timeLimit(.minutes(5)))
struct InterfaceAddressTests {
    private static let cables = """
        for n in 0 1; do
            ip link add name lan$n index 1$n type veth peer name far$n
            ip link set far$n addrgenmode none
            ip addr add 10.77.$n.1/24 dev lan$n
            ip addr add 2001:db8:$n::1/64 dev lan$n nodad
            ip link set far$n up
            ip link set lan$n up
        done
        ip link add br0 index 20 type bridge
        ip addr add 172.17.0.1/16 dev br0
        ip link set far1 master br0
        ip link set br0 up
        """

    private static let selections: [InterfaceSelection] = [
        .all, .named(["lan0"]), .named(["lan1"]), .index(InterfaceIndex(rawValue: 20)),
        .named(["lan*"]),
    ]

    /// The address records of a message.
    private func addresses(_ message: Message) -> [IPAddress] {
        (message.answers + message.authorities + message.additionals).compactMap { record in
            switch record.data {
            case .a(let address): .v4(address)
            case .aaaa(let address): .v6(address)
            default: nil
            }
        }
    }

    /// Whether a message says anything of the service.
    private func concerns(_ name: DomainName, _ message: Message) -> Bool {
        (message.answers + message.authorities + message.additionals).contains { $0.name == name }
            || message.questions.contains { $0.name == name }
    }

    @Test(
        "M14-3 a registration is advertised with its interface's own addresses, and nowhere else",
        arguments: selections)
    func ownAddresses(_ selection: InterfaceSelection) async throws {
        try await PrivateNetwork.with { network in
            try await network.run(Self.cables)
            let node = try await network.node(NodeOptions(hostName: .label("node-one")))
            let type = try ServiceType("_vicinity-test._tcp")
            let packets = try await node.watchPackets()
            let registration = try await node.register(
                ServiceDescription(name: "Bound", type: type, port: 4711, interfaces: selection))
            let name = try await registration.established()
            // An address that comes later is announced, on its interface.
            try await network.run("ip addr add 10.77.0.9/24 dev lan0")
            let later = IPAddress.v4(IPv4Address(10, 77, 0, 9))
            while !(await hasAddress(later, node)) { await Task.yield() }
            _ = try await node.resolve(ServiceInstanceName("Bound", type: type))
            await registration.withdraw()
            let interfaces = await node.interfaces
            let sent = await sent(packets)
            let advertised = try check(sent, name, selection, among: interfaces)
            let expected = interfaces.filter { selection.contains($0) }.map { $0.name }
            #expect(advertised == Set(expected))
            #expect(!expected.isEmpty)
        }
    }

    private func hasAddress(_ address: IPAddress, _ node: MDNSNode) async -> Bool {
        await node.interfaces.contains { $0.owns(address) }
    }

    /// What was sent so far.
    private func sent(_ packets: PacketEvents) async -> [PacketEvent] {
        packets.end(after: .zero)
        var sent: [PacketEvent] = []
        for await packet in packets where packet.direction == .sent { sent.append(packet) }
        return sent
    }

    /// Checks each packet, and gives the interfaces that the service was advertised on.
    private func check(
        _ packets: [PacketEvent], _ name: DomainName, _ selection: InterfaceSelection,
        among interfaces: [NetworkInterface]
    ) throws -> Set<String> {
        var advertised: Set<String> = []
        for packet in packets {
            let message = try Message.decode(packet.payload.span).message
            let interface = try #require(interfaces.first { $0.index == packet.interface })
            for address in addresses(message) {
                #expect(interface.owns(address), "\(address) on \(interface.name)")
            }
            guard concerns(name, message), message.header.isResponse else { continue }
            #expect(selection.contains(interface), "\(interface.name)")
            advertised.insert(interface.name)
        }
        return advertised
    }
}
