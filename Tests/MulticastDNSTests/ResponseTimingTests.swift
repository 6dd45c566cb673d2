import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §6: when an answer leaves, and how often.
@Suite struct ResponseTimingTests {
    /// The delays of the first response to a query, over so many seeds.
    private func delays(
        of questions: [Question], seeds: ClosedRange<UInt64> = 1...100,
        authorities: [ResourceRecord] = []
    ) -> [Duration] {
        seeds.compactMap { seed in
            var harness = EngineHarness(seed: seed)
            harness.establish(World.all)
            let asked = harness.now
            harness.receive(Message(questions: questions, authorities: authorities))
            harness.advance(by: .seconds(2))
            return harness.responses.first.map { $0.time - asked }
        }
    }

    @Test("M6-10 M6-11 a lone unique answer leaves within 10 ms")
    func uniqueAnswers() {
        for question in [
            Question(World.host, .a), Question(World.instance, .srv),
            Question(World.instance, .txt), Question(World.host, .aaaa),
        ] {
            let found = delays(of: [question], seeds: 1...10)
            #expect(found.count == 10)
            #expect(found.allSatisfy { $0 <= .milliseconds(10) })
        }
    }

    @Test("M6-13 M6-9 shared answers wait 20 to 120 ms, all about equally often")
    func sharedAnswers() {
        let found = delays(of: [Question(World.type, .ptr)])
        #expect(found.count == 100)
        #expect(found.allSatisfy { $0 >= .milliseconds(20) && $0 <= .milliseconds(120) })
        for quarter in 0..<4 {
            let low = Duration.milliseconds(20 + 25 * quarter)
            let share = found.count { $0 >= low && $0 < low + .milliseconds(25) }
            #expect(share >= 10 && share <= 45)
        }
    }

    @Test("M6-45 answers to several questions wait 20 to 120 ms even if unique")
    func severalUniqueQuestions() {
        let found = delays(
            of: [Question(World.instance, .srv), Question(World.instance, .txt)], seeds: 1...20)
        #expect(found.count == 20)
        #expect(found.allSatisfy { $0 >= .milliseconds(20) && $0 <= .milliseconds(120) })
    }

    @Test("M6-12 M6-22 M6-46 M8-10 a probe is answered at once, even with several questions")
    func probesAreAnsweredAtOnce() {
        let questions = [Question(World.host, .any), Question(World.instance, .any)]
        let found = delays(
            of: questions, seeds: 1...10,
            authorities: [World.rival(World.host), World.rivalLocation()])
        #expect(found.count == 10)
        #expect(found.allSatisfy { $0 <= .milliseconds(10) })
        let plain = delays(of: questions, seeds: 1...10)
        #expect(plain.allSatisfy { $0 >= .milliseconds(20) })
    }

    @Test("M6-21 a record is multicast once a second at most")
    func rateLimit() {
        var harness = EngineHarness()
        harness.establish(World.all)
        for _ in 0..<10 {
            harness.ask(World.host, .a)
            harness.ask(World.type, .ptr, from: .other)
            harness.advance(by: .milliseconds(173))
        }
        harness.advance(by: .seconds(3))
        for record in [World.address, World.pointer] {
            let times = harness.multicastResponses.filter { $0.carries(record) }.map(\.time)
            #expect(!times.isEmpty)
            #expect(gaps(times).allSatisfy { $0 >= .seconds(1) })
        }
    }

