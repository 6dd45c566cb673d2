import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Every bound holds at its own value: no more is kept, and no less.
@Suite struct LimitTests {
    private func types(_ count: Int) -> [DomainName] {
        (0..<count).map { named("_type\($0)._tcp.local") }
    }

    private func pointer(_ type: DomainName, _ index: Int) -> ResourceRecord {
        ResourceRecord(
            type, .ptr(named("Instance \(index).x.local")), timeToLive: .standard)
    }

    /// The records that are cached after so many of so many types came from so many sources.
    private func cached(types count: Int, each: Int, sources: Int) -> Int {
        var harness = EngineHarness()
        let types = types(count)
        for type in types { harness.startQuery(type, .ptr) }
        for index in 0..<each {
            for (number, type) in types.enumerated() {
                let source = IPAddress.v4(
                    IPv4Address(192, 0, 2, UInt8(10 + (index + number) % sources)))
                harness.respond([pointer(type, index)], from: source)
            }
        }
        return harness.engine.cachedRecordCount
    }

    @Test("D-28 12,000 cached records of a name, 30,000 of a source, 40,000 in all")
    func cacheLimits() {
        #expect(cached(types: 1, each: 12_100, sources: 50) == 12_000)
        #expect(cached(types: 3, each: 10_100, sources: 1) == 30_000)
        #expect(cached(types: 4, each: 10_100, sources: 50) == 40_000)
    }

    @Test("D-28 256 records of a source that no query uses")
    func unusedRecords() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4]))
        harness.startQuery(World.type, .ptr)
        for index in 0..<600 {
            let instance = named("Instance \(index)._ipp._tcp.local")
            harness.respond(
                [ResourceRecord(World.type, .ptr(instance), timeToLive: .standard)],
                additionals: [ResourceRecord(instance, .txt(.empty), timeToLive: .standard)])
        }
        #expect(harness.engine.cachedRecordCount == 600 + 256)
    }

    @Test("D-28 256 unicast replies wait; what comes beyond is counted")
    func waitingReplies() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], limitsAmplification: false))
        harness.establish(World.all)
        for index in 0..<300 {
            harness.ask(World.type, .ptr, port: UInt16(20_000 + index))
        }
        harness.advance(by: .seconds(1))
        #expect(harness.unicastResponses.count == 256)
        #expect(harness.engine.statistics.unicastDropped == 44)
    }

    @Test("D-28 64 queriers are waited for that say more is to come")
    func truncatedQueriers() {
        var harness = EngineHarness()
        harness.establish(World.all)
        func source(_ index: Int) -> IPAddress {
            .v4(IPv4Address(192, 0, 2, UInt8(10 + index)))
        }
        for index in 0..<100 {
            harness.ask([Question(World.type, .ptr)], isTruncated: true, from: source(index))
        }
        for index in 0..<100 { harness.ask([], known: [World.foundPointer], from: source(index)) }
        #expect(harness.engine.statistics.unmatchedKnownAnswers == 100 - 64)
    }

    @Test("M10-25 D-28 sets of more than 64 records are not watched for others' failures")
    func observedSets() {
        for (count, removed) in [(64, 64), (65, 0)] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.type, .ptr)
            harness.respond((0..<count).map { pointer(World.type, $0) })
            harness.advance(by: .seconds(5))
            for _ in 0..<2 {
                harness.ask(World.type, .ptr, from: .other)
                harness.advance(by: .seconds(2))
            }
            harness.advance(by: .seconds(20))
            #expect(harness.removed(from: query).count == removed)
        }
    }

    @Test("D-28 M10-8 names with up to 256 records are flushed, larger ones are not")
    func flushedSets() {
        for (count, removed) in [(256, 255), (257, 0)] {
            var harness = EngineHarness()
            func address(_ index: Int) -> ResourceRecord {
                ResourceRecord(
                    World.otherHost, .a(IPv4Address(rawValue: 0xC000_0200 + UInt32(index))),
                    timeToLive: .host)
            }
            let query = harness.startQuery(World.otherHost, .a)
            // The flushing record is one of them.
            harness.respond((1..<count).map(address))
            harness.advance(by: .seconds(5))
            harness.respond([address(0).flushing(true)])
            harness.advance(by: .seconds(5))
            #expect(harness.removed(from: query).count == removed)
        }
    }

    @Test("M6-54 A-16 our own payload size is stated to legacy queriers that state theirs")
    func legacyPayloadSize() {
        var harness = EngineHarness()
        harness.establish(World.all)
        let options = ResourceRecord(
            .root, .opt(ExtensionOptions(udpPayloadSize: 4096)), timeToLive: .goodbye)
        harness.receive(
            Message(
                header: MessageHeader(id: 7), questions: [Question(World.host, .a)],
                additionals: [options]), port: 40_000)
        harness.advance(by: .seconds(1))
        let sizes = harness.responses.flatMap(\.message.additionals).compactMap { record in
            if case .opt(let options) = record.data { options.udpPayloadSize } else { nil }
        }
        #expect(sizes == [1_440])
    }

    /// How many of so many shared records are said at once when they come back within a second.
    private func saidAtOnce(_ count: Int, in harness: inout EngineHarness) -> Int {
        let records = (0..<count).map {
            RecordSet.Member(pointer(World.type, $0), .shared)
        }
        let id = harness.publish(records)
        harness.advance(by: .milliseconds(1_500))
        harness.withdraw(id)
        harness.clear()
        let again = harness.publish(records)
        harness.advance(by: .milliseconds(100))
        let said = harness.responses.flatMap(\.message.answers)
            .count { $0.timeToLive > .goodbye }
        harness.advance(by: .seconds(5))
        harness.withdraw(again)
        harness.advance(by: .seconds(5))
        return said
    }

    @Test("D-28 M6-21 of records given up, 4,096 are remembered for their second, time and again")
    func rememberedRecords() {
        var harness = EngineHarness()
        #expect(saidAtOnce(4_200, in: &harness) == 4_200 - 4_096)
        #expect(saidAtOnce(100, in: &harness) == 0)
    }

    @Test("M18-19 a legacy reply of 512 bytes is not cut")
    func legacyReplySize() {
        for (count, isCut) in [(2, false), (3, true)] {
            var harness = EngineHarness()
            let strings = TextStrings(
                [[UInt8]](repeating: [UInt8](repeating: 97, count: 190), count: count))
            harness.establish([
                .init(
                    ResourceRecord(World.instance, .txt(strings ?? .empty), timeToLive: .standard),
                    .unique)
            ])
            harness.ask(World.instance, .txt, port: 40_000)
            harness.advance(by: .seconds(1))
            #expect(harness.responses.count == 1)
            #expect(harness.responses.first?.message.header.isTruncated == isCut)
        }
    }
}
