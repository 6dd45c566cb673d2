import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §7: saying less.
@Suite struct TrafficReductionTests {
    // MARK: Known answers, responder

    @Test(
        "M7-3 M7-4 known answers silence at half of the lifetime or more, and not below",
        arguments: [
            (4500 as UInt32, false), (3000, false), (2250, false), (2249, true), (1000, true),
            (1, true),
        ])
    func knownAnswers(_ seconds: UInt32, _ answers: Bool) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.type, .ptr, known: [World.pointer.lasting(seconds)])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.isEmpty == !answers)
        #expect(harness.engine.statistics.suppressedByKnownAnswer == (answers ? 0 : 1))
    }

    @Test("M7-3 a known answer with other data silences nothing")
    func knownAnswerOfAnother() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.type, .ptr, known: [World.foundPointer])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.first?.answers(with: World.pointer) == true)
    }

    @Test("M7-6 what others list as known is not cached")
    func knownAnswersAreNotCached() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        harness.ask(World.type, .ptr, known: [World.foundPointer])
        harness.clear()
        harness.advance(by: .seconds(10))
        #expect(harness.added(to: query).isEmpty)
        #expect(!harness.queries.isEmpty)
        #expect(harness.queries.allSatisfy { $0.message.answers.isEmpty })
    }

    // MARK: Known answers, querier

    @Test("M7-5 records past half of their life are not listed")
    func agedAnswersAreNotListed() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        let received = harness.now
        harness.respond([World.foundPointer.lasting(40)])
        harness.advance(by: .seconds(38))
        let after = harness.queries.filter { $0.time > received }
        let early = after.filter { $0.time - received <= .seconds(19) }
        let late = after.filter { $0.time - received > .seconds(20) }
        #expect(!early.isEmpty && early.allSatisfy { $0.carries(World.foundPointer) })
        #expect(!late.isEmpty && late.allSatisfy { !$0.carries(World.foundPointer) })
    }

    /// A browse that knows so many instances, and the packets of its next query.
    private func packets(knowing count: Int) -> [EngineHarness.Sent] {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        for index in 0..<count {
            harness.respond([Self.found(index)])
        }
        harness.clear()
        harness.advance(by: .seconds(1))
        return harness.queries
    }

    private static func found(_ index: Int) -> ResourceRecord {
        ResourceRecord(
            World.type, .ptr(named("Instance number \(index) of many._ipp._tcp.local")),
            timeToLive: .standard)
    }

    @Test("M7-7 M7-8 M7-9 M7-10 known answers that don't fit follow in packets of their own")
    func knownAnswersOverManyPackets() {
        let packets = packets(knowing: 200)
        #expect(packets.count >= 3)
        #expect(packets.first?.message.questions.count == 1)
        #expect(packets.dropFirst().allSatisfy { $0.message.questions.isEmpty })
        #expect(packets.dropLast().allSatisfy { $0.message.header.isTruncated })
        #expect(packets.last?.message.header.isTruncated == false)
        #expect(packets.allSatisfy { $0.bytes.count <= 1472 && !$0.message.answers.isEmpty })
        #expect(packets.dropLast().allSatisfy { $0.bytes.count > 1400 })
        #expect(Set(packets.map(\.time)).count == 1)
        let listed = packets.flatMap(\.message.answers).map(\.data)
        #expect(listed.count == 200)
        #expect(Set(listed).count == 200)
    }

    @Test("M7-8 a query that fits has no TC")
    func fittingQueryHasNoTruncation() {
        let packets = packets(knowing: 5)
        #expect(packets.count == 1)
        #expect(packets.first?.message.header.isTruncated == false)
    }

    // MARK: Known answers over several packets, responder

    @Test("M6-14 M7-11 M18-16 a query with TC is answered after 400 to 500 ms")
    func truncatedQueriesWait() {
        var delays: [Duration] = []
        for seed in 1...40 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            harness.establish(World.all)
            let asked = harness.now
            harness.ask([Question(World.type, .ptr)], isTruncated: true)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.count == 1)
            if let first = harness.responses.first { delays.append(first.time - asked) }
        }
        #expect(delays.allSatisfy { $0 >= .milliseconds(400) && $0 <= .milliseconds(500) })
        #expect((delays.max() ?? .zero) - (delays.min() ?? .zero) > .milliseconds(50))
    }

    @Test("M7-12 A-24 known answers in the next packet take the answer back")
    func laterKnownAnswers() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.type, .ptr)], isTruncated: true)
        harness.advance(by: .milliseconds(100))
        harness.ask([], known: [World.pointer])
        harness.advance(by: .seconds(2))
        #expect(harness.responses.isEmpty)
    }

    @Test("M7-12 not if another host asked meanwhile")
    func laterKnownAnswersOfOneOfTwo() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.type, .ptr)], isTruncated: true)
        harness.advance(by: .milliseconds(50))
        harness.ask(World.type, .ptr, from: .other)
        harness.ask([], known: [World.pointer])
        harness.advance(by: .seconds(2))
        #expect(harness.responses.count == 1)
    }

    @Test("M15-3 known answers from another address do not continue a query")
    func continuationFromElsewhere() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.type, .ptr)], isTruncated: true)
        harness.advance(by: .milliseconds(100))
        harness.ask([], known: [World.pointer], from: .other)
        harness.advance(by: .seconds(2))
        #expect(harness.responses.count == 1)
    }

    @Test("M7-13 each packet with TC moves the answer on")
    func eachTruncatedPacketWaits() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.type, .ptr)], isTruncated: true)
        harness.advance(by: .milliseconds(300))
        harness.ask([], known: [World.foundPointer], isTruncated: true)
        harness.advance(by: .milliseconds(300))
        let last = harness.now
        harness.ask([], known: [World.foundPointer], isTruncated: true)
        harness.advance(by: .seconds(2))
        #expect(harness.responses.count == 1)
        let delay = (harness.responses.first?.time ?? .zero) - last
        #expect(delay >= .milliseconds(400) && delay <= .milliseconds(500))
    }

    @Test("M6-47 M7-12 what waited for known answers in several packets leaves together")
    func answersAfterKnownAnswersLeaveTogether() {
        var harness = EngineHarness()
        let pointers = (0..<12).map { index in
            ResourceRecord(World.type, .ptr(instance(index)), timeToLive: .standard)
        }
        harness.establish(pointers.map { RecordSet.Member($0, .shared) })
        harness.ask(
            [Question(World.type, .ptr)], known: Array(pointers[0..<3]), isTruncated: true)
        harness.advance(by: .milliseconds(1))
        harness.ask([], known: Array(pointers[3..<6]), isTruncated: true)
        harness.advance(by: .milliseconds(1))
        harness.ask([], known: Array(pointers[6..<9]))
        harness.advance(by: .seconds(3))
        let answers = harness.responses.map { $0.message.answers.map(\.data) }
        #expect(answers == [pointers[9..<12].map(\.data)])
    }

    @Test("M7-1 of many records those are left out that are known with half of their lifetime")
    func knownAnswersAmongMany() {
        var harness = EngineHarness()
        let pointers = (0..<12).map { index in
            ResourceRecord(World.type, .ptr(instance(index)), timeToLive: .standard)
        }
        harness.establish(pointers.map { RecordSet.Member($0, .shared) })
        let known = pointers[0..<5].map { $0.lasting(2_250) } + [pointers[5].lasting(2_249)]
        harness.ask(World.type, .ptr, known: known)
        harness.advance(by: .seconds(3))
        #expect(
            harness.responses.flatMap { $0.message.answers.map(\.data) }
                == pointers[5..<12].map(\.data))
    }

    private func instance(_ index: Int) -> DomainName {
        guard let label = try? Label("Instance \(index)"),
            let name = try? World.type.prepending(label)
        else { return World.type }
        return name
    }

    @Test("D-23 known answers that continue nothing are dropped and counted")
    func unmatchedKnownAnswers() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([], known: [World.pointer])
        #expect(harness.engine.statistics.unmatchedKnownAnswers == 1)
        harness.ask(World.type, .ptr)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
    }

    // MARK: Duplicate questions and answers

    /// A browse whose second query is due, and another host asks the same just before.
    private func queriesAfter(
        _ duplicate: (inout EngineHarness) -> Void, known: [ResourceRecord] = []
    ) -> (sent: Int, suppressed: Int) {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(120))
        harness.respond(known)
        harness.advance(by: .milliseconds(780))
        harness.clear()
        duplicate(&harness)
        harness.advance(by: .milliseconds(400))
        return (harness.queries.count, harness.engine.statistics.suppressedByDuplicateQuestion)
    }

    @Test("M7-14 another host's same question counts as our own")
    func duplicateQuestion() {
        let result = queriesAfter { $0.ask(World.type, .ptr) }
        #expect(result.sent == 0)
        #expect(result.suppressed == 1)
    }

    @Test("M7-14 not if it knows more than we do, is about something else or wants unicast")
    func questionsThatAreNoDuplicates() {
        #expect(queriesAfter { _ in }.sent == 1)
        #expect(queriesAfter { $0.ask(World.type, .ptr, known: [World.foundPointer]) }.sent == 1)
        #expect(queriesAfter { $0.ask(World.type, .txt) }.sent == 1)
        #expect(queriesAfter { $0.ask(World.type, .ptr, prefersUnicast: true) }.sent == 1)
    }

    @Test("M7-14 known answers that we know too do no harm")
    func duplicateQuestionWithSharedKnowledge() {
        let result = queriesAfter(
            { $0.ask(World.type, .ptr, known: [World.foundPointer]) }, known: [World.foundPointer])
        #expect(result.sent == 0)
    }

    @Test("M7-15 another host's same answer counts as our own, if it lives as long")
    func duplicateAnswer() {
        for (seconds, count) in [(4500 as UInt32, 0), (9000, 0), (4499, 1)] {
            var harness = EngineHarness()
            harness.establish(World.all)
            harness.ask(World.type, .ptr)
            harness.advance(by: .milliseconds(10))
            harness.respond([World.pointer.lasting(seconds)])
            harness.advance(by: .seconds(1))
            #expect(harness.responses.count == count)
        }
    }

    @Test("M7-16 that holds for as long as the answer waits")
    func duplicateAnswerInLongWait() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([Question(World.type, .ptr)], isTruncated: true)
        harness.advance(by: .milliseconds(350))
        harness.respond([World.pointer])
        harness.advance(by: .seconds(2))
        #expect(harness.responses.isEmpty)
    }

    @Test("M7-14 not if it is our own, comes to us alone, or says that more is to follow")
    func questionsThatSayTooLittle() {
        #expect(queriesAfter { $0.ask(World.type, .ptr, to: .device) }.sent == 1)
        #expect(queriesAfter { $0.ask(World.type, .ptr, port: 40_000) }.sent == 1)
        #expect(
            queriesAfter { $0.ask([Question(World.type, .ptr)], isTruncated: true) }.sent == 1)
        var harness = EngineHarness()
        harness.echoes = true
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(8))
        #expect(harness.queries.count == 4)
        #expect(harness.engine.statistics.suppressedByDuplicateQuestion == 0)
    }

    @Test("M7-14 only a query that is to come soon counts as sent")
    func duplicateLongBefore() {
        var harness = EngineHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(3 * 3600))
        harness.clear()
        for _ in 0..<400 where harness.queries.isEmpty { harness.advance(by: .seconds(10)) }
        let last = harness.queries.last?.time ?? .zero
        harness.clear()
        harness.advance(by: .seconds(60))
        harness.ask(World.type, .ptr)
        harness.advance(by: .seconds(4000))
        #expect((harness.queries.first?.time ?? .never) - last == .seconds(3600))
    }

    @Test("M7-14 M5-17 a question that has its answer is not asked because others ask it")
    func duplicateOfSettledQuestion() {
        var harness = EngineHarness()
        harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress.lasting(4500)])
        harness.clear()
        harness.advance(by: .seconds(2))
        harness.ask(World.otherHost, .a)
        harness.advance(by: .milliseconds(10))
        harness.respond([World.foundAddress.lasting(4500)])
        harness.advance(by: .seconds(60))
        #expect(harness.queries.isEmpty)
        #expect(harness.engine.statistics.suppressedByDuplicateQuestion == 0)
    }

    @Test("M7-1 M7-5 neither NSEC nor records of less than a second are known answers")
    func whatIsNotListed() {
        let negative = ResourceRecord(
            World.otherHost, .nsec(NextSecure(nextName: World.otherHost, types: [.a])),
            timeToLive: .standard, cacheFlush: true)
        for record in [negative, World.foundAddress.lasting(1)] {
            var harness = EngineHarness()
            harness.startQuery(World.otherHost, .any)
            harness.advance(by: .milliseconds(700))
            harness.respond([record])
            harness.clear()
            harness.advance(by: .milliseconds(450))
            #expect(harness.queries.count == 1)
            #expect(harness.queries.allSatisfy { $0.message.answers.isEmpty })
        }
    }

    @Test("M7-15 a copy that only we receive, or one of this host, does not count as our own")
    func copiesThatDoNotCount() {
        var harness = EngineHarness()
        harness.establish([.init(World.pointer, .shared)])
        harness.update(interfaces: [])
        harness.update(interfaces: [.lan])
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(1500))
        harness.clear()
        harness.ask(World.type, .ptr)
        harness.respond([World.pointer], to: .device)
        #expect(harness.engine.statistics.unsolicitedUnicast == 0)
        harness.respond([World.pointer], from: .device)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
        #expect(harness.engine.statistics.suppressedByDuplicateAnswer == 0)
    }

    @Test("M18-16 D-23 who did not say that more is to come is not waited for")
    func noContinuationWithoutTruncation() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.type, .ptr)
        harness.ask([], known: [World.pointer])
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
        #expect(harness.engine.statistics.unmatchedKnownAnswers == 1)
    }

    @Test("M7-12 a host that asks twice before its known answers come is one host still")
    func sameQuerierTwice() {
        var harness = EngineHarness()
        harness.establish(World.all)
        for _ in 0..<2 {
            harness.ask([Question(World.type, .ptr)], isTruncated: true)
            harness.advance(by: .milliseconds(100))
        }
        harness.ask([], known: [World.pointer])
        harness.advance(by: .seconds(2))
        #expect(harness.responses.isEmpty)
    }

    @Test("M7-13 only packets with TC, after a query with TC, move the answer on")
    func whatDoesNotMoveTheAnswer() {
        // The last packet has none.
        var harness = EngineHarness()
        harness.establish(World.all)
        let asked = harness.now
        harness.ask([Question(World.type, .ptr)], isTruncated: true)
        harness.advance(by: .milliseconds(300))
        harness.ask([], known: [World.foundPointer])
        harness.advance(by: .milliseconds(300))
        #expect((harness.responses.first?.time ?? .never) - asked <= .milliseconds(500))
        // Nor is it waited for anything after that.
        harness.ask([], known: [World.pointer])
        #expect(harness.engine.statistics.unmatchedKnownAnswers == 1)
    }

    @Test("M7-13 packets with TC do not move what was asked for without")
    func otherQuestionOfSameQuerier() {
        var harness = EngineHarness()
        let second = ResourceRecord(
            named("_scan._tcp.local"), .ptr(World.otherInstance), timeToLive: .standard)
        harness.establish(World.all + [.init(second, .shared)])
        let asked = harness.now
        harness.ask(World.type, .ptr)
        harness.ask([Question(named("_scan._tcp.local"), .ptr)], isTruncated: true)
        harness.advance(by: .milliseconds(10))
        harness.ask([], known: [World.foundPointer], isTruncated: true)
        harness.advance(by: .seconds(2))
        let first = harness.responses.first { $0.answers(with: World.pointer) }
        #expect((first?.time ?? .never) - asked <= .milliseconds(120))
    }
}
