import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §5: the rules of whoever asks.
@Suite struct QueryingTests {
    @Test("M5-8 the first query waits a random 20 to 120 ms")
    func firstQueryDelay() {
        var delays: [Duration] = []
        for seed in 1...100 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            let start = harness.now
            harness.startQuery(World.type, .ptr)
            harness.advance(by: .seconds(1) - .milliseconds(1))
            #expect(harness.queries.count == 1)
            if let first = harness.queries.first { delays.append(first.time - start) }
        }
        #expect(delays.allSatisfy { $0 >= .milliseconds(20) && $0 <= .milliseconds(120) })
        for quarter in 0..<4 {
            let low = Duration.milliseconds(20 + 25 * quarter)
            #expect(delays.count { $0 >= low && $0 < low + .milliseconds(25) } >= 10)
        }
    }

    @Test("M5-4 M5-5 M5-7 gaps begin at a second, double, and stay at an hour")
    func queryGaps() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(6 * 3600))
        let found = gaps(harness.queries.map(\.time))
        #expect(found.count >= 14)
        #expect(found.first == .seconds(1))
        for (gap, next) in zip(found, found.dropFirst()) {
            #expect(next >= gap * 2 || next >= .seconds(3600))
        }
        #expect((found.last ?? .zero) >= .seconds(3600))
        #expect((found.last ?? .zero) <= .seconds(3700))
    }

    @Test("M5-6 M7-1 continuous queries list the answers known already")
    func knownAnswersAreListed() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundPointer])
        harness.clear()
        harness.advance(by: .seconds(1))
        #expect(harness.queries.count == 1)
        #expect(harness.queries.first?.answers(with: World.foundPointer) == true)
        #expect(harness.queries.first?.message.answers.first?.timeToLive == .seconds(4499))
    }

    @Test("M5-9 an answer goes when its time to live has run out")
    func expiry() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        let received = harness.now
        harness.respond([World.foundPointer.lasting(10)])
        harness.advance(by: .seconds(20))
        let removed = harness.removed(from: query)
        #expect(removed.map(\.record.data) == [World.foundPointer.data])
        #expect(removed.map(\.time) == [received.advanced(by: .seconds(10))])
        harness.clear()
        harness.advance(by: .seconds(60))
        #expect(harness.queries.allSatisfy { $0.message.answers.isEmpty })
    }

    /// When a record with the flush bit and 100 s to live is asked for again.
    private func refreshTimes(seed: UInt64 = 1, isUnique: Bool = true) -> [Duration] {
        var harness = EngineHarness(seed: seed)
        harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        let received = harness.now
        harness.respond([World.foundAddress.lasting(100).flushing(isUnique)])
        harness.clear()
        harness.advance(by: .seconds(99))
        return harness.queries.map { $0.time - received }
    }

    private static let windows: [ClosedRange<Duration>] = [
        .seconds(80)...(.seconds(82)), .seconds(85)...(.seconds(87)),
        .seconds(90)...(.seconds(92)), .seconds(95)...(.seconds(97)),
    ]

    @Test(
        "M5-10 M5-12 M5-16 M5-18 a record in use is asked for at 80, 85, 90 and 95 % of its life",
        arguments: 1...20 as ClosedRange<UInt64>)
    func refreshSchedule(_ seed: UInt64) {
        let times = refreshTimes(seed: seed)
        #expect(times.count == 4)
        for (time, window) in zip(times, Self.windows) { #expect(window.contains(time)) }
    }

    @Test("M5-16 refresh times have a random extra")
    func refreshJitter() {
        let firsts = (1...20 as ClosedRange<UInt64>).compactMap { refreshTimes(seed: $0).first }
        #expect(Set(firsts).count > 10)
        // Of a hundred seconds two.
        #expect((firsts.max() ?? .zero) - (firsts.min() ?? .zero) > .milliseconds(1200))
    }

    @Test("M5-11 M5-17 M7-2 a unique answer ends the series: nothing before half of its life")
    func uniqueAnswerEndsSeries() {
        #expect(refreshTimes().allSatisfy { $0 >= .seconds(50) })
    }

    @Test("M5-13 an answer to a refresh query starts the schedule anew")
    func refreshRestarts() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress.lasting(100)])
        harness.advance(by: .seconds(83))
        let renewed = harness.now
        harness.respond([World.foundAddress.lasting(100)])
        harness.clear()
        harness.advance(by: .seconds(99))
        let times = harness.queries.map { $0.time - renewed }
        #expect(times.count == 4)
        #expect(Self.windows[0].contains(times.first ?? .zero))
        #expect(harness.removed(from: query).isEmpty)
    }

    @Test("M5-14 after four unanswered refreshes the record goes at the end of its life")
    func fourRefreshesThenGone() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        let received = harness.now
        harness.respond([World.foundAddress.lasting(100)])
        harness.clear()
        harness.advance(by: .milliseconds(99_999))
        #expect(harness.queries.count == 4)
        #expect(harness.removed(from: query).isEmpty)
        harness.advance(by: .milliseconds(2))
        #expect(harness.removed(from: query).map(\.time) == [received.advanced(by: .seconds(100))])
    }

    @Test("M5-15 no refresh for what nobody is interested in")
    func noInterestNoRefresh() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], cachesEverything: true))
        harness.respond([World.foundAddress.lasting(20)])
        harness.advance(by: .seconds(30))
        #expect(harness.queries.isEmpty)

        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress.lasting(20)])
        harness.stopQuery(query)
        harness.clear()
        harness.advance(by: .seconds(30))
        #expect(harness.queries.isEmpty)
    }

    @Test("M3-3 M18-4 queries go to the group on port 5353 with the id 0")
    func destinationOfQueries() {
        var harness = EngineHarness(
            configuration: Configuration(), interfaces: [.dual])
        harness.startQuery(named("x.local"), .a)
        harness.advance(by: .seconds(10))
        let destinations = Set(harness.queries.map(\.destination.address))
        #expect(destinations == [.multicastDNS(.ipv4), .multicastDNS(.ipv6)])
        #expect(harness.queries.allSatisfy { $0.destination.port == 5353 })
        #expect(harness.queries.allSatisfy { $0.message.header.id == 0 })
        #expect(harness.unicastResponses.isEmpty)
    }

    @Test("M5-20 M18-1 M18-2 M18-6 what is announced unasked and under any id is used")
    func unsolicitedResponses() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(30))
        harness.respond([World.foundPointer], id: 0xBEEF)
        #expect(harness.added(to: query).map(\.data) == [World.foundPointer.data])
    }

    @Test("M5-22 M5-23 M5-24 questions that run when a link comes up ask for unicast, once")
    func unicastAtLinkUp() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(20))
        harness.update(interfaces: [.lanWithoutCarrier])
        harness.advance(by: .seconds(20))
        harness.clear()
        harness.update(interfaces: [.lan])
        harness.advance(by: .seconds(20))
        let bits = harness.queries.flatMap(\.message.questions).map(\.prefersUnicast)
        #expect(bits.count >= 4)
        #expect(bits.first == true)
        #expect(bits.dropFirst().allSatisfy { !$0 })
    }

    @Test("M5-22 waking up asks for unicast first too")
    func unicastAtWake() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(20))
        harness.clear()
        harness.wake()
        harness.advance(by: .seconds(2))
        #expect(harness.queries.first?.message.questions.first?.prefersUnicast == true)
        #expect(harness.queries.last?.message.questions.first?.prefersUnicast == false)
    }

    @Test("M5-25 M5-26 questions made later never ask for unicast")
    func laterQuestionsAskForMulticast() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(20))
        #expect(harness.queries.count >= 4)
        #expect(
            harness.queries.flatMap(\.message.questions).allSatisfy { !$0.prefersUnicast })
    }

    @Test("M15-2 who shares port 5353 does not ask for unicast")
    func sharersDoNotAskForUnicast() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], mayAskForUnicast: false))
        harness.startQuery(World.type, .ptr)
        harness.publish(World.all)
        harness.update(interfaces: [])
        harness.update(interfaces: [.lan])
        harness.wake()
        harness.advance(by: .seconds(20))
        #expect(!harness.queries.isEmpty)
        #expect(!harness.probes.isEmpty)
        #expect(
            harness.sent.flatMap(\.message.questions).allSatisfy { !$0.prefersUnicast })
    }

    @Test("M6-8 M18-2 questions in a response are ignored, its records are used")
    func questionsInResponses() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.establish(World.all)
        harness.respond([World.foundAddress], questions: [Question(World.host, .a)])
        #expect(harness.added(to: query).map(\.data) == [World.foundAddress.data])
        harness.advance(by: .seconds(2))
        #expect(harness.responses.isEmpty)
    }

    @Test("M6-27 M6-31 M6-32 a denial is taken at once, whatever its next name")
    func denials() throws {
        for next in [World.otherHost, named("zzz.local"), .root] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .aaaa)
            harness.advance(by: .milliseconds(200))
            harness.respond([
                ResourceRecord(
                    World.otherHost, .nsec(NextSecure(nextName: next, types: [.a])),
                    timeToLive: .host, cacheFlush: true)
            ])
            #expect(harness.absences(of: query) == [.aaaa])
        }
    }

    @Test("M12-3 a denial says nothing of other names and types")
    func denialsAreNarrow() {
        var harness = EngineHarness()
        let child = harness.startQuery(named("child.other.local"), .a)
        let held = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([
            ResourceRecord(
                World.otherHost, .nsec(NextSecure(nextName: World.otherHost, types: [.a])),
                timeToLive: .host, cacheFlush: true)
        ])
        harness.advance(by: .seconds(5))
        #expect(harness.absences(of: child).isEmpty)
        #expect(harness.absences(of: held).isEmpty)
    }

    @Test("M6-34 a broken NSEC does not cost the records beside it")
    func brokenDenial() throws {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        var message = Message(header: .response, answers: [World.foundAddress])
        message.additionals = [
            ResourceRecord(
                World.otherHost, .unknown(.nsec, [0, 0, 99, 1]), timeToLive: .host)
        ]
        harness.receive(message)
        #expect(harness.added(to: query).count == 1)
        #expect(harness.engine.statistics.damaged == 1)
    }

    @Test("M5-15 M5-10 a refresh asks for the record's own type only")
    func refreshIsNarrow() {
        var harness = EngineHarness()
        harness.startQuery(World.otherHost, .a)
        harness.startQuery(World.otherHost, .txt)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress.lasting(100)])
        harness.advance(by: .seconds(70))
        harness.clear()
        harness.advance(by: .seconds(29))
        let asked = harness.queries.flatMap(\.message.questions)
        #expect(asked.count { $0.type == .a } == 4)
        #expect(asked.allSatisfy { $0.type == .a })
    }

    @Test("M5-17 shared answers, doubted ones and ANY do not end the series")
    func seriesThatGoOn() {
        func queries(
            _ type: RecordType, _ prepare: (inout EngineHarness) -> Void
        ) -> Int {
            var harness = EngineHarness()
            harness.startQuery(World.otherHost, type)
            harness.advance(by: .milliseconds(200))
            prepare(&harness)
            harness.clear()
            harness.advance(by: .seconds(40))
            return harness.queries.count
        }
        let found = World.foundAddress.lasting(4500)
        #expect(queries(.a) { $0.respond([found]) } == 0)
        #expect(queries(.a) { $0.respond([found.flushing(false)]) } == 5)
        #expect(queries(.any) { $0.respond([found]) } == 5)
        // Of another type, which somebody else has asked for.
        #expect(
            queries(.txt) {
                $0.startQuery(World.otherHost, .a)
                $0.respond([found])
            } == 5)
    }

    @Test("M5-17 a question with an answer that is in doubt starts its series")
    func doubtedAnswer() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], cachesEverything: true))
        harness.respond([World.foundAddress.lasting(4500)])
        harness.advance(by: .seconds(5))
        harness.respond([World.foundAddress.lasting(0)])
        harness.advance(by: .milliseconds(10))
        harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        #expect(harness.queries.count == 1)
    }

    @Test("M5-17 M6-27 a denial ends the series as an answer does")
    func denialEndsSeries() {
        var harness = EngineHarness()
        harness.startQuery(World.otherHost, .aaaa)
        harness.advance(by: .milliseconds(200))
        harness.respond([denial(.a).lasting(4500)])
        harness.clear()
        harness.advance(by: .seconds(1000))
        #expect(harness.queries.isEmpty)
    }

    private func denial(_ types: RecordType...) -> ResourceRecord {
        ResourceRecord(
            World.otherHost, .nsec(NextSecure(nextName: World.otherHost, types: types)),
            timeToLive: .host, cacheFlush: true)
    }

    @Test("M6-27 M12-3 a denial answers single types of its class, and no alias is denied")
    func whatIsDenied() {
        func absences(
            _ type: RecordType, _ recordClass: RecordClass = .internet,
            by record: ResourceRecord
        ) -> [RecordType] {
            var harness = EngineHarness()
            let query = harness.engine.startQuery(
                Question(World.otherHost, type, recordClass: recordClass), on: .all,
                at: harness.now)
            harness.advance(by: .milliseconds(200))
            harness.respond([record])
            return harness.absences(of: query)
        }
        #expect(absences(.aaaa, by: denial(.a)) == [.aaaa])
        #expect(absences(.aaaa, .any, by: denial(.a)) == [.aaaa])
        #expect(absences(.aaaa, RecordClass(rawValue: 3), by: denial(.a)).isEmpty)
        #expect(absences(.any, by: denial(.a)).isEmpty)
        #expect(absences(.aaaa, by: denial(.cname)).isEmpty)
    }

    @Test("M15-2 M5-26 the first questions of a link don't ask for unicast either")
    func firstQuestionsOfSharers() {
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], mayAskForUnicast: false))
        harness.update(interfaces: [])
        harness.update(interfaces: [.lan])
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(20))
        #expect(!harness.queries.isEmpty)
        #expect(
            harness.queries.flatMap(\.message.questions).allSatisfy { !$0.prefersUnicast })
    }

    @Test("A-18 a record that lives a second makes no storm of queries")
    func tinyTimeToLive() {
        var harness = EngineHarness()
        harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        for _ in 0..<100 {
            harness.respond([World.foundAddress.lasting(1)])
            harness.advance(by: .milliseconds(900))
        }
        for gap in gaps(harness.queries.map(\.time)) { #expect(gap >= .seconds(1)) }
    }
}
