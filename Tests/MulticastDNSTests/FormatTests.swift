import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §17, §18 and §20: what engines write and put up with.
@Suite struct FormatTests {
    /// All that an engine says in the course of an ordinary life.
    private func ordinaryLife() -> EngineHarness {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.startQuery(named("_http._tcp.local"), .ptr)
        let id = harness.publish(World.dualHostSet + World.serviceSet)
        harness.advance(by: .seconds(5))
        harness.ask(World.type, .ptr)
        harness.ask(World.host, .txt, from: .tester6)
        harness.ask(World.host, .a, prefersUnicast: true)
        harness.advance(by: .seconds(2))
        harness.withdraw(id)
        harness.advance(by: .seconds(5))
        return harness
    }

    @Test(
        "M18-8 M18-9 M18-10 M18-12 M18-20 M18-22 M18-24 M18-26 M18-28 M18-30 flags as they must be")
    func flags() {
        let harness = ordinaryLife()
        #expect(harness.queries.count > 2)
        #expect(harness.responses.count > 4)
        for sent in harness.sent {
            let flags = sent.message.header.flags
            #expect(flags == (sent.isResponse ? 0x8400 : 0))
        }
    }

    @Test("M20-1 M8-2 both families are used: probes, announcements and queries on both groups")
    func bothFamilies() {
        let harness = ordinaryLife()
        for kind in [harness.probes, harness.multicastResponses, harness.queries] {
            for family in AddressFamily.allCases {
                #expect(
                    kind.contains { $0.destination.address == .multicastDNS(family) })
            }
        }
    }

    /// The flag bits that a receiver has to overlook.
    static let ignored: [(String, UInt16)] = [
        ("AA", 0x0400), ("RD", 0x0100), ("RA", 0x0080), ("Z", 0x0040), ("AD", 0x0020),
        ("CD", 0x0010),
    ]

    @Test(
        "M18-13 M18-21 M18-25 M18-27 M18-29 these bits of a query are ignored", arguments: ignored)
    func ignoredBitsOfQueries(_ bit: String, _ flags: UInt16) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.host, .a)], flags: flags)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
    }

    @Test(
        "M18-15 M18-18 M18-21 M18-23 M18-25 M18-27 M18-29 these bits of a response are ignored",
        arguments: ignored + [("TC", 0x0200), ("no AA", 0)])
    func ignoredBitsOfResponses(_ bit: String, _ flags: UInt16) {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.respond([World.foundAddress], flags: 0x8000 | flags)
        #expect(harness.added(to: query).count == 1)
    }

    @Test("M18-11 other operations are dropped", arguments: [1, 2, 4, 5, 6, 15] as [UInt16])
    func otherOperations(_ code: UInt16) {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.establish(World.all)
        harness.ask([Question(World.host, .a)], flags: code << 11)
        harness.respond([World.foundAddress], flags: 0x8400 | code << 11)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.isEmpty)
        #expect(harness.added(to: query).isEmpty)
        #expect(harness.engine.statistics.unsupportedOpcodes == 2)
    }

    @Test("M18-31 other response codes are dropped", arguments: [1, 2, 3, 5, 15] as [UInt16])
    func otherResponseCodes(_ code: UInt16) {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.establish(World.all)
        harness.ask([Question(World.host, .a)], flags: code)
        harness.respond([World.foundAddress], flags: 0x8400 | code)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.isEmpty)
        #expect(harness.added(to: query).isEmpty)
    }

    @Test("M18-3 what comes along with an answer is there when it is asked for")
    func additionalsAreCached() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.respond(
            [World.foundPointer], additionals: [World.foundLocation, World.foundAddress])
        let later = harness.startQuery(World.otherInstance, .srv)
        #expect(harness.added(to: later).map(\.data) == [World.foundLocation.data])
        let address = harness.startQuery(World.otherHost, .a)
        #expect(harness.added(to: address).map(\.data) == [World.foundAddress.data])
    }

    @Test("M18-35 M18-36 questions, known answers and proposed records are compressed")
    func queriesAreCompressed() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.startQuery(named("_http._tcp.local"), .ptr)
        harness.publish(World.all)
        harness.advance(by: .milliseconds(150))
        harness.respond([World.foundPointer])
        harness.advance(by: .seconds(2))
        // "local" is written once in each packet, whatever it holds.
        let local = [5] + Array("local".utf8)
        #expect(harness.queries.count >= 2)
        #expect(harness.probes.count == 3)
        for sent in harness.queries + harness.probes {
            #expect(sent.bytes.indices.count { sent.bytes[$0...].starts(with: local) } == 1)
        }
    }

    // MARK: Sizes

    private func large(_ size: Int, _ name: DomainName = World.instance) -> ResourceRecord {
        let strings = (0..<size / 250).map { _ in [UInt8](repeating: 0x61, count: 249) }
        return ResourceRecord(name, .txt(TextStrings(strings) ?? .empty), timeToLive: .standard)
    }

    @Test("M17-2 M17-5 a record that is too large for a packet is sent alone")
    func largeRecord() {
        var harness = EngineHarness()
        harness.publish(
            World.hostSet + [.init(large(3000), .unique), .init(World.location, .unique)])
        harness.advance(by: .seconds(5))
        harness.ask(World.instance, .any)
        harness.advance(by: .seconds(2))
        let fragmented = harness.responses.filter { $0.bytes.count > 1472 }
        #expect(fragmented.count == 3)
        #expect(fragmented.allSatisfy { $0.records.count == 1 })
    }

    @Test(
        "M17-4 fragments carry a record that has no other way, never one that merely goes along",
        arguments: [IPAddress.tester, .tester6])
    func fragmentsOnlyWhereNeeded(source: IPAddress) {
        let limit = source.family == .ipv4 ? 1472 : 1452
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        let record = large(3000)
        harness.establish(
            World.dualHostSet + [
                .init(World.pointer, .shared), .init(World.location, .unique),
                .init(record, .unique),
            ])
        for prefersUnicast in [false, true] {
            // It is left out where it was not asked for, by multicast and by unicast; all else
            // goes along.
            harness.clear()
            harness.ask(World.type, .ptr, prefersUnicast: prefersUnicast, from: source)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.count == 1)
            for response in harness.responses {
                #expect(response.bytes.count <= limit)
                #expect(!response.carries(record))
                #expect(response.carries(World.location) && response.carries(World.address6))
            }
            // Asked for, it leaves alone, the only one that is larger than a packet.
            harness.clear()
            harness.ask(
                [
                    Question(World.instance, .txt, prefersUnicast: prefersUnicast),
                    Question(World.host, .a, prefersUnicast: prefersUnicast),
                ], from: source)
            harness.advance(by: .seconds(2))
            let large = harness.responses.filter { $0.bytes.count > limit }
            #expect(large.map { $0.records.count } == [1])
            #expect(large.allSatisfy { $0.answers(with: record) })
            #expect(harness.responses.contains { $0.answers(with: World.address) })
        }
    }

    @Test("M17-6 no packet is over 9000 bytes; a record that can't fit is not sent")
    func tooLargeRecord() {
        var harness = EngineHarness()
        harness.publish([.init(large(9250), .unique), .init(World.location, .unique)])
        harness.advance(by: .seconds(5))
        #expect(harness.responses.contains { $0.answers(with: World.location) })
        #expect(harness.sent.filter(\.isResponse).allSatisfy { $0.bytes.count <= 8972 })
        #expect(harness.engine.statistics.unsendable > 0)
    }

    @Test("M17-1 M17-6 packets fill the link's size and go no further")
    func linkSizes() {
        for unit in [1280, 1500, 4000, 65_536] {
            var interface = NetworkInterface.lan
            interface.maximumTransmissionUnit = unit
            var harness = EngineHarness(interfaces: [interface])
            harness.publish(
                (0..<400).map {
                    .init(
                        ResourceRecord(
                            World.type, .ptr(named("Some instance \($0)._ipp._tcp.local")),
                            timeToLive: .standard), .shared)
                })
            harness.advance(by: .milliseconds(5))
            let limit = min(unit, 9000) - 28
            #expect(harness.responses.allSatisfy { $0.bytes.count <= limit })
            #expect(harness.responses.contains { $0.bytes.count > limit - 60 })
        }
    }
}
