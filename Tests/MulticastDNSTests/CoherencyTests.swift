import DNSMessages
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

    @Test(
        "M10-4 goodbyes of somebody else, and tiny lifetimes, leave the owner a second to speak",
        arguments: [0, 1] as [UInt32])
    func foreignGoodbyes(_ seconds: UInt32) {
        var (harness, query) = answered()
        // Again and again right after the owner spoke, which may do so once a second only.
        for _ in 0..<10 {
            harness.advance(by: .milliseconds(1))
            harness.respond([World.foundAddress.lasting(seconds)], from: .other)
            harness.advance(by: .milliseconds(1_000))
            harness.respond([World.foundAddress])
        }
        #expect(harness.removed(from: query).isEmpty)
        // An owner that stays silent is gone a second after it might have spoken.
        let spoke = harness.now
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress.lasting(seconds)], from: .other)
        harness.advance(by: .seconds(5))
        #expect(harness.removed(from: query).map(\.time) == [spoke.advanced(by: .seconds(2))])
    }

    @Test("A-18 A-19 a goodbye to an unknown record changes nothing")
    func unknownGoodbye() {
        var (harness, query) = answered()
        harness.respond([address(77).lasting(0)])
        harness.advance(by: .seconds(5))
        #expect(harness.present(in: query).count == 1)
        #expect(harness.added(to: query).count == 1)
    }

    @Test(
        "M10-8 a flush ends members that are older than a second, in a second, whoever sends it",
        arguments: [IPAddress.tester, .other])
    func flush(_ source: IPAddress) {
        var (harness, query) = answered([address(1), address(2)])
        harness.advance(by: .seconds(5))
        let flushed = harness.now
        harness.respond([address(3)], from: source)
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
        let text = ResourceRecord(World.otherHost, .txt(text("x")), timeToLive: .standard)
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
        let reconfirmed = harness.now
        harness.reconfirm(World.foundAddress)
        harness.advance(by: .seconds(12))
        #expect(harness.queries.count { $0.time - reconfirmed < .seconds(10) } >= 2)
        #expect(
            harness.removed(from: query).map(\.time) == [reconfirmed.advanced(by: .seconds(10))])
    }

    @Test("M10-23 an answer ends the reconfirmation")
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

    @Test("M10-25 one query, answered queries and known answers make no record suspect")
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

    @Test("M10-8 only a record with the flush bit and a lifetime flushes")
    func whatDoesNotFlush() {
        for record in [address(2).flushing(false), address(2).lasting(0)] {
            var (harness, query) = answered([address(1), address(2)])
            harness.advance(by: .seconds(5))
            harness.respond([record])
            harness.advance(by: .seconds(5))
            #expect(harness.present(in: query).contains { $0.data == address(1).data })
        }
    }

    @Test("M10-8 a record that is said again is young again")
    func saidAgain() {
        var (harness, query) = answered([address(1)])
        harness.advance(by: .seconds(5))
        harness.respond([address(1).flushing(false)])
        harness.advance(by: .milliseconds(500))
        harness.respond([address(2)])
        harness.advance(by: .seconds(5))
        #expect(harness.present(in: query).count == 2)
    }

    @Test("M10-18 OPT is not cached even where somebody asks for everything of the root")
    func optionsOfTheRoot() {
        var harness = EngineHarness()
        let query = harness.startQuery(.root, .any)
        harness.advance(by: .milliseconds(200))
        harness.respond(
            [],
            additionals: [
                ResourceRecord(
                    .root, .opt(ExtensionOptions(udpPayloadSize: 1440)),
                    timeToLive: .seconds(100))
            ])
        #expect(harness.added(to: query).isEmpty)
        #expect(harness.engine.cachedRecordCount == 0)
    }

    @Test("M10-22 a record that is made sure of is not listed as known, short-lived or not")
    func suspectIsNotKnown() {
        for seconds in [15 as UInt32, 4500] {
            var (harness, _) = answered([World.foundAddress.lasting(seconds).flushing(false)])
            harness.advance(by: .seconds(1))
            harness.clear()
            harness.reconfirm(World.foundAddress)
            harness.advance(by: .seconds(8))
            #expect(harness.queries.count >= 2)
            #expect(harness.queries.allSatisfy { $0.message.answers.isEmpty })
        }
    }

    @Test("M10-22 of two records that are made sure of, one answer does not spare the other")
    func twoInDoubt() {
        var (harness, query) = answered([address(1), address(2)])
        harness.advance(by: .seconds(5))
        harness.clear()
        harness.reconfirm(address(1))
        harness.reconfirm(address(2))
        harness.advance(by: .milliseconds(500))
        harness.respond([address(1).flushing(false)])
        harness.advance(by: .seconds(12))
        #expect(harness.queries.count >= 2)
        #expect(harness.removed(from: query).map(\.record.data) == [address(2).data])

        // The same where only the reconfirmation asks.
        var alone = EngineHarness(
            configuration: Configuration(families: [.ipv4], cachesEverything: true))
        alone.respond([address(1), address(2)])
        alone.advance(by: .seconds(5))
        alone.reconfirm(address(1))
        alone.reconfirm(address(2))
        alone.advance(by: .milliseconds(500))
        alone.respond([address(1).flushing(false)])
        alone.advance(by: .seconds(9))
        #expect(alone.queries.count >= 2)
    }

    @Test("M10-22 who asks once an hour asks twice in ten seconds to make sure")
    func reconfirmInLongSeries() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(3 * 3600))
        harness.respond([World.foundPointer])
        harness.advance(by: .seconds(10))
        harness.clear()
        harness.reconfirm(World.foundPointer)
        // Another host's same question is no reason to leave out ours.
        for _ in 0..<25 {
            harness.ask(World.type, .ptr, from: .other)
            harness.advance(by: .milliseconds(400))
        }
        #expect(harness.queries.count >= 2)
    }

    @Test("M10-22 M5-15 making sure ends with the ten seconds, or with the answer")
    func reconfirmEnds() {
        for answers in [true, false] {
            var harness = EngineHarness(
                configuration: Configuration(families: [.ipv4], cachesEverything: true))
            harness.respond([World.foundAddress.lasting(4500)])
            harness.advance(by: .seconds(5))
            harness.reconfirm(World.foundAddress)
            harness.advance(by: .seconds(1))
            #expect(!harness.queries.isEmpty)
            if answers { harness.respond([World.foundAddress.lasting(4500)]) }
            harness.advance(by: .seconds(11))
            harness.clear()
            harness.advance(by: .seconds(2 * 4500))
            #expect(harness.queries.isEmpty)
        }
    }

    @Test("M10-23 a record that was confirmed is refreshed and listed as before")
    func confirmedIsAsBefore() {
        var (harness, _) = answered([World.foundAddress.lasting(100)])
        harness.advance(by: .seconds(5))
        harness.reconfirm(World.foundAddress)
        harness.advance(by: .milliseconds(500))
        harness.respond([World.foundAddress.lasting(100)])
        let confirmed = harness.now
        harness.advance(by: .seconds(79))
        harness.clear()
        harness.advance(by: .seconds(20))
        let times = harness.queries.map { $0.time - confirmed }
        #expect(times.count == 4)
        #expect(times.first.map { $0 >= .seconds(80) && $0 <= .seconds(82) } == true)
    }

    @Test("M10-25 a record received between two unanswered queries lives")
    func heardInBetween() {
        var (harness, query) = answered()
        harness.advance(by: .seconds(10))
        harness.ask(World.otherHost, .a, from: .other)
        harness.advance(by: .seconds(5))
        harness.respond([World.foundAddress])
        harness.advance(by: .seconds(5))
        harness.ask(World.otherHost, .a, from: .other)
        harness.advance(by: .seconds(60))
        #expect(harness.removed(from: query).isEmpty)
    }

    @Test("M10-25 queries for other types, or right after an answer, make no record suspect")
    func queriesThatSayNothing() {
        var (harness, query) = answered()
        harness.advance(by: .seconds(10))
        for type in [RecordType.aaaa, .txt, .aaaa] {
            harness.ask(World.otherHost, type, from: .other)
            harness.advance(by: .seconds(2))
        }
        harness.advance(by: .seconds(12))
        #expect(harness.removed(from: query).isEmpty)
        harness.respond([World.foundAddress])
        for _ in 0..<4 {
            harness.advance(by: .milliseconds(200))
            harness.ask(World.otherHost, .a, from: .other)
        }
        harness.advance(by: .seconds(30))
        #expect(harness.removed(from: query).isEmpty)
    }

    @Test("M10-26 a record that others' queries make suspect is not asked for, old or new")
    func suspectIsNotAskedFor() {
        for takesInterest in [false, true] {
            var (harness, _) = answered([World.foundAddress.lasting(100)])
            harness.advance(by: .seconds(74))
            harness.ask(World.otherHost, .a, from: .other)
            harness.advance(by: .seconds(2))
            harness.ask(World.otherHost, .a, from: .other)
            harness.clear()
            harness.advance(by: .seconds(1))
            // Somebody of this host takes an interest in the name's other records.
            if takesInterest { harness.startQuery(World.otherHost, .any) }
            harness.advance(by: .seconds(8))
            #expect(harness.queries.allSatisfy { !$0.asks(Question(World.otherHost, .a)) })
            #expect(harness.queries.allSatisfy { $0.message.answers.isEmpty })
        }
    }

    @Test("M10-17 M10-8 a record whose own source sets the bit later is one of a set from then on")
    func bitSetLater() {
        for (source, count) in [(IPAddress.tester, 1), (.other, 2)] {
            var (harness, query) = answered([address(1).flushing(false)])
            harness.advance(by: .seconds(5))
            harness.respond([address(1)], from: source)
            harness.advance(by: .seconds(5))
            harness.respond([address(3)], from: .other)
            harness.advance(by: .seconds(5))
            #expect(harness.present(in: query).count == count)
        }
    }

    @Test("M10-25 queries from other ports or to one host alone make no record suspect")
    func queriesToOne() {
        for (port, destination) in [(UInt16(40_000), nil), (5353, IPAddress.device)] {
            var (harness, query) = answered()
            harness.advance(by: .seconds(10))
            for _ in 0..<3 {
                harness.ask(World.otherHost, .a, from: .other, port: port, to: destination)
                harness.advance(by: .seconds(2))
            }
            harness.advance(by: .seconds(30))
            #expect(harness.removed(from: query).isEmpty)
        }
    }

    @Test("M10-9 a set is of one type: others of the name are not in the answer")
    func setsAreOfOneType() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.instance, .txt)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.first?.message.answers.map(\.type) == [.txt])
    }

    @Test("M10-19 only the set that was flushed on the other interface is said again")
    func bridgedSet() {
        func saidAgain(_ received: ResourceRecord) -> Set<RecordType> {
            var harness = EngineHarness(interfaces: [.lan, .secondLAN])
            let there = ResourceRecord(
                World.host, .a(IPv4Address(198, 51, 100, 1)), timeToLive: .host)
            let text = ResourceRecord(World.host, .txt(text("x")), timeToLive: .standard)
            let shared = ResourceRecord(
                World.host, .a(IPv4Address(192, 0, 2, 77)), timeToLive: .host)
            harness.establish(
                World.hostSet + [.init(text, .unique), .init(shared, .shared)],
                on: .index(.first))
            harness.establish([.init(there, .unique)], on: .index(.second))
            harness.respond([received], from: .deviceSecond)
            harness.advance(by: .seconds(3))
            #expect(!harness.responses.contains { $0.answers(with: shared) })
            return Set(harness.responses.flatMap(\.message.answers).map(\.type))
        }
        let there = ResourceRecord(
            World.host, .a(IPv4Address(198, 51, 100, 1)), timeToLive: .host)
        #expect(saidAgain(there.flushing()) == [.a])
        #expect(saidAgain(there).isEmpty)
        #expect(saidAgain(there.flushing().lasting(0)).isEmpty)
    }
}
