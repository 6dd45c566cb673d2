import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// The second question about a name, the second record of an interface, the second lifetime of a
/// record: what is asked, cached and packed.
@Suite struct SecondQuestionTests {
    private static let address6 = ResourceRecord(
        World.otherHost, .aaaa(IPv6Address(rawValue: 0xFE80 << 112 | 2)), timeToLive: .host,
        cacheFlush: true)

    private func pointer(_ name: String) -> ResourceRecord {
        ResourceRecord(
            World.type, .ptr(named("\(name)._ipp._tcp.local")), timeToLive: .standard)
    }

    private func small(perSource: Int) -> EngineHarness {
        var limits = Limits()
        limits.cachedRecordsPerSource = perSource
        return EngineHarness(configuration: Configuration(families: [.ipv4], limits: limits))
    }

    // MARK: Two questions about a name

    @Test("M6-19 a unicast answer to either question about a name counts")
    func unicastAnswers() {
        for types in [[RecordType.a, .aaaa], [.aaaa, .a]] {
            var harness = EngineHarness()
            let ids = types.map { harness.startQuery(World.otherHost, $0) }
            harness.advance(by: .milliseconds(200))
            let record = types[1] == .a ? World.foundAddress : Self.address6
            harness.respond([record], to: .device)
            #expect(ids.map { harness.added(to: $0).count } == [0, 1])
        }
    }

    @Test("D-28 an answer to either question about a name finds room beside what came unasked")
    func roomForAnswers() {
        for types in [[RecordType.a, .aaaa], [.aaaa, .a]] {
            var harness = small(perSource: 1)
            harness.startQuery(World.type, .ptr)
            harness.advance(by: .seconds(20))
            harness.respond([World.foundPointer])
            let ids = types.map { harness.startQuery(World.otherHost, $0) }
            harness.advance(by: .milliseconds(200))
            harness.respond([types[1] == .a ? World.foundAddress : Self.address6])
            #expect(harness.added(to: ids[1]).count == 1)
        }
    }

