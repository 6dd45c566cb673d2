import DNSSD
import LinuxNetworking
import MulticastDNS
import NetworkPrimitives
import Testing

@testable import LinuxDiscovery

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

    private let both = [("192.0.2.1", 24), ("fe80::1", 64)]

    /// The failures of what can be found on some interface; `nil` if it can't.
    private func failures(
        _ table: InterfaceTable, on selection: InterfaceSelection = .all
    ) -> [InterfaceFailure]? {
        guard case .reachable(let failures) = table.reachability(on: selection) else { return nil }
        return failures
    }

    @Test("Sending is blocked when nothing left, or for long; one family that works is a limit")
    func blocked() throws {
        let ethernet = interface("eth0", 2, [.up, .running, .multicast], both)
        let refused = TrafficHistory.SendError.refused(.notPermitted)
        var table = InterfaceTable(.all)
        _ = table.update([ethernet], families: [.ipv4, .ipv6])
        #expect(table.reachability(on: .all) == .untried)
        let isBlockedNow = table.noteFailure(refused, .ipv4, on: ethernet.index)
        #expect(isBlockedNow)
        guard case .blocked(let failure) = table.reachability(on: .named(["eth*"])) else {
            Issue.record("not blocked")
            return
        }
        #expect(failure.errorNumber == SystemError.Code.notPermitted.rawValue)
        #expect(failure.description.contains("sending on eth0 over IPv4 fails"))
        #expect(table.reachability(on: .named(["eth1"])) == .untried)
        let works = table.noteSent(.ipv6, on: ethernet.index, isMulticast: true, at: .zero)
        #expect(works)
        #expect(failures(table) == [failure])
        var changes = 0
        for _ in 0..<4 where table.noteFailure(refused, .ipv6, on: ethernet.index) { changes += 1 }
        #expect(changes == 1)
        guard case .blocked(let all) = table.reachability(on: .all) else {
            Issue.record("not blocked")
            return
        }
        // One reason, one failure.
        #expect(all.families == [.ipv4, .ipv6])
        #expect(all.description.contains("over IPv4 and IPv6 fails"))
        // Another link, perhaps: what is known of the old one holds no longer.
        _ = table.update([], families: [.ipv4])
        _ = table.update([ethernet], families: [.ipv4])
        #expect(table.reachability(on: .all) == .untried)
    }

    @Test("Each of two interfaces, and each family, is a limit of its own", arguments: [2, 3])
    func limits(_ number: UInt32) throws {
        let pair = [interface("eth0", 2), interface("eth1", 3)].map {
            interface($0.name, $0.index.rawValue, $0.flags, both)
        }
        let bad = InterfaceIndex(rawValue: number)
        var table = InterfaceTable(.all)
        _ = table.update(pair, families: [.ipv4, .ipv6])
        for family in AddressFamily.allCases {
            for index in pair.map({ $0.index }) where index != bad {
                _ = table.noteSent(family, on: index, isMulticast: false, at: .zero)
            }
        }
        #expect(failures(table) == [])
        _ = table.noteFailure(.queueFull, .ipv6, on: bad)
        #expect(failures(table)?.map { $0.interface } == [bad])
        #expect(failures(table)?.map { $0.families } == [[.ipv6]])
        _ = table.noteFailure(.refused(.networkUnreachable), .ipv4, on: bad)
        #expect(failures(table)?.map { $0.families } == [[.ipv4], [.ipv6]])
        #expect(failures(table, on: .index(InterfaceIndex(rawValue: 5 - number))) == [])
        #expect(table.faults.map { $0.0 } == [bad, bad])
        let sendsIPv4 = table.noteSent(.ipv4, on: bad, isMulticast: false, at: .zero)
        #expect(sendsIPv4)
        let sendsIPv6 = table.noteSent(.ipv6, on: bad, isMulticast: false, at: .zero)
        #expect(sendsIPv6)
        #expect(failures(table) == [])
    }

    @Test(
        "Own multicasts that don't come back are told once three were sent, and till one comes",
        arguments: AddressFamily.allCases)
    func silence(_ family: AddressFamily) throws {
        let ethernet = interface("eth0", 2, [.up, .running, .multicast], both)
        let other = family == .ipv4 ? AddressFamily.ipv6 : .ipv4
        var table = InterfaceTable(.all)
        _ = table.update([ethernet], families: [.ipv4, .ipv6])
        var now = Instant.zero
        // A burst is one: its copies may be on their way.
        for _ in 0..<20 {
            _ = table.noteSent(family, on: ethernet.index, isMulticast: true, at: now)
        }
        for _ in 0..<2 {
            #expect(failures(table) == [])
            now = now.advanced(by: .milliseconds(250))
            _ = table.noteSent(family, on: ethernet.index, isMulticast: true, at: now)
            _ = table.noteSent(other, on: ethernet.index, isMulticast: true, at: now)
            _ = table.noteReceived(other, on: ethernet.index)
        }
        let failure = try #require(failures(table)?.first)
        #expect(failure.kind == .receiving)
        #expect(failure.families == [family])
        let receivesNow = table.noteReceived(family, on: ethernet.index)
        #expect(receivesNow)
        #expect(failures(table) == [])
        let receivesAgain = table.noteReceived(family, on: ethernet.index)
        #expect(!receivesAgain)
        // What goes to one host has no copy.
        for _ in 0..<9 {
            now = now.advanced(by: .seconds(1))
            _ = table.noteSent(family, on: ethernet.index, isMulticast: false, at: now)
        }
        #expect(failures(table) == [])
    }

    @Test("An interface that was used, or is named, is missed while it can't be used")
    func missed() throws {
        let one = interface("eth0", 2)
        let two = interface("eth1", 3)
        var down = two
        down.flags = [.multicast]
        for (selection, isNamed) in [
            (InterfaceSelection.all, false), (.named(["eth0", "eth1"]), true),
        ] {
            var table = InterfaceTable(selection)
            _ = table.update([one, down], families: [.ipv4])
            _ = table.noteSent(.ipv4, on: one.index, isMulticast: false, at: .zero)
            #expect(failures(table)?.count == (isNamed ? 1 : 0))
            _ = table.update([one, two], families: [.ipv4])
            #expect(failures(table) == [])
            _ = table.update([one, down], families: [.ipv4])
            #expect(failures(table)?.map { $0.kind } == [.unusable])
            #expect(failures(table, on: .index(one.index)) == [])
            #expect(
                failures(table)?.first?.description == "eth1 is down: 'ip link set eth1 up'")
            guard case .noInterface = table.reachability(on: .index(two.index)) else {
                Issue.record("found nowhere")
                return
            }
            // One that is deleted is not missed.
            _ = table.update([one], families: [.ipv4])
            #expect(failures(table) == [])
        }
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

    @Test("Names of the interfaces that went last are known, not of all that ever were")
    func names() {
        var table = InterfaceTable(.all)
        let stays = interface("veth1", 1)
        for number in UInt32(2)...10_000 {
            _ = table.update([stays, interface("veth\(number)", number)], families: [.ipv4])
        }
        #expect(table.name(of: stays.index) == "veth1")
        for number in UInt32(9_900)...10_000 {
            #expect(table.name(of: InterfaceIndex(rawValue: number)) == "veth\(number)")
        }
        #expect(table.name(of: InterfaceIndex(rawValue: 2)) == "if2")
    }
}
