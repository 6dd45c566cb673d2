import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// What users of other stacks report of packets: their size, their number, whence they come.
@Suite(.runEvidence) struct FieldTrafficTests {
    private let printer = Offer.named("Printer._ipp._tcp.local")

    @Test("field 49: forty services are found, no packet is too large, TC is for queries alone")
    func fortyServices() throws {
        var world = try FieldWorld(seed: 49, hosts: ["provider", "browser"])
        let text = try TXTRecord(parsing: ["note=" + String(repeating: "x", count: 150)])
        for number in 0..<40 {
            try world.register("Printer \(number)", by: world.hosts[0], txt: text)
        }
        world.run(.seconds(10))
        try world.browse(by: world.hosts[1], detail: .services)
        world.run(.seconds(30))
        #expect(world.found(by: world.hosts[1]).count == 40)
        // The invariants hold every size against the link's.
        let received = world.receivedMessages()
        #expect(received.contains { $0.datagram.payload.count > 1_200 })
        #expect(received.allSatisfy { $0.datagram.payload.count <= 1_472 })
        #expect(
            received.allSatisfy { !$0.message.header.isResponse || !$0.message.header.isTruncated })
        world.expectClean()
    }

    @Test("field 49: forty services do not fit a conventional reply, and TC says so")
    func fortyServicesForLegacyQueriers() throws {
        var world = try FieldWorld(seed: 149, hosts: ["provider"])
        for number in 0..<40 { try world.register("Printer \(number)", by: world.hosts[0]) }
        world.run(.seconds(10))
        _ = world.receivedMessages()
        try world.say(
            Message(header: MessageHeader(id: 77), questions: [Question(FieldWorld.type, .ptr)]),
            port: 40_000)
        world.run(.seconds(1))
        let replies = world.receivedMessages().filter { !$0.isMulticast }
        #expect(replies.count == 1)
        let reply = try #require(replies.first)
        #expect(reply.datagram.destination.port == 40_000)
        #expect(reply.datagram.payload.count <= 512)
        #expect(reply.message.header.isTruncated)
        #expect(reply.message.answers.count > 5)
        world.expectClean()
    }

    @Test("field 49: a record larger than a packet goes alone, the others as ever")
    func loneLargeRecord() throws {
        var world = try FieldWorld(seed: 249, hosts: ["provider", "browser"])
        let value = String(repeating: "x", count: 240)
        let text = try TXTRecord(parsing: (0..<8).map { "key\($0)=\(value)" })
        try world.register("Large", by: world.hosts[0], txt: text)
        try world.register("Small", by: world.hosts[0])
        try world.browse(by: world.hosts[1], detail: .services)
        world.run(.seconds(30))
        #expect(world.found(by: world.hosts[1]).count == 2)
        let large = world.receivedMessages().filter { $0.datagram.payload.count > 1_472 }
        #expect(!large.isEmpty)
        #expect(large.allSatisfy { $0.isProbe || $0.records.count == 1 })
        let texts = world.changes(by: world.hosts[1]).compactMap(\.instance?.service?.txt)
        #expect(texts.contains(text))
    }

    @Test(
        "field 51: two announcements are made, not one more",
        arguments: [[.ipv4], [.ipv4, .ipv6]] as [Set<AddressFamily>])
    func twoAnnouncements(_ families: Set<AddressFamily>) throws {
        var world = try FieldWorld(seed: 51, hosts: ["provider"], families: families)
        func announcements(_ type: RecordType) -> [AddressFamily: Int] {
            var counts: [AddressFamily: Int] = [:]
            for message in world.receivedMessages()
            where message.records.contains(where: { $0.type == type }) {
                counts[message.datagram.family, default: 0] += 1
            }
            return counts
        }
        let twice = Dictionary(uniqueKeysWithValues: families.map { ($0, 2) })
        let id = try world.register(by: world.hosts[0])
        world.run(.seconds(600))
        #expect(announcements(.srv) == twice)
        for number in 1...3 {
            let text = try TXTRecord(parsing: ["n=\(number)"])
            world.network.withDiscovery(of: world.hosts[0]) {
                try? $0.update(id, txt: text, at: $1)
            }
            world.run(.seconds(600))
            #expect(announcements(.txt) == twice)
        }
        world.network.setCable(of: world.hosts[0], on: world.links[0], isIn: false)
        world.run(.seconds(5))
        world.network.setCable(of: world.hosts[0], on: world.links[0], isIn: true)
        world.run(.seconds(600))
        #expect(announcements(.a) == twice)
        world.expectClean()
    }

    @Test(
        "field 52: a host that browses for what it offers itself sees it", arguments: [true, false])
    func ownService(_ othersOffer: Bool) throws {
        var world = try FieldWorld(seed: 52, hosts: ["box", "other"])
        try world.register(by: world.hosts[0])
        if othersOffer { try world.register("Printer of another", by: world.hosts[1]) }
        world.run(.seconds(10))
        try world.browse(by: world.hosts[0], detail: .services)
        world.run(.seconds(5))
        #expect(world.found(by: world.hosts[0]).count == (othersOffer ? 2 : 1))
        // It stays, for as long as it is offered.
        world.run(.seconds(10_000))
        #expect(world.found(by: world.hosts[0]).contains(printer))
        world.expectClean()
    }

    @Test("field 53: on a host with several interfaces, who asks is answered there, with its own")
    func answersFromTheRightInterface() throws {
        var world = try FieldWorld(seed: 53, links: 3)
        let host = try world.add("box", on: [0, 1, 2])
        try world.register(by: host)
        world.run(.seconds(10))
        for link in [2, 0, 1] {
            for prefersUnicast in [true, false] {
                _ = world.receivedMessages()
                let question = Question(printer, .srv, prefersUnicast: prefersUnicast)
                try world.say(Message(questions: [question]), on: link)
                world.run(.seconds(2))
                let answers = world.receivedMessages().filter { !$0.records.isEmpty }
                #expect(answers.count == 1)
                let answer = try #require(answers.first)
                let own = world.network.hosts[host.rawValue].address(on: world.links[link], .ipv4)
                #expect(answer.link == world.links[link])
                #expect(answer.isMulticast == !prefersUnicast)
                #expect(answer.datagram.source.address == own)
                #expect(answer.records.compactMap(\.data.address) == [own])
            }
        }
        world.expectClean()
    }

    @Test("field 54: an interface without multicast is left alone, the others are used")
    func interfaceWithoutMulticast() throws {
        var engine = Engine(
            configuration: Configuration(families: [.ipv4]), generator: SeededGenerator(seed: 54))
        let host = HostID(rawValue: 0)
        var dumb = AddressPlan.interface(host, on: LinkID(rawValue: 0), families: [.ipv4])
        dumb.flags.remove(.multicast)
        let good = AddressPlan.interface(host, on: LinkID(rawValue: 1), families: [.ipv4])
        engine.update(interfaces: [dumb, good], at: .zero)
        _ = engine.startQuery(Question(FieldWorld.type, .ptr), on: .all, at: .zero)
        Offer.publish(host, in: &engine, at: .zero)
        var sent: [InterfaceIndex] = []
        while let deadline = engine.deadline, deadline < Instant.zero.advanced(by: .seconds(5)) {
            engine.advance(to: deadline)
            while let output = engine.nextOutput() {
                if case .transmit(let transmission) = output { sent.append(transmission.interface) }
            }
        }
        #expect(sent.count > 4)
        #expect(Set(sent) == [good.index])
        #expect(engine.activeInterfaces.map(\.index) == [good.index])
        // It is given the flag: it is used from then on.
        dumb.flags.insert(.multicast)
        engine.update(interfaces: [dumb, good], at: Instant.zero.advanced(by: .seconds(5)))
        #expect(engine.activeInterfaces.count == 2)
    }
}
