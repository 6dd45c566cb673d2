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

    @Test("All but the loopback, unless it is named; none that is down")
    func wanted() {
        let loopback = interface("lo", 1, [.up, .running, .loopback])
        let down = interface("eth1", 3, [.multicast])
        #expect(InterfaceTable.isWanted(interface("eth0", 2), by: .all))
        #expect(!InterfaceTable.isWanted(loopback, by: .all))
        #expect(InterfaceTable.isWanted(loopback, by: .named(["lo"])))
        #expect(!InterfaceTable.isWanted(down, by: .named(["eth*"])))
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
