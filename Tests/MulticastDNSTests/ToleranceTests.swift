import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What real devices do and engines put up with.
@Suite struct ToleranceTests {
    @Test("A-17 probes without records, for one type, or without QU are answered")
    func oddProbes() {
        for type in [RecordType.any, .a] {
            for prefersUnicast in [true, false] {
                for proposed in [[World.rival(World.host).flushing(false)], []] {
                    var harness = EngineHarness()
                    harness.establish(World.all)
                    harness.receive(
                        Message(
                            questions: [
                                Question(World.host, type, prefersUnicast: prefersUnicast)
                            ], authorities: proposed))
                    harness.advance(by: .milliseconds(200))
                    #expect(harness.responses.first?.answers(with: World.address) == true)
                }
            }
        }
    }

    @Test("A-9 M10-8 a device that sets the cache-flush bit on its PTR hides no other device")
    func flushOnSharedRecord() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        harness.respond([World.foundPointer])
        harness.advance(by: .seconds(5))
        let own = ResourceRecord(
            World.type, .ptr(World.otherHost), timeToLive: .standard, cacheFlush: true)
        // Nor by saying another's record for it.
        harness.respond([own, World.foundPointer.flushing(true)], from: .other)
        harness.advance(by: .seconds(5))
        harness.respond([own], from: .other)
        harness.advance(by: .seconds(5))
        #expect(harness.removed(from: query).isEmpty)
        #expect(harness.present(in: query).count == 2)
        // Nor its own: it may speak for several (a reflector does).
        let replaced = ResourceRecord(
            World.type, .ptr(World.host), timeToLive: .standard, cacheFlush: true)
        harness.respond([replaced], from: .other)
        harness.advance(by: .seconds(5))
        #expect(harness.removed(from: query).isEmpty)
    }

    @Test("A-17 QU in every repetition is answered each time")
    func repeatedUnicastQuestions() {
        var harness = EngineHarness()
        harness.establish(World.all)
        for _ in 0..<5 {
            harness.ask(World.host, .a, prefersUnicast: true)
            harness.advance(by: .milliseconds(500))
        }
        #expect(harness.unicastResponses.count == 5)
    }

    @Test(
        "A-18 times to live are obeyed as given", arguments: [10, 60, 255, 3600, 4500] as [UInt32])
    func timesToLive(_ seconds: UInt32) {
        var harness = EngineHarness()
        let query = harness.startQuery(World.otherHost, .a)
        let received = harness.now
        harness.respond([World.foundAddress.lasting(seconds)])
        harness.advance(by: .seconds(Int64(seconds) + 1))
        #expect(
            harness.removed(from: query).map(\.time)
                == [received.advanced(by: .seconds(Int64(seconds)))])
    }

    @Test("A-18 tiny times to live make no storm of queries")
    func tinyTimesToLive() {
        var harness = EngineHarness()
        harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.clear()
        for _ in 0..<60 {
            harness.respond([World.foundAddress.lasting(1)])
            harness.advance(by: .seconds(1))
        }
        #expect(harness.queries.count <= 61)
        #expect(gaps(harness.queries.map(\.time)).allSatisfy { $0 >= .milliseconds(990) })
    }

    @Test("A-20 the same datagram twice is as good as once")
    func duplicates() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        for _ in 0..<3 { harness.respond([World.foundPointer]) }
        harness.respond([World.foundPointer.lasting(0)])
        harness.respond([World.foundPointer.lasting(0)])
        harness.advance(by: .seconds(5))
        #expect(harness.added(to: query).count == 1)
        #expect(harness.removed(from: query).count == 1)
    }

    @Test("A-21 answers are used from any section")
    func anySection() {
        for section in [MessageSection.answer, .authority, .additional] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .a)
            let records = [World.foundAddress]
            harness.respond(
                section == .answer ? records : [],
                authorities: section == .authority ? records : [],
                additionals: section == .additional ? records : [])
            #expect(harness.added(to: query).count == 1)
        }
    }

    @Test("A-22 a family that nobody answers for does not hold up the other")
    func silentFamily() {
        var harness = EngineHarness()
        let four = harness.startQuery(World.otherHost, .a)
        let six = harness.startQuery(World.otherHost, .aaaa)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress])
        #expect(harness.added(to: four).count == 1)
        harness.advance(by: .seconds(3))
        #expect(harness.changes(of: six).isEmpty)
        #expect(harness.queries.contains { $0.asks(Question(World.otherHost, .aaaa)) })
    }

    @Test("A-23 a response of 8,900 bytes is used whole")
    func jumboResponse() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        harness.respond(
            (0..<250).map {
                ResourceRecord(
                    World.type, .ptr(named("Instance \($0)._ipp._tcp.local")),
                    timeToLive: .standard)
            })
        #expect(harness.present(in: query).count == 250)
    }

    @Test("D-20 records that point to themselves are harmless")
    func selfReference() {
        var harness = EngineHarness()
        let loop = ResourceRecord(World.type, .ptr(World.type), timeToLive: .standard)
        let alias = ResourceRecord(World.otherHost, .cname(World.otherHost), timeToLive: .host)
        harness.startQuery(World.type, .ptr)
        let query = harness.startQuery(World.otherHost, .a)
        harness.respond([loop, alias, World.foundAddress])
        harness.advance(by: .seconds(10))
        #expect(harness.added(to: query).contains { $0.isSameRecord(as: World.foundAddress) })
    }

    @Test("D-20 two aliases that point to each other are harmless")
    func aliasLoop() {
        var harness = EngineHarness()
        let first = ResourceRecord(World.otherHost, .cname(World.host), timeToLive: .host)
        let second = ResourceRecord(World.host, .cname(World.otherHost), timeToLive: .host)
        let query = harness.startQuery(World.otherHost, .a)
        harness.respond([first, second])
        harness.advance(by: .seconds(10))
        #expect(harness.added(to: query).map(\.data) == [first.data])
    }

    @Test("M10-1 A-18 a stopped query gets no more answers")
    func stoppedQuery() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        harness.stopQuery(query)
        harness.clear()
        harness.respond([World.foundPointer])
        harness.advance(by: .seconds(7200))
        #expect(harness.sent.isEmpty)
        #expect(harness.events.isEmpty)
        #expect(harness.engine.deadline == nil)
    }

    @Test(
        "D-25 D-1 what is no DNS is counted and no more",
        arguments: [
            "", "\u{0A}\u{BA}\u{10}\u{0}", "{\"method\":\"getPilot\"}",
            "M-SEARCH * HTTP/1.1\r\n\r\n",
        ])
    func foreignDatagrams(_ text: String) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.receive(Array(text.utf8))
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
        #expect(
            harness.engine.statistics.malformedMessages
                + harness.engine.statistics.unsupportedOpcodes
                + harness.engine.statistics.damaged == 1)
    }
}
