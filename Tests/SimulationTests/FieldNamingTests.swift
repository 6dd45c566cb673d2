import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// What users of other stacks report of names: odd ones, rivals for them, and what they lack.
@Suite(.runEvidence) struct FieldNamingTests {
    private let printer = Offer.named("Printer._ipp._tcp.local")

    @Test(
        "field 19: dots, backslashes and other marks in an instance name change nothing",
        arguments: [
            "a.b", "a\\b", "a\\.b", ".", "\\", "x._ipp._tcp.local", "Küche 2.OG ☎", "\"q\"",
        ])
    func oddInstanceNames(_ name: String) throws {
        var world = try FieldWorld(seed: 19, hosts: ["provider", "browser"])
        try world.register(name, by: world.hosts[0])
        try world.browse(by: world.hosts[1], detail: .services)
        world.run(.seconds(10))
        let label = try Label(name)
        let found = try #require(world.found(by: world.hosts[1]).first)
        #expect(found.firstLabel == label)
        #expect(found.labelCount == 4)
        let service = world.changes(by: world.hosts[1]).last?.instance?.service
        #expect(service?.location.port == 631)
        #expect(service?.addresses.isEmpty == false)
        world.expectClean()
    }

    @Test(
        "field 22: host labels of any bytes are names like others",
        arguments: [")", "a.b", "..", "\\", "\\.", "-", "*", "é", " ", "a\u{0}b"])
    func oddHostNames(_ text: String) throws {
        var world = try FieldWorld(seed: 22, hosts: [text, "browser"])
        try world.register(by: world.hosts[0])
        try world.browse(by: world.hosts[1], detail: .services)
        world.run(.seconds(10))
        let service = world.changes(by: world.hosts[1]).last?.instance?.service
        let label = try Label(text)
        #expect(service?.host.firstLabel == label)
        #expect(service?.host.labelCount == 2)
        #expect(service?.addresses.isEmpty == false)
        world.expectClean()
    }

    // MARK: Absence

    @Test("field 40: types that a name lacks get a negative response at once, whatever is known")
    func absentTypes() throws {
        var world = try FieldWorld(seed: 40, hosts: ["box"])
        try world.register(by: world.hosts[0])
        world.run(.seconds(10))
        let host = Offer.named("box.local")
        let address = ResourceRecord(host, .a(IPv4Address(10, 0, 0, 2)), timeToLive: .host)
        let (svcb, https) = (RecordType(rawValue: 64), RecordType(rawValue: 65))
        for type in [RecordType.aaaa, svcb, https] {
            for known in [[], [address]] {
                _ = world.receivedMessages()
                try world.ask(host, type, known: known)
                world.run(.milliseconds(200))
                let negatives = world.receivedMessages().flatMap(\.records).filter {
                    $0.name == host
                }
                let negative = try #require(negatives.first { $0.type == .nsec })
                guard case .nsec(let next) = negative.data else { return }
                #expect(!next.contains(type))
                #expect(next.contains(.a))
                world.run(.seconds(2))
            }
        }
        world.expectClean()
    }

    @Test("field 40: a look-up learns at once that there is no address of a family")
    func absentFamily() throws {
        var world = try FieldWorld(seed: 140, hosts: ["box", "browser"])
        try world.register(by: world.hosts[0])
        world.run(.seconds(10))
        let host = Offer.named("box.local")
        world.network.withDiscovery(of: world.hosts[1]) {
            $0.startAddressLookup(host: host, at: $1)
        }
        world.run(.milliseconds(400))
        var absent: [AddressFamily] = []
        for case .operation(_, .addresses(.absent(let family, _)))
            in world.network.drainEvents(of: world.hosts[1])
        {
            absent.append(family)
        }
        #expect(absent == [.ipv6])
        world.expectClean()
    }

