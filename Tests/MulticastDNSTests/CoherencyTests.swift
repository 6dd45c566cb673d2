import DNS
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §10: what is in caches stays true.
@Suite struct CoherencyTests {
    /// A query for addresses that has been answered.
    private func answered(
        _ records: [ResourceRecord] = [World.foundAddress]
    ) -> (EngineHarness, QueryID) {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond(records)
        return (harness, query)
    }

    private func address(_ last: UInt8) -> ResourceRecord {
        World.rival(World.otherHost, lastByte: last)
    }

    @Test("M10-4 A-19 after a goodbye a record lives a second more, and can be saved")
    func goodbye() {
        var (harness, query) = answered()
        harness.advance(by: .seconds(5))
        let said = harness.now
        harness.respond([World.foundAddress.lasting(0)])
        harness.advance(by: .milliseconds(999))
        #expect(harness.removed(from: query).isEmpty)
        harness.advance(by: .milliseconds(2))
        #expect(harness.removed(from: query).map(\.time) == [said.advanced(by: .seconds(1))])

        var (saved, other) = answered()
        saved.advance(by: .seconds(5))
        saved.respond([World.foundAddress.lasting(0)])
        saved.advance(by: .milliseconds(500))
        saved.respond([World.foundAddress])
        saved.advance(by: .seconds(60))
        #expect(saved.removed(from: other).isEmpty)
    }

    @Test("M10-4 repeated goodbyes do not put the end off")
    func repeatedGoodbyes() {
        var (harness, query) = answered()
        let said = harness.now
        for _ in 0..<20 {
            harness.respond([World.foundAddress.lasting(0)])
            harness.advance(by: .milliseconds(100))
        }
        #expect(harness.removed(from: query).map(\.time) == [said.advanced(by: .seconds(1))])
    }

