import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What waits, is cached or is counted when a second thing happens: to another family, another
/// record, or within the very second.
@Suite struct SecondStateTests {
    private static let secondAddress = ResourceRecord(
        World.otherHost, .a(IPv4Address(192, 0, 2, 12)), timeToLive: .host, cacheFlush: true)

    private func dual() -> EngineHarness {
        EngineHarness(configuration: Configuration(), interfaces: [.dual])
    }

    // MARK: Answers that wait

    @Test(
        "M6-21 an answer that both families wait for leaves by each when that one may",
        arguments: [false, true])
    func heldBack(sixFirst: Bool) {
        let sources: [IPAddress] = sixFirst ? [.tester6, .tester] : [.tester, .tester6]
        var harness = dual()
        harness.establish(World.dualHostSet)
        let start = harness.now
        harness.ask(World.host, .a, from: sources[0])
        harness.advance(by: .milliseconds(500))
        harness.ask(World.host, .a, from: sources[1])
        harness.advance(by: .milliseconds(100))
        #expect(harness.responses.count == 2)
        harness.clear()
        for source in sources { harness.ask(World.host, .a, from: source) }
        harness.advance(by: .seconds(3))
        #expect(harness.responses.map { $0.time - start } == [.seconds(1), .milliseconds(1500)])
        #expect(
            harness.responses.map(\.destination.address)
                == sources.map { .multicastDNS($0.family) })
    }

    @Test(
        "M9-3 a unicast reply that waits does not leave when its name is contested meanwhile",
        arguments: [UInt16(5353), 40_000])
    func replyOfContestedName(port: UInt16) {
        for isContested in [false, true] {
            var harness = EngineHarness()
            harness.establish(World.all)
            let questions = [RecordType.srv, .txt].map {
                Question(World.instance, $0, prefersUnicast: true)
            }
            harness.ask(questions, port: port)
            #expect(harness.responses.isEmpty)
            if isContested { harness.respond([World.rivalLocation()], from: .other) }
            harness.advance(by: .milliseconds(200))
            #expect(harness.unicastResponses.count == (isContested ? 0 : 1))
        }
    }

    @Test("M6-21 every answer of a reply that is over the budget is multicast")
    func overBudget() {
        var harness = EngineHarness()
        let strings = TextStrings((0..<4).map { [UInt8](repeating: UInt8($0), count: 250) })
        let large = ResourceRecord(
            World.instance, .txt(strings ?? .empty), timeToLive: .standard)
        harness.establish([.init(large, .unique), .init(World.location, .unique)])
        for _ in 0..<100 where harness.engine.statistics.unicastCapped == 0 {
            harness.ask(World.instance, .any, prefersUnicast: true)
        }
        harness.advance(by: .seconds(2))
        #expect(harness.unicastResponses.count > 5)
        #expect(harness.engine.statistics.unicastCapped == 1)
        for record in [large, World.location] {
            #expect(harness.multicastResponses.contains { $0.answers(with: record) })
        }
    }

    @Test("M6-10 an answer that is due at once does not wait for one that was asked for before")
    func dueAtOnce() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([.srv, .txt].map { Question(World.instance, $0) })
        harness.advance(by: .milliseconds(5))
        let start = harness.now
        harness.ask(World.instance, .srv, from: .other)
        #expect(harness.responses.map(\.time) == [start])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count { $0.answers(with: World.location) } == 1)
        #expect(harness.responses.count { $0.answers(with: World.attributes) } == 1)
    }

    @Test("M6-23 a name is defended at its own rate though the record is to be multicast anyway")
    func defenceOfPending() {
        var harness = EngineHarness()
        harness.establish(World.hostSet)
        harness.ask(World.host, .a)
        harness.advance(by: .milliseconds(100))
        harness.ask(World.host, .a)
        harness.advance(by: .milliseconds(200))
        harness.clear()
        harness.probe(World.host, proposing: [World.rival(World.host)])
        #expect(harness.multicastResponses.count == 1)
        harness.advance(by: .seconds(3))
        #expect(harness.multicastResponses.count == 1)
    }

    @Test("M7-12 an answer that was taken back leaves nothing of its time for the next querier")
    func takenBack() {
        var harness = EngineHarness()
        harness.establish(World.serviceSet)
        let question = Question(World.type, .ptr)
        harness.ask([question], isTruncated: true)
        harness.advance(by: .milliseconds(50))
        harness.ask([], known: [World.pointer])
        harness.advance(by: .milliseconds(250))
        let asked = harness.now
        harness.ask([question], isTruncated: true, from: .other)
        harness.advance(by: .seconds(2))
        #expect(harness.responses.count == 1)
        #expect((harness.responses.first?.time ?? .zero) - asked >= .milliseconds(400))
    }

    @Test("M8-10 M6-22 a probe for several names is answered at once, an old record both ways")
    func defenceOfSeveral() {
        for isFresh in [true, false] {
            var harness = EngineHarness()
            harness.establish(World.all)
            if !isFresh { harness.advance(by: .seconds(2_000)) }
            let names = [World.host, World.instance]
            let rivals = [World.rival(World.host), World.rivalLocation()]
            harness.receive(
                Message(
                    questions: names.map { Question($0, .any, prefersUnicast: true) },
                    authorities: rivals))
            for record in [World.address, World.location] {
                #expect(harness.unicastResponses.contains { $0.answers(with: record) })
                #expect(
                    harness.multicastResponses.contains { $0.answers(with: record) } != isFresh)
            }
        }
    }

    @Test("M7-3 an NSEC that the querier knows is not said again")
    func knownNegative() {
        for isKnown in [false, true] {
            var harness = EngineHarness()
            harness.establish(World.hostSet)
            let negative = ResourceRecord(
                World.host, .nsec(NextSecure(nextName: World.host, types: [.a])),
                timeToLive: .host)
            harness.ask(World.host, .aaaa, known: isKnown ? [negative] : [])
            harness.advance(by: .seconds(2))
            #expect(harness.responses.isEmpty == isKnown)
        }
    }

    // MARK: The second family

    @Test("M6-52 M10-5 a record that somebody else said goodbye to is said again by both families")
    func restored() {
        for source in [IPAddress.tester, .tester6] {
            var harness = dual()
            harness.establish(World.hostSet)
            harness.respond([World.address.lasting(0)], from: source)
            harness.advance(by: .seconds(1))
            #expect(
                harness.responses.map(\.destination.address.family) == [.ipv4, .ipv6])
        }
    }

    @Test("M7-15 another's answer over one family does not count over the other")
    func copyOverOneFamily() {
        for (source, left) in [(IPAddress.tester, AddressFamily.ipv6), (.tester6, .ipv4)] {
            var harness = dual()
            harness.establish([.init(World.pointer, .shared)])
            for asker in [IPAddress.tester, .tester6] { harness.ask(World.type, .ptr, from: asker) }
            harness.respond([World.pointer], from: source)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.map(\.destination.address.family) == [left])
        }
    }

    @Test("M6-21 an announcement waits for what either family has just had, and leaves by both")
    func announcementAfterAnswer() {
        for source in [IPAddress.tester, .tester6] {
            var harness = dual()
            let id = harness.establish(World.hostSet)
            harness.ask(World.host, .a, from: source)
            let asked = harness.now
            harness.advance(by: .milliseconds(100))
            harness.clear()
            harness.update(id, to: [.init(World.address.lasting(60), .unique)])
            harness.advance(by: .seconds(5))
            for family in [AddressFamily.ipv4, .ipv6] {
                let times = harness.responses.filter { $0.destination.address.family == family }
                    .map { $0.time - asked }
                #expect(times == [.seconds(1), .seconds(2)])
            }
        }
    }

    @Test("an answer that waits for a family is forgotten with it")
    func familyGone() {
        var harness = dual()
        harness.establish(World.hostSet)
        for _ in 0..<2 {
            harness.ask(World.host, .a, from: .tester6)
            harness.advance(by: .milliseconds(300))
        }
        harness.clear()
        harness.update(interfaces: [.lan])
        harness.advance(by: .seconds(5))
        #expect(harness.responses.isEmpty)
        #expect(harness.engine.deadline == nil)
    }

    // MARK: The cache

    @Test("M10-8 a member of exactly a second stays, one that is older goes")
    func ageOfMembers() {
        for (age, count) in [
            (Duration.seconds(1), 2), (.seconds(1) + .nanoseconds(1), 1),
        ] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .a)
            harness.respond([World.foundAddress])
            harness.advance(by: age)
            harness.respond([Self.secondAddress])
            harness.advance(by: .seconds(3))
            #expect(harness.present(in: query).count == count)
        }
    }

    @Test("D-28 of a source's unasked records the newest makes room for an answer")
    func newestMakesRoom() {
        var limits = Limits()
        limits.cachedRecordsPerSource = 3
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], limits: limits))
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(20))
        let pointers = ["A", "B", "C", "D"].map {
            ResourceRecord(
                World.type, .ptr(named("\($0)._ipp._tcp.local")), timeToLive: .standard)
        }
        for record in pointers.prefix(3) {
            harness.respond([record])
            harness.advance(by: .milliseconds(200))
        }
        harness.clear()
        for _ in 0..<200 where harness.queries.isEmpty { harness.advance(by: .milliseconds(100)) }
        harness.respond([pointers[3]])
        #expect(harness.removed(from: query).map(\.record.data) == [pointers[2].data])
        #expect(harness.added(to: query).map(\.data) == [pointers[3].data])
    }

    @Test(
        "M10-22 records that nobody looks for are made sure of until each was received",
        arguments: [0, 1])
    func unusedReconfirmed(answered: Int) {
        let records = [World.foundAddress, Self.secondAddress]
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.respond(records)
        harness.advance(by: .seconds(5))
        harness.stopQuery(query)
        for record in records { harness.reconfirm(record) }
        harness.advance(by: .milliseconds(300))
        harness.respond([records[answered].flushing(false)])
        harness.clear()
        harness.advance(by: .seconds(12))
        #expect(!harness.queries.isEmpty)
        harness.clear()
        harness.advance(by: .seconds(60))
        #expect(harness.queries.isEmpty)
    }

    // MARK: What others ask

    @Test("M7-14 what was asked over one family before our own query does not count after it")
    func halfOfDuplicate() {
        for sources in [[IPAddress.tester, .tester6], [.tester6, .tester]] {
            var harness = dual()
            harness.startQuery(World.type, .ptr)
            harness.advance(by: .milliseconds(1_500))
            harness.ask(World.type, .ptr, from: sources[0])
            harness.clear()
            harness.advance(by: .seconds(2))
            #expect(harness.queries.count == 2)
            harness.ask(World.type, .ptr, from: sources[1])
            harness.advance(by: .seconds(4))
            #expect(harness.queries.count == 4)
            #expect(harness.engine.statistics.suppressedByDuplicateQuestion == 0)
        }
    }
}