    @Test("field 40: the word that a name lacks a type is taken back with the name")
    func denialIsTakenBack() throws {
        var world = try FieldWorld(seed: 240, hosts: ["box"])
        try world.register(by: world.hosts[0])
        world.run(.seconds(10))
        let host = Offer.named("box.local")
        try world.ask(host, .aaaa)
        world.run(.seconds(3))
        #expect(
            world.receivedMessages().flatMap(\.records).contains {
                $0.type == .nsec && $0.name == host
            })
        world.network.withDiscovery(of: world.hosts[0]) { $0.shutdown(at: $1) }
        world.run(.seconds(1))
        let gone = world.receivedMessages().flatMap(\.records).filter { $0.timeToLive == .goodbye }
        #expect(gone.contains { $0.type == .nsec && $0.name == host })
        #expect(gone.contains { $0.type == .a && $0.name == host })
        try world.ask(host, .aaaa)
        world.run(.seconds(3))
        #expect(world.receivedMessages().flatMap(\.records).isEmpty)
        world.expectClean()
    }

    @Test("field 40: a name that was lost gets no negative response any more")
    func lostNameIsNotDenied() throws {
        var world = try FieldWorld(seed: 340, hosts: ["box"])
        try world.register(by: world.hosts[0])
        world.run(.seconds(10))
        let host = Offer.named("box.local")
        let rival = ResourceRecord(
            host, .a(IPv4Address(10, 0, 9, 9)), timeToLive: .host, cacheFlush: true)
        for _ in 0..<40 {
            try world.respond([rival])
            world.run(.milliseconds(100))
        }
        world.run(.seconds(10))
        let now = world.established(by: world.hosts[0])
        #expect(now.contains(printer))
        #expect(!now.contains(host))
        _ = world.receivedMessages()
        try world.ask(host, .aaaa)
        world.run(.seconds(1))
        #expect(world.receivedMessages().flatMap(\.records).isEmpty)
    }

    // MARK: Rivals

    @Test(
        "field 43: two that begin at once settle it: one keeps its names, the other moves on",
        arguments: 1...8 as ClosedRange<UInt64>)
    func simultaneousStart(_ seed: UInt64) throws {
        var world = try FieldWorld(seed: seed, hosts: ["twin", "twin"])
        for host in world.hosts { try world.register(by: host) }
        world.run(.seconds(30))
        let names = world.hosts.map { Set(world.established(by: $0)) }
        #expect(names.allSatisfy { $0.count == 2 })
        #expect(names[0].isDisjoint(with: names[1]))
        let all = names[0].union(names[1])
        #expect(all.contains(printer))
        #expect(all.contains(Offer.named("Printer (2)._ipp._tcp.local")))
        #expect(all.contains(Offer.named("twin.local")))
        #expect(world.network.groundTruth.renames == 2)
        #expect(world.receivedMessages().count { $0.isProbe } <= 20)
        world.network.checkOwners()
        world.expectClean()
    }

    @Test("field 43: host and service are probed together, and queries do not begin it anew")
    func queriesWhileProbing() throws {
        var world = try FieldWorld(seed: 43)
        let host = try world.add("box")
        let start = world.network.now
        try world.register(by: host)
        for _ in 0..<26 {
            try world.ask(printer, .srv)
            try world.ask(FieldWorld.type, .ptr)
            try world.ask(Offer.named("box.local"), .a)
            world.run(.milliseconds(50))
        }
        let received = world.receivedMessages()
        let probes = received.filter(\.isProbe)
        #expect(probes.count == 3)
        let both: Set = [printer, Offer.named("box.local")]
        for probe in probes {
            #expect(both.isSubset(of: probe.message.questions.map(\.name)))
        }
        let first = received.first { !$0.records.isEmpty }
        #expect(start.duration(to: first?.time ?? .zero) <= .milliseconds(1_010))
        #expect(world.established(by: host).count == 2)
        world.expectClean()
    }

    @Test(
        "field 43: a prober whose unicast goes to another process still finds the name taken",
        arguments: [false, true])
    func unicastGoesElsewhere(_ mayAskForUnicast: Bool) throws {
        var world = try FieldWorld(seed: 44, hosts: ["owner"])
        try world.register(by: world.hosts[0])
        world.run(.seconds(10))
        let second = try world.add("second", mayAskForUnicast: mayAskForUnicast)
        world.network.setReceivesUnicast(false, second)
        try world.register(by: second)
        world.run(.seconds(120))
        let holders = world.network.groundTruth.offers.filter {
            $0.isEstablished && $0.name == printer
        }
        #expect(holders.count == 1)
        #expect(world.established(by: second).count == 2)
        if !mayAskForUnicast { #expect(holders.first?.host == world.hosts[0]) }
        world.network.checkOwners()
        world.expectClean()
    }
}