    @Test("M10-4 goodbyes of somebody else leave the owner a second in which it may speak")
    func foreignGoodbyes() {
        var (harness, query) = answered()
        // Again and again right after the owner spoke, which may do so once a second only.
        for _ in 0..<10 {
            harness.advance(by: .milliseconds(1))
            harness.respond([World.foundAddress.lasting(0)], from: .other)
            harness.advance(by: .milliseconds(1_000))
            harness.respond([World.foundAddress])
        }
        #expect(harness.removed(from: query).isEmpty)
        // An owner that stays silent is gone a second after it might have spoken.
        let spoke = harness.now
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress.lasting(0)], from: .other)
        harness.advance(by: .seconds(5))
        #expect(harness.removed(from: query).map(\.time) == [spoke.advanced(by: .seconds(2))])
    }

    @Test("A-18 A-19 a goodbye to what was never heard changes nothing")
    func unknownGoodbye() {
        var (harness, query) = answered()
        harness.respond([address(77).lasting(0)])
        harness.advance(by: .seconds(5))
        #expect(harness.present(in: query).count == 1)
        #expect(harness.added(to: query).count == 1)
    }

    @Test("M10-8 a flush ends members that are older than a second, in a second")
    func flush() {
        var (harness, query) = answered([address(1), address(2)])
        harness.advance(by: .seconds(5))
        let flushed = harness.now
        harness.respond([address(3)])
        harness.advance(by: .milliseconds(990))
        #expect(harness.removed(from: query).isEmpty)
        harness.advance(by: .seconds(1))
        let removed = harness.removed(from: query)
        #expect(removed.count == 2)
        #expect(removed.allSatisfy { $0.time == flushed.advanced(by: .seconds(1)) })
        #expect(harness.present(in: query).map(\.data) == [address(3).data])
    }

    @Test(
        "M10-8 A-10 members younger than a second stay",
        arguments: [(500, 2), (900, 2), (1100, 1)] as [(Int64, Int)])
    func youngMembersStay(_ milliseconds: Int64, _ count: Int) {
        var (harness, query) = answered([address(1)])
        harness.advance(by: .milliseconds(milliseconds))
        harness.respond([address(2)])
        harness.advance(by: .seconds(3))
        #expect(harness.present(in: query).count == count)
    }

    @Test("M10-8 a flush of one type, name or class leaves the others alone")
    func flushIsNarrow() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .any)
        harness.advance(by: .milliseconds(200))
        let text = ResourceRecord(World.otherHost, .txt(text("x")), timeToLive: .other)
        harness.respond([text, World.foundAddress])
        harness.advance(by: .seconds(5))
        harness.respond([World.foundAddress, World.rival(World.host)])
        harness.advance(by: .seconds(5))
        #expect(harness.present(in: query).count == 2)
    }

    @Test("M10-17 M18-33 with and without the flush bit a record is the same")
    func flushBitIsNoIdentity() {
        var (harness, query) = answered([World.foundAddress.flushing(false)])
        harness.respond([World.foundAddress])
        harness.advance(by: .seconds(5))
        #expect(harness.added(to: query).count == 1)
        #expect(harness.removed(from: query).isEmpty)
        #expect(harness.engine.cachedRecordCount == 1)
    }

    @Test("M10-9 M10-10 M10-11 M18-33 every response has the whole unique set, all with the bit")
    func wholeSets() {
        var harness = EngineHarness()
        let members = (1...3).map {
            RecordSet.Member(
                World.rival(World.host, lastByte: UInt8($0)).flushing(false), .unique)
        }
        harness.publish(members + World.serviceSet)
        harness.advance(by: .seconds(5))
        harness.ask(World.host, .a, known: [members[1].record])
        harness.advance(by: .seconds(2))
        harness.ask(World.instance, .srv)
        harness.advance(by: .seconds(2))
        let withAddress = harness.responses.filter { $0.records.contains { $0.type == .a } }
        #expect(withAddress.count >= 4)
        for response in withAddress {
            let addresses = response.records.filter { $0.type == .a }
            #expect(addresses.count == 3)
            #expect(addresses.allSatisfy { $0.cacheFlush })
        }
    }

    @Test("M10-14 M10-12 queries have no flush bit")
    func noFlushBitInQueries() {
        var (harness, _) = answered()
        harness.startQuery(World.otherHost, .any)
        harness.publish(World.all)
        harness.advance(by: .seconds(120))
        let records = harness.sent.filter(\.isQuery).flatMap(\.records)
        #expect(!records.isEmpty)
        #expect(records.allSatisfy { !$0.cacheFlush })
    }

    @Test("M10-18 A-25 OPT is not cached, its class is no class")
    func pseudoRecords() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], cachesEverything: true))
        let options = ResourceRecord(
            .root,
            .opt(
                ExtensionOptions(
                    udpPayloadSize: 0x8FFF, options: [.init(code: 4, bytes: [1, 2, 3])])),
            timeToLive: .goodbye)
        harness.respond([World.foundAddress], additionals: [options])
        #expect(harness.engine.cachedRecordCount == 1)
        harness.establish(World.all)
        harness.receive(
            Message(questions: [Question(World.host, .a)], additionals: [options]))
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
    }

    @Test("M10-20 what was learned on a link goes with the link")
    func linkLoss() {
        var (harness, query) = answered()
        harness.update(interfaces: [])
        #expect(harness.removed(from: query).count == 1)
        harness.advance(by: .seconds(200))
        #expect(harness.removed(from: query).count == 1)
        harness.update(interfaces: [.lan])
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress])
        #expect(harness.added(to: query).count == 2)
    }

    @Test("M10-20 after wake-up what is cached has to prove itself")
    func wakeUp() {
        var (harness, query) = answered()
        harness.advance(by: .seconds(1))
        harness.wake()
        harness.advance(by: .seconds(30))
        #expect(harness.removed(from: query).count == 1)

        var (alive, other) = answered()
        alive.advance(by: .seconds(1))
        alive.wake()
        alive.advance(by: .milliseconds(200))
        alive.respond([World.foundAddress])
        alive.advance(by: .seconds(60))
        #expect(alive.removed(from: other).isEmpty)
    }

    @Test("M10-21 M10-22 M10-23 reconfirm asks at least twice and drops the record in 10 s")
    func reconfirm() {
        var (harness, query) = answered()
        harness.advance(by: .seconds(5))
        harness.clear()
        let doubted = harness.now
        harness.reconfirm(World.foundAddress)
        harness.advance(by: .seconds(12))
        #expect(harness.queries.count { $0.time - doubted < .seconds(10) } >= 2)
        #expect(
            harness.removed(from: query).map(\.time) == [doubted.advanced(by: .seconds(10))])
    }

    @Test("M10-23 an answer clears the doubt")
    func reconfirmed() {
        var (harness, query) = answered()
        harness.advance(by: .seconds(5))
        harness.reconfirm(World.foundAddress)
        harness.advance(by: .seconds(2))
        harness.respond([World.foundAddress])
        harness.advance(by: .seconds(60))
        #expect(harness.removed(from: query).isEmpty)
    }

    @Test("M10-24 M10-25 M10-26 two unanswered queries of others end a record, without our asking")
    func passiveObservation() {
        var (harness, query) = answered()
        harness.advance(by: .seconds(10))
        harness.clear()
        harness.ask(World.otherHost, .a, from: .other)
        harness.advance(by: .seconds(2))
        let second = harness.now
        harness.ask(World.otherHost, .a, from: .other)
        harness.advance(by: .milliseconds(9_999))
        #expect(harness.removed(from: query).isEmpty)
        #expect(harness.queries.isEmpty)
        harness.advance(by: .milliseconds(2))
        #expect(
            harness.removed(from: query).map(\.time) == [second.advanced(by: .seconds(10))])
    }

    @Test("M10-24 queries of another program on this host count, our own that come back do not")
    func sameHost() {
        var (harness, query) = answered()
        harness.echoes = true
        harness.advance(by: .seconds(10))
        let other = harness.startQuery(World.otherHost, .any)
        harness.advance(by: .seconds(10))
        harness.stopQuery(other)
        #expect(harness.queries.count > 2)
        harness.advance(by: .seconds(30))
        #expect(harness.removed(from: query).isEmpty)
        harness.clear()
        harness.ask(World.otherHost, .a, from: .device)
        harness.advance(by: .seconds(1))
        harness.ask(World.otherHost, .a, from: .device)
        harness.advance(by: .seconds(11))
        #expect(harness.removed(from: query).count == 1)
    }

    @Test("M10-25 one query, answered queries and known answers cast no doubt")
    func noDoubt() {
        var (once, first) = answered()
        once.advance(by: .seconds(10))
        once.ask(World.otherHost, .a, from: .other)
        once.advance(by: .seconds(30))
        #expect(once.removed(from: first).isEmpty)

        var (alive, second) = answered()
        alive.advance(by: .seconds(10))
        for _ in 0..<3 {
            alive.ask(World.otherHost, .a, from: .other)
            alive.advance(by: .milliseconds(1500))
            alive.respond([World.foundAddress])
            alive.advance(by: .milliseconds(1500))
        }
        alive.advance(by: .seconds(30))
        #expect(alive.removed(from: second).isEmpty)

        var (known, third) = answered()
        known.advance(by: .seconds(10))
        for _ in 0..<3 {
            known.ask(World.otherHost, .a, known: [World.foundAddress], from: .other)
            known.advance(by: .seconds(2))
        }
        known.advance(by: .seconds(30))
        #expect(known.removed(from: third).isEmpty)
    }
}
