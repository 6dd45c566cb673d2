import LinuxNetworking
import MulticastDNS
import NetworkPrimitives
import Testing

@testable import MDNS

@Suite("The interfaces that a node works on")
struct InterfaceTableTests {
    private func interface(
        _ name: String, _ index: UInt32,
        _ flags: NetworkInterface.Flags = [.up, .running, .multicast],
        _ addresses: [(String, Int)] = [("192.0.2.1", 24)]
    ) -> NetworkInterface {
        NetworkInterface(
            name: name, index: InterfaceIndex(rawValue: index), flags: flags,
            addresses: addresses.compactMap { text, length in
                IPAddress(text).map { .init(NetworkPrefix($0, length: length)) }
            })
    }

    @Test(
        "The table and the engine use the same interfaces",
        arguments: [
            InterfaceSelection.all, .named(["lo"]), .named(["wg0"]), .named(["*"]),
            .index(InterfaceIndex(rawValue: 5)),
        ])
    func policy(selection: InterfaceSelection) {
        let interfaces = [
            interface("lo", 1, [.up, .running, .loopback], [("127.0.0.1", 8)]),
            interface("eth0", 2), interface("eth1", 3, [.multicast]),
            interface("tun0", 4, [.up, .running]),
            interface("wg0", 5, [.up, .running, .multicast, .pointToPoint]),
            interface("six", 6, [.up, .running, .multicast], [("fe80::1", 64)]),
            interface("none", 7, [.up, .running, .multicast], []),
        ]
        var table = InterfaceTable(selection)
        _ = table.update(interfaces, families: [.ipv4])
        var engine = Engine(
            configuration: Configuration(interfaces: selection, families: [.ipv4]),
            generator: SeededGenerator(seed: 1))
        engine.update(interfaces: interfaces, at: .zero)
        let used = table.used.map(\.name)
        #expect(used == engine.activeInterfaces.map(\.name))
        let expected: [String] =
            switch selection {
            case .all: ["eth0"]
            case .named(["lo"]): ["lo"]
            case .named(["*"]): ["lo", "eth0", "wg0"]
            default: ["wg0"]
            }
        #expect(used == expected)
        #expect(InterfaceTable.obstacle(selection, [.ipv4], among: interfaces) == nil)
    }

    @Test("A point-to-point line alone is an obstacle that is named")
    func lineAlone() throws {
        let line = interface("wg0", 5, [.up, .running, .multicast, .pointToPoint])
        let text = try #require(InterfaceTable.obstacle(.all, [.ipv4], among: [line]))
        #expect(text.contains("wg0 is a point-to-point line, used only when named"))
    }

    @Test("Sending is blocked when nothing left, or for long; one family that works is enough")
    func sendState() throws {
        let ethernet = interface(
            "eth0", 2, [.up, .running, .multicast], [("192.0.2.1", 24), ("fe80::1", 64)])
        var table = InterfaceTable(.all)
        _ = table.update([ethernet], families: [.ipv4, .ipv6])
        #expect(table.sendState(on: .all) == .untried)
        let isNews = table.noteFailure(.notPermitted, .ipv4, on: ethernet.index)
        #expect(!isNews)
        guard case .blocked(let failure) = table.sendState(on: .named(["eth*"])) else {
            Issue.record("not blocked")
            return
        }
        #expect(failure.errorNumber == SystemError.Code.notPermitted.rawValue)
        #expect(failure.description.contains("sending on eth0 over IPv4 fails"))
        #expect(table.sendState(on: .named(["eth1"])) == .untried)
        let works = table.noteSent(.ipv6, on: ethernet.index)
        #expect(works)
        #expect(table.sendState(on: .all) == .working)
        var changes = 0
        for _ in 0..<4 where table.noteFailure(nil, .ipv6, on: ethernet.index) { changes += 1 }
        #expect(changes == 1)
        #expect(table.sendState(on: .all) != .working)
        // Another link, perhaps: what is known of the old one holds no longer.
        _ = table.update([], families: [.ipv4])
        _ = table.update([ethernet], families: [.ipv4])
        #expect(table.sendState(on: .all) == .untried)
    }

    @Test("A refused membership is tried again, one that is there is left alone")
    func memberships() {
        var table = InterfaceTable(.all)
        let ethernet = interface("eth0", 2, [.up, .running, .multicast], [("192.0.2.1", 24)])
        let join = InterfaceTable.Change.join(.ipv4, ethernet.index)
        #expect(table.update([ethernet], families: [.ipv4, .ipv6]) == [join])
        table.note(.refused("no room"), .ipv4, ethernet.index)
        #expect(table.update([ethernet], families: [.ipv4, .ipv6]) == [join])
        table.note(.joined, .ipv4, ethernet.index)
        #expect(table.update([ethernet], families: [.ipv4, .ipv6]) == [])
        #expect(table.update([], families: [.ipv4]) == [.forget(ethernet.index)])
        #expect(table.update([ethernet], families: [.ipv4]) == [join])
        #expect(table.name(of: ethernet.index) == "eth0")
        var renamed = ethernet
        renamed.name = "lan0"
        _ = table.update([renamed], families: [.ipv4])
        #expect(table.name(of: ethernet.index) == "lan0")
        #expect(table.name(of: InterfaceIndex(rawValue: 9)) == "if9")
    }

    @Test(
        "A datagram leaves with an address that its receivers can answer to",
        arguments: [
            ("224.0.0.251", "192.0.2.1"), ("198.51.100.9", "198.51.100.1"),
            ("ff02::fb", "fe80::1"), ("2001:db8::9", "2001:db8::1"),
        ])
    func sources(destination: String, source: String) throws {
        var table = InterfaceTable(.all)
        let ethernet = interface(
            "eth0", 2, [.up, .running, .multicast],
            [("192.0.2.1", 24), ("198.51.100.1", 24), ("2001:db8::1", 64), ("fe80::1", 64)])
        _ = table.update([ethernet], families: [.ipv4, .ipv6])
        let address = try #require(IPAddress(destination))
        #expect(table.source(for: address, on: ethernet.index) == IPAddress(source))
    }

    @Test("What is in the way is said for each interface")
    func obstacles() throws {
        let down = interface("eth1", 3, [.multicast])
        let deaf = interface("tun0", 4, [.up, .running])
        let text = try #require(
            InterfaceTable.obstacle(.all, [.ipv4], among: [down, deaf]))
        #expect(text.contains("eth1 is down") && text.contains("tun0 can't multicast"))
        #expect(InterfaceTable.obstacle(.all, [.ipv4], among: [interface("eth0", 2)]) == nil)
        #expect(InterfaceTable.obstacle(.all, [.ipv6], among: [interface("eth0", 2)]) != nil)
    }
}