    @Test("M6-21 the limit holds for each interface by itself")
    func rateLimitPerInterface() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        harness.establish(World.serviceSet)
        harness.ask(World.instance, .srv)
        harness.advance(by: .milliseconds(100))
        harness.ask(World.instance, .srv, from: .testerSecond, interface: .second)
        harness.advance(by: .milliseconds(100))
        #expect(harness.multicastResponses.map(\.interface) == [.first, .second])
    }

    @Test(
        "M6-23 a defence needs 250 ms only",
        arguments: [(300, 0...10), (100, 145...160)] as [(Int64, ClosedRange<Int64>)])
    func defenceLimit(_ after: Int64, _ delay: ClosedRange<Int64>) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a)
        harness.advance(by: .milliseconds(after))
        #expect(harness.multicastResponses.count == 1)
        let first = harness.multicastResponses.first?.time ?? .zero
        let probed = harness.now
        harness.clear()
        harness.probe(World.host, proposing: [World.rival(World.host)])
        harness.advance(by: .seconds(1))
        let defence = harness.multicastResponses.first
        #expect(defence != nil)
        let waited = (defence?.time ?? probed) - probed
        #expect(waited >= .milliseconds(delay.lowerBound))
        #expect(waited <= .milliseconds(delay.upperBound))
        #expect((defence?.time ?? first) - first >= .milliseconds(250))
    }

    // MARK: Unicast

    @Test("M5-27 M5-30 a QU question is answered by unicast alone if the record is fresh")
    func unicastWhenFresh() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a, prefersUnicast: true)
        harness.advance(by: .seconds(1))
        #expect(harness.unicastResponses.count == 1)
        #expect(harness.multicastResponses.isEmpty)
        let response = harness.unicastResponses.first
        #expect(response?.destination == SocketAddress(.tester, port: 5353))
        #expect(response?.message.answers.allSatisfy(\.cacheFlush) == true)
    }

    @Test("M5-30 a unicast answer with a shared record waits like a multicast one")
    func unicastDelays() {
        for seed in 1...10 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            harness.establish(World.all)
            let asked = harness.now
            harness.ask(World.type, .ptr, prefersUnicast: true)
            harness.advance(by: .seconds(1))
            let delay = (harness.unicastResponses.first?.time ?? asked) - asked
            #expect(delay >= .milliseconds(20) && delay <= .milliseconds(120))
        }
    }

    @Test(
        "M5-28 a record not multicast for a quarter of its life is multicast instead",
        arguments: [(29, true), (31, false)] as [(Int64, Bool)])
    func multicastWhenStale(_ seconds: Int64, _ isUnicast: Bool) {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a)
        harness.advance(by: .milliseconds(20))
        let last = harness.multicastResponses.first?.time ?? harness.now
        harness.advance(by: .seconds(seconds) - (harness.now - last))
        harness.clear()
        harness.ask(World.host, .a, prefersUnicast: true)
        harness.advance(by: .seconds(1))
        #expect(harness.multicastResponses.isEmpty == isUnicast)
        #expect(harness.unicastResponses.isEmpty == !isUnicast)
    }

    @Test("M5-29 A-17 a QU probe gets its denial by unicast at once, however old the record")
    func unicastDefence() {
        for wait in [Duration.zero, .seconds(1000)] {
            var harness = EngineHarness()
            harness.establish(World.all)
            harness.advance(by: wait)
            harness.clear()
            let probed = harness.now
            harness.probe(
                World.host, proposing: [World.rival(World.host)], prefersUnicast: true)
            harness.advance(by: .seconds(1))
            let defence = harness.unicastResponses.first
            #expect(defence?.answers(with: World.address) == true)
            #expect((defence?.time ?? harness.now) - probed <= .milliseconds(10))
        }
    }

    @Test("M18-32 M10-16 each question has its own QU bit")
    func mixedQuestions() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([
            Question(World.host, .a, prefersUnicast: true), Question(World.instance, .txt),
        ])
        harness.advance(by: .seconds(1))
        #expect(harness.unicastResponses.contains { $0.answers(with: World.address) })
        #expect(!harness.unicastResponses.contains { $0.answers(with: World.attributes) })
        #expect(harness.multicastResponses.contains { $0.answers(with: World.attributes) })
        #expect(!harness.multicastResponses.contains { $0.answers(with: World.address) })
    }

    @Test("M5-31 a query sent to the host itself is treated as QU")
    func directQueries() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.host, .a, to: .device)
        harness.advance(by: .seconds(1))
        #expect(harness.unicastResponses.count == 1)
        #expect(harness.multicastResponses.isEmpty)
    }

    // MARK: Legacy queries

    /// The reply to a query from a port other than 5353.
    private func legacyReply(
        _ question: Question, additionals: [ResourceRecord] = [], flags: UInt16 = 0x0100
    ) -> EngineHarness.Sent? {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.receive(
            Message(
                header: MessageHeader(id: 0xABCD, flags: flags), questions: [question],
                additionals: additionals), port: 40_000)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.count == 1)
        return harness.responses.first
    }

    @Test("M6-54 M6-55 M18-7 A-16 a query from another port gets a conventional reply there")
    func legacyReplies() {
        for question in [
            Question(World.host, .a), Question(World.type, .ptr), Question(World.instance, .srv),
            Question(World.host, .a, prefersUnicast: true),
        ] {
            let reply = legacyReply(question)
            #expect(reply?.destination == SocketAddress(.tester, port: 40_000))
            #expect(reply?.message.header.id == 0xABCD)
            #expect(reply?.message.questions.map(\.name) == [question.name])
            #expect(reply?.message.questions.map(\.type) == [question.type])
            #expect(reply?.message.answers.isEmpty == false)
        }
    }

    @Test("A-16 a query with OPT and RD from another port is answered too")
    func legacyRepliesToModernQueries() {
        let options = ResourceRecord(
            .root, .opt(ExtensionOptions(udpPayloadSize: 1232)), timeToLive: .goodbye)
        #expect(legacyReply(Question(World.host, .a), additionals: [options]) != nil)
    }

    @Test("M6-56 M10-12 M10-13 legacy replies have no cache-flush bit")
    func legacyRepliesDoNotFlush() {
        for question in [Question(World.host, .any), Question(World.type, .ptr)] {
            let reply = legacyReply(question)
            #expect(reply?.records.allSatisfy { !$0.cacheFlush } == true)
        }
    }

    @Test("M18-43 the SRV target of a legacy reply is not compressed")
    func legacyTargetsAreWhole() {
        let reply = legacyReply(Question(World.instance, .srv))
        let target = [6] + Array("device".utf8) + [5] + Array("local".utf8) + [0]
        let bytes = reply?.bytes ?? []
        let places = bytes.indices.filter { bytes[$0...].starts(with: target) }
        #expect(!places.isEmpty)
        // Multicast answers compress it: there the name is cut after its first label.
        var harness = EngineHarness()
        harness.establish(World.serviceSet)
        harness.ask(World.instance, .srv)
        harness.advance(by: .seconds(1))
        let multicast = harness.responses.first?.bytes ?? []
        #expect(multicast.indices.allSatisfy { !multicast[$0...].starts(with: target) })
    }

    @Test("M18-14 M18-19 legacy replies have AA, and TC if they were cut")
    func legacyFlags() {
        let reply = legacyReply(Question(World.host, .a))
        #expect(reply?.message.header.isAuthoritative == true)
        #expect(reply?.message.header.isTruncated == false)

        var harness = EngineHarness()
        harness.establish(
            (0..<40).map {
                .init(
                    ResourceRecord(
                        World.type, .ptr(named("Instance with a long name \($0)._ipp._tcp.local")),
                        timeToLive: .standard), .shared)
            })
        harness.ask(World.type, .ptr, port: 40_000)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.first?.message.header.isTruncated == true)
        #expect((harness.responses.first?.bytes.count ?? 0) <= 512)
    }

    @Test("A-16 M6-55 OPT is in the reply to a legacy query with OPT only")
    func legacyOptions() {
        let reply = legacyReply(Question(World.host, .a))
        #expect(reply?.records.contains { $0.type == .opt } == false)
    }
}
