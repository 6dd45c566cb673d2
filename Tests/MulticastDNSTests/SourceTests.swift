import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §11 and §5.5: who is on the link, and floods from whoever is.
@Suite struct SourceTests {
    @Test("M5-32 direct queries from off the link are dropped")
    func offLinkQueries() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a, from: .stranger, to: .device)
        harness.ask(World.host, .a, from: .stranger, port: 40_000, to: .device)
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
        #expect(harness.engine.statistics.offLink == 2)
    }

    @Test("M11-5 M11-6 a group query from off the subnet is answered by multicast, QU or not")
    func strangersOnTheLink() {
        for prefersUnicast in [true, false] {
            var harness = EngineHarness()
            harness.establish(World.all)
            harness.ask(World.host, .a, prefersUnicast: prefersUnicast, from: .stranger)
            harness.advance(by: .seconds(2))
            #expect(harness.multicastResponses.count == 1)
            #expect(harness.unicastResponses.isEmpty)
        }
    }

    @Test("M11-5 a legacy query from off the subnet gets nothing that would leave the link")
    func strangersWithOtherPorts() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a, from: .stranger, port: 40_000)
        harness.advance(by: .seconds(2))
        #expect(harness.unicastResponses.isEmpty)
    }

    /// Whether a response is used that comes from there, after a question that asked for unicast.
    private func isUsed(from source: IPAddress, to destination: IPAddress?) -> Bool {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .seconds(20))
        harness.wake()
        harness.advance(by: .milliseconds(150))
        harness.respond([World.foundAddress], from: source, to: destination)
        return !harness.added(to: query).isEmpty
    }

    @Test("M11-3 A-15 a response to the group is local, whatever its source")
    func groupResponses() {
        #expect(isUsed(from: .stranger, to: nil))
    }

    @Test(
        "M11-2 M11-4 D-21 a unicast response must come from the interface's subnet",
        arguments: [
            ("192.0.2.0", true), ("192.0.2.255", true), ("192.0.1.255", false),
            ("192.0.3.0", false), ("203.0.113.9", false),
        ])
    func unicastResponses(_ text: String, _ used: Bool) throws {
        let source = try #require(IPAddress(text))
        #expect(isUsed(from: source, to: .device) == used)
    }

    @Test("M11-4 IPv6: link-local and on-link prefixes are local")
    func unicastResponsesOverIPv6() throws {
        for (text, used) in [("fe80::99", true), ("2001:db8::99", false)] {
            var harness = EngineHarness(
                configuration: Configuration(families: [.ipv6]), interfaces: [.dual])
            let query = harness.startQuery(World.otherHost, .a)
            harness.advance(by: .seconds(20))
            harness.wake()
            harness.advance(by: .milliseconds(150))
            let source = try #require(IPAddress(text))
            harness.respond([World.foundAddress], from: source, to: .device6)
            #expect(harness.added(to: query).isEmpty == !used)
        }
    }

    @Test("A-15 the hop limit of what was sent to the group does not matter")
    func hopLimits() throws {
        for hopLimit in [1 as UInt8, 64, 255] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .a)
            let message = Message(header: .response, answers: [World.foundAddress])
            harness.receive(try message.encoded(), hopLimit: hopLimit)
            #expect(harness.added(to: query).count == 1)
        }
    }

    @Test(
        "D-22 impossible sources are dropped",
        arguments: ["224.0.0.251", "255.255.255.255", "0.0.0.0", "::", "ff02::fb"])
    func impossibleSources(_ text: String) throws {
        var harness = EngineHarness()
        harness.establish(World.all)
        let source = try #require(IPAddress(text))
        harness.ask(World.host, .a, from: source)
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
        #expect(harness.engine.statistics.badSource == 1)
    }

    @Test("D-22 A-23 9000 bytes with headers are taken, more are not")
    func sizes() {
        for (size, used) in [(8972, true), (8973, false)] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .a)
            let message = Message(header: .response, answers: [World.foundAddress])
            var bytes = (try? message.encoded()) ?? []
            bytes += [UInt8](repeating: 0, count: size - bytes.count)
            harness.receive(bytes)
            #expect(harness.added(to: query).isEmpty == !used)
            #expect(harness.engine.statistics.oversized == (used ? 0 : 1))
        }
    }

    @Test("D-22 what comes in by an interface that is not ours is dropped")
    func unknownInterface() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a, interface: InterfaceIndex(rawValue: 9))
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
    }

    private func flood(_ index: Int) -> ResourceRecord {
        ResourceRecord(
            World.type, .ptr(named("Flood \(index)._ipp._tcp.local")), timeToLive: .standard)
    }

    @Test("D-28 records that nothing asked for are not cached")
    func unaskedRecords() {
        var harness = EngineHarness()
        harness.startQuery(named("_http._tcp.local"), .ptr)
        for index in 0..<1_000 { harness.respond([flood(index)]) }
        #expect(harness.engine.cachedRecordCount == 0)
        #expect(harness.engine.statistics.unwantedRecords == 1_000)
    }

    @Test("D-28 a flood of what was asked for stays within the limits and costs no other its place")
    func askedFlood() {
        var limits = Limits()
        limits.cachedRecords = 200
        limits.cachedRecordsPerSource = 100
        limits.cachedRecordsPerName = 150
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], limits: limits))
        let query = harness.startQuery(World.type, .ptr)
        // It answers a query of ours; the floods are unasked.
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundPointer], from: .other)
        harness.advance(by: .seconds(20))
        for index in 0..<2_000 { harness.respond([flood(index)]) }
        #expect(harness.engine.cachedRecordCount <= 101)
        #expect(
            harness.present(in: query).contains { $0.isSameRecord(as: World.foundPointer) })
        for index in 0..<2_000 {
            let source = IPAddress.v4(IPv4Address(192, 0, 2, UInt8(4 + index % 250)))
            harness.respond([flood(10_000 + index)], from: source)
        }
        #expect(harness.engine.cachedRecordCount <= 150)
        #expect(
            harness.present(in: query).contains { $0.isSameRecord(as: World.foundPointer) })
    }

    @Test("D-28 queries that never say their known answers use a bounded place")
    func endlessTruncation() {
        var harness = EngineHarness()
        harness.establish(World.all)
        for index in 0..<10_000 {
            let source = IPAddress.v4(
                IPv4Address(192, 0, 2, UInt8(4 + index % 250)))
            harness.ask([Question(World.type, .ptr)], isTruncated: true, from: source)
            if index % 100 == 0 { harness.advance(by: .milliseconds(1)) }
        }
        harness.clear()
        harness.advance(by: .seconds(3))
        #expect(harness.multicastResponses.count <= 2)
    }
}
