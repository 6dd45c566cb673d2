import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// The second query, question, record and family of the querier and the cache.
@Suite struct SecondQueryTests {
    private static let web = named("_http._tcp.local")
    private static let foundWeb = ResourceRecord(
        web, .ptr(named("Web._http._tcp.local")), timeToLive: .standard)
    private static let second = ResourceRecord(
        World.type, .ptr(named("Second._ipp._tcp.local")), timeToLive: .standard)
    private static let secondAddress = ResourceRecord(
        World.otherHost, .a(IPv4Address(192, 0, 2, 77)), timeToLive: .host, cacheFlush: true)

    // MARK: Two queries for one question

    @Test("two queries for one question get the same, and one goes on when the other ends")
    func sharedQuestion() {
        var harness = EngineHarness()
        let first = harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundPointer, Self.second])
        let second = harness.startQuery(World.type, .ptr)
        let third = harness.startQuery(World.type, .ptr)
        for query in [first, second, third] { #expect(harness.present(in: query).count == 2) }
        harness.stopQuery(first)
        harness.clear()
        let later = ResourceRecord(
            World.type, .ptr(named("Third._ipp._tcp.local")), timeToLive: .standard)
        harness.respond([later])
        harness.respond([Self.second.lasting(0)])
        harness.advance(by: .seconds(20))
        #expect(harness.changes(of: first).isEmpty)
        for query in [second, third] {
            #expect(harness.added(to: query).map(\.data) == [later.data])
            #expect(harness.removed(from: query).map(\.record.data) == [Self.second.data])
        }
        #expect(!harness.queries.isEmpty)
        harness.stopQuery(second)
        harness.stopQuery(third)
        harness.clear()
        harness.advance(by: .seconds(4_600))
        #expect(harness.sent.isEmpty)
    }

    @Test("M5-9 what is gone is so for every question about its name", arguments: [false, true])
    func severalQuestions(anyFirst: Bool) {
        var harness = EngineHarness()
        let types: [RecordType] = anyFirst ? [.any, .a] : [.a, .any]
        let queries = types.map { harness.startQuery(World.otherHost, $0) }
        harness.respond([World.foundAddress])
        harness.advance(by: .seconds(2))
        #expect(queries.map { harness.present(in: $0).count } == [1, 1])
        harness.respond([World.foundAddress.lasting(0)])
        harness.advance(by: .seconds(2))
        #expect(queries.map { harness.removed(from: $0).count } == [1, 1])
    }

    // MARK: Two questions at once

    @Test("M7-1 M5-6 known answers of every question of a packet are listed")
    func knownAnswersOfBoth() {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.startQuery(World.type, .ptr)
        harness.startQuery(Self.web, .ptr)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundPointer, Self.foundWeb])
        harness.clear()
        harness.advance(by: .seconds(10))
        for family in AddressFamily.allCases {
            let queries = harness.queries.filter { $0.destination.address.family == family }
            #expect(!queries.isEmpty)
            for query in queries {
                #expect(query.message.questions.count == 2)
                for record in [World.foundPointer, Self.foundWeb] {
                    let known = query.message.answers.first { $0.isSameRecord(as: record) }
                    // With the lifetime that is left, rounded down.
                    #expect(known.map { $0.timeToLive < .standard } == true)
                    #expect(known.map { $0.timeToLive > .seconds(4_480) } == true)
                }
            }
        }
    }

    @Test("M5-22 M5-23 M5-4 every question starts over when the link comes up or wakes")
    func restart() {
        for isWake in [true, false] {
            var harness = EngineHarness(configuration: Configuration(), interfaces: [.lan])
            harness.startQuery(World.type, .ptr)
            harness.startQuery(Self.web, .ptr)
            harness.advance(by: .seconds(1_000))
            harness.clear()
            if isWake { harness.wake() } else { harness.update(interfaces: [.dual]) }
            harness.advance(by: .seconds(8))
            for name in [World.type, Self.web] {
                let asked = harness.queries.filter {
                    $0.destination.address.family == .ipv4 && $0.asks(Question(name, .ptr))
                }
                // The series of a question that is new: 1, 2 and 4 seconds.
                #expect(
                    gaps(asked.map(\.time)) == [.seconds(1), .seconds(2), .seconds(4)],
                    "\(name) \(isWake)")
                let isUnicast = asked.map { $0.message.questions.map(\.prefersUnicast) }
                #expect(
                    isUnicast == [[true, true]] + asked.dropFirst().map { _ in [false, false] })
            }
        }
    }

    @Test("M7-14 M10-25 every question of another host's query counts")
    func observedQuestions() {
        var harness = EngineHarness()
        harness.startQuery(Self.web, .ptr)
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress])
        harness.advance(by: .milliseconds(800))
        harness.clear()
        // The second question is the one that ours is about to repeat.
        harness.ask([Question(named("x.local"), .a), Question(Self.web, .ptr)], from: .other)
        harness.advance(by: .milliseconds(500))
        #expect(harness.queries.isEmpty)
        #expect(harness.engine.statistics.suppressedByDuplicateQuestion == 1)
        for _ in 0..<2 {
            harness.advance(by: .seconds(3))
            harness.ask(
                [Question(named("x.local"), .a), Question(World.otherHost, .a)], from: .other)
        }
        harness.advance(by: .seconds(11))
        #expect(harness.removed(from: query).count == 1)
    }

    @Test("M10-25 a question that was answered counts no more")
    func answeredQuestion() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress])
        for _ in 0..<5 {
            harness.advance(by: .seconds(3))
            harness.ask(World.otherHost, .a, from: .other)
            harness.advance(by: .seconds(3))
            harness.respond([World.foundAddress])
        }
        harness.advance(by: .seconds(20))
        #expect(harness.removed(from: query).isEmpty)
        harness.clear()
        for _ in 0..<2 {
            harness.ask(World.otherHost, .a, from: .other)
            harness.advance(by: .seconds(3))
        }
        harness.advance(by: .seconds(10))
        #expect(harness.removed(from: query).count == 1)
    }

    // MARK: Two records

    @Test("M10-20 after wake-up every record has to prove itself")
    func wakeUp() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        let other = harness.startQuery(World.otherHost, .a)
        harness.respond([World.foundPointer, Self.second])
        harness.respond([World.foundAddress, Self.secondAddress])
        harness.advance(by: .seconds(60))
        harness.wake()
        harness.advance(by: .seconds(5))
        harness.respond([Self.second])
        harness.advance(by: .seconds(6))
        #expect(harness.removed(from: query).map(\.record.data) == [World.foundPointer.data])
        #expect(harness.removed(from: other).count == 2)
    }

    @Test("M5-10 M5-15 every record that came along is refreshed once it is asked for")
    func usedLater() {
        var harness = EngineHarness()
        harness.startQuery(World.otherInstance, .srv)
        harness.respond(
            [World.foundLocation], additionals: [World.foundAddress, Self.secondAddress])
        harness.advance(by: .seconds(10))
        let query = harness.startQuery(World.otherHost, .a)
        #expect(harness.present(in: query).count == 2)
        harness.advance(by: .seconds(200))
        // Both are reported gone, at the end of their lives.
        #expect(harness.removed(from: query).count == 2)
    }

    @Test("M10-22 a reconfirmation goes on until every record of the question was received")
    func reconfirmation() {
        for (answer, left) in [
            (World.foundAddress, Self.secondAddress), (Self.secondAddress, World.foundAddress),
        ] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .a)
            harness.respond([World.foundAddress, Self.secondAddress])
            harness.advance(by: .seconds(5))
            harness.reconfirm(World.foundAddress)
            harness.reconfirm(Self.secondAddress)
            harness.advance(by: .milliseconds(300))
            harness.clear()
            harness.respond([answer.flushing(false)])
            harness.advance(by: .seconds(12))
            #expect(!harness.queries.isEmpty)
            #expect(harness.removed(from: query).map(\.record.data) == [left.data])
        }
    }

    // MARK: The second family

    @Test("M10-21 the reverse mapping of a former address is reconfirmed, of either family")
    func formerAddresses() {
        for (type, old, new) in [
            (RecordType.a, IPAddress.tester, IPAddress.other),
            (.aaaa, .tester6, .v6(IPv6Address(rawValue: 0xFE80 << 112 | 7))),
        ] {
            var harness = EngineHarness()
            let reverse = ResourceRecord(
                ReverseMapping.name(of: old), .ptr(World.otherHost), timeToLive: .host,
                cacheFlush: true)
            let query = harness.startQuery(reverse.name, .ptr)
            harness.startQuery(World.otherHost, type)
            let address = ResourceRecord(
                World.otherHost, RecordData(old), timeToLive: .host, cacheFlush: true)
            harness.respond([reverse, address])
            harness.advance(by: .seconds(10))
            harness.clear()
            harness.respond(
                [
                    ResourceRecord(
                        World.otherHost, RecordData(new), timeToLive: .host, cacheFlush: true)
                ])
            harness.advance(by: .seconds(12))
            #expect(harness.queries.contains { $0.asks(Question(reverse.name, .ptr)) })
            #expect(harness.removed(from: query).count == 1)
        }
    }
}