    @Test("M5-17 M7-2 who asks for what is cached as a unique answer sends no query")
    func cached() {
        var harness = EngineHarness()
        let first = harness.startQuery(World.otherHost, .a)
        harness.respond([World.foundAddress])
        harness.stopQuery(first)
        harness.advance(by: .seconds(5))
        harness.clear()
        let second = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .seconds(20))
        #expect(harness.added(to: second).count == 1)
        #expect(harness.queries.isEmpty)
    }

    @Test("M5-23 M7-14 what another host has asked in our place is asked by us without QU")
    func askedInOurPlace() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(100))
        harness.wake()
        harness.clear()
        harness.ask(World.type, .ptr, from: .other)
        harness.advance(by: .seconds(3))
        #expect(harness.engine.statistics.suppressedByDuplicateQuestion == 1)
        #expect(!harness.queries.isEmpty)
        #expect(
            harness.queries.allSatisfy { $0.message.questions.allSatisfy { !$0.prefersUnicast } })
    }

    @Test("M10-4 a second removal does not put off the query that confirms the first")
    func twoRemovals() {
        for seed in 1...40 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            harness.startQuery(World.type, .ptr)
            harness.respond([pointer("A"), pointer("B")])
            harness.advance(by: .seconds(40))
            harness.respond([pointer("A").lasting(0)])
            let gone = harness.now.advanced(by: .seconds(1))
            harness.advance(by: .milliseconds(19))
            harness.respond([pointer("B").lasting(0)])
            harness.clear()
            harness.advance(by: .seconds(2))
            #expect((harness.queries.first?.time ?? .zero) - gone <= .milliseconds(120))
        }
    }

    // MARK: Packets that are full

    @Test("M7-10 known answers stand in the packet with their question, those of the last too")
    func knownAnswersOfPackets() {
        var harness = EngineHarness()
        let names = (0..<90).map { named("a rather long name of a type number \($0)._tcp.local") }
        for name in names { harness.startQuery(name, .ptr) }
        for name in names {
            harness.respond([ResourceRecord(name, .ptr(World.instance), timeToLive: .standard)])
        }
        harness.advance(by: .seconds(10))
        harness.clear()
        harness.update(interfaces: [])
        harness.update(interfaces: [.lan])
        for name in names {
            harness.respond([ResourceRecord(name, .ptr(World.instance), timeToLive: .standard)])
        }
        harness.advance(by: .milliseconds(500))
        #expect(harness.queries.count > 2)
        for sent in harness.queries where !sent.message.questions.isEmpty {
            let asked = Set(sent.message.questions.map(\.name))
            #expect(sent.message.answers.allSatisfy { asked.contains($0.name) })
        }
        let known = harness.queries.flatMap(\.message.answers).map(\.name)
        #expect(known.count == names.count && Set(known) == Set(names))
    }

    @Test("M10-9 M17-7 no set is cut where a packet ends")
    func wholeSets() {
        var harness = EngineHarness()
        let names = (0..<60).map { named("host number \($0).local") }
        let members = names.flatMap { name in
            (1...5 as ClosedRange<UInt8>).map { byte in
                RecordSet.Member(World.rival(name, lastByte: byte).flushing(false), .unique)
            }
        }
        harness.publish(members)
        harness.advance(by: .seconds(5))
        #expect(harness.multicastResponses.count > 4)
        for sent in harness.multicastResponses {
            for name in Set(sent.message.answers.map(\.name)) {
                #expect(sent.message.answers.count { $0.name == name } == 5)
            }
        }
        for member in members {
            #expect(
                harness.multicastResponses.count { $0.answers(with: member.record) } == 2)
        }
    }

    // MARK: The cache

    @Test("D-28 a record that is said again lives a day at most as well")
    func longLifetime() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        for _ in 0..<2 {
            harness.respond([World.foundAddress.lasting(1_000_000)])
            harness.advance(by: .seconds(10))
        }
        harness.advance(by: .seconds(86_380))
        #expect(harness.removed(from: query).isEmpty)
        harness.advance(by: .seconds(20))
        #expect(harness.removed(from: query).count == 1)
    }

    @Test("D-28 a source whose records are gone has room for others")
    func roomAgain() {
        var harness = small(perSource: 3)
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(20))
        let first = ["A", "B", "C"].map { pointer($0) }
        harness.respond(first)
        harness.advance(by: .seconds(2))
        harness.respond(first.map { $0.lasting(0) })
        harness.advance(by: .seconds(30))
        #expect(harness.removed(from: query).count == 3)
        harness.respond(["D", "E", "F"].map { pointer($0) })
        #expect(harness.present(in: query).count == 3)
    }

    @Test("M10-20 every record of an interface that goes is removed")
    func interfaceGone() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        let query = harness.startQuery(World.type, .ptr)
        for (interface, source) in [
            (InterfaceIndex.first, IPAddress.tester), (.second, .testerSecond),
        ] {
            harness.respond([pointer("A"), pointer("B")], from: source, interface: interface)
        }
        harness.update(interfaces: [.lan])
        #expect(harness.removed(from: query).count == 2)
        harness.update(interfaces: [])
        #expect(harness.removed(from: query).count == 4)
    }

    // MARK: Claims

    @Test("M8-12 who answers with what we proposed before is another host, and has the name")
    func proposedBefore() {
        var harness = EngineHarness()
        let id = harness.publish(World.hostSet)
        harness.advanceToProbe()
        let other = World.rival(World.host, lastByte: 50).flushing(false)
        harness.engine.repropose(id, as: RecordSet([.init(other, .unique)]), at: harness.now)
        harness.drain()
        harness.clear()
        harness.advanceToProbe()
        harness.respond([World.address.flushing()], from: .other)
        #expect(harness.statuses(of: id) == [.conflicted(World.host)])
    }
}
