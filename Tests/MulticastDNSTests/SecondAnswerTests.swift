import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Answers and datagrams where two families, queriers, holders or replies meet.
@Suite struct SecondAnswerTests {
    private static let web = named("_http._tcp.local")
    private static let webPointer = ResourceRecord(
        web, .ptr(named("Web._http._tcp.local")), timeToLive: .standard)

    private func dual() -> EngineHarness {
        EngineHarness(configuration: Configuration(), interfaces: [.dual])
    }

    // MARK: What comes in

    @Test("D-22 9000 bytes with headers are the limit of each family")
    func largestDatagrams() {
        for (source, headers) in [(IPAddress.tester, 28), (.tester6, 48)] {
            var harness = dual()
            harness.receive([UInt8](repeating: 0, count: 9_000 - headers), from: source)
            #expect(harness.engine.statistics.oversized == 0)
            harness.receive([UInt8](repeating: 0, count: 9_001 - headers), from: source)
            #expect(harness.engine.statistics.oversized == 1)
        }
    }

    @Test("M6-16 responses from another port are dropped over either family")
    func wrongPort() {
        for source in [IPAddress.tester, .tester6] {
            var harness = dual()
            let query = harness.startQuery(World.otherHost, .a)
            harness.respond([World.foundAddress], from: source, port: 5354)
            #expect(harness.added(to: query).isEmpty)
            #expect(harness.engine.statistics.wrongPort == 1)
        }
    }

    @Test("M6-19 a unicast response counts by any of its answers")
    func anyAnswer() {
        let stranger = ResourceRecord(
            named("x.local"), .a(IPv4Address(192, 0, 2, 9)), timeToLive: .host)
        for answers in [[stranger, World.foundAddress], [World.foundAddress, stranger]] {
            var harness = EngineHarness()
            let query = harness.startQuery(World.otherHost, .a)
            harness.advance(by: .milliseconds(200))
            harness.respond(answers, to: .device)
            #expect(harness.added(to: query).count == 1)
        }
    }

    // MARK: Delays

    @Test("M6-13 one shared record among unique ones makes the answer wait")
    func mixedAnswer() {
        for seed in 1...5 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            let text = ResourceRecord(World.type, .txt(text("x")), timeToLive: .standard)
            harness.establish([.init(text, .unique), .init(World.pointer, .shared)])
            let start = harness.now
            harness.ask(World.type, .any)
            harness.advance(by: .seconds(1))
            let wait = harness.responses.first.map { $0.time - start } ?? .zero
            #expect(wait >= .milliseconds(20) && wait <= .milliseconds(120))
        }
    }

    @Test("M6-13 M6-14 who asked without TC does not wait for the known answers of another")
    func soonerOfTwo() {
        for isTruncatedFirst in [false, true] {
            var harness = EngineHarness()
            harness.establish([.init(World.pointer, .shared)])
            let start = harness.now
            let question = Question(World.type, .ptr)
            harness.ask([question], isTruncated: isTruncatedFirst, from: .tester)
            harness.ask([question], isTruncated: !isTruncatedFirst, from: .other)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.count == 1)
            #expect((harness.responses.first?.time ?? .zero) - start <= .milliseconds(120))
        }
    }

    @Test("M7-12 known answers reach every unicast reply that waits for them")
    func severalReplies() {
        var harness = EngineHarness()
        harness.establish([.init(World.pointer, .shared), .init(Self.webPointer, .shared)])
        for name in [World.type, Self.web] {
            harness.ask([Question(name, .ptr, prefersUnicast: true)], isTruncated: true)
        }
        harness.advance(by: .milliseconds(50))
        harness.ask([], known: [World.pointer, Self.webPointer])
        harness.advance(by: .seconds(2))
        #expect(harness.responses.isEmpty)
    }

    // MARK: The second family

    @Test(
        "M6-17 M6-21 an answer that both families wait for leaves by both",
        arguments: [false, true])
    func bothFamilies(sixFirst: Bool) {
        var harness = dual()
        harness.establish([.init(World.pointer, .shared)])
        let sources: [IPAddress] = sixFirst ? [.tester6, .tester] : [.tester, .tester6]
        for source in sources {
            harness.ask(World.type, .ptr, from: source)
            harness.advance(by: .milliseconds(5))
        }
        harness.advance(by: .seconds(2))
        #expect(
            Set(harness.responses.map(\.destination.address)) == [
                .multicastDNS(.ipv4), .multicastDNS(.ipv6),
            ])
        #expect(harness.responses.count == 2)
    }

    @Test("M5-28 what was multicast over one family lately is not fresh over the other")
    func freshness() {
        for (fresh, stale) in [(IPAddress.tester, IPAddress.tester6), (.tester6, .tester)] {
            var harness = dual()
            harness.establish(World.dualHostSet)
            harness.advance(by: .seconds(40))
            harness.ask(World.host, .a, from: fresh)
            harness.advance(by: .seconds(2))
            harness.clear()
            harness.ask(World.host, .a, prefersUnicast: true, from: fresh)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.map(\.isMulticast) == [false])
            harness.clear()
            harness.ask(World.host, .a, prefersUnicast: true, from: stale)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.map(\.destination.address) == [.multicastDNS(stale.family)])
        }
    }

    // MARK: Two holders

    @Test("a record of two publications is answered with as soon as one of them is announced")
    func twoHolders() {
        for claimedFirst in [false, true] {
            var harness = EngineHarness()
            let sets: [[RecordSet.Member]] = [
                [.init(World.pointer, .shared), .init(World.location, .unique)],
                [.init(World.pointer, .shared)],
            ]
            for set in claimedFirst ? sets.reversed() : sets { harness.publish(set) }
            harness.clear()
            harness.ask(World.type, .ptr, port: 40_000)
            harness.advance(by: .milliseconds(150))
            #expect(harness.unicastResponses.contains { $0.answers(with: World.pointer) })
        }
    }

    @Test("M6-21 an announcement waits for the record that was multicast last, and has all")
    func announcementOfBoth() {
        var harness = EngineHarness()
        let other = World.rival(World.otherHost, lastByte: 5).flushing(false)
        harness.establish([.init(World.address, .unique)])
        harness.establish([.init(other, .unique)])
        let start = harness.now
        harness.ask(World.host, .a)
        harness.advance(by: .milliseconds(500))
        harness.ask(World.otherHost, .a)
        harness.advance(by: .milliseconds(100))
        harness.clear()
        harness.publish([.init(World.address, .unique), .init(other, .unique)])
        harness.advance(by: .seconds(5))
        let first = harness.responses.first
        #expect((first?.time ?? .zero) - start >= .milliseconds(1_500))
        #expect(first?.answers(with: World.address) == true)
        #expect(first?.answers(with: other) == true)
    }

    @Test("M6-37 an NSEC that waits to leave does not when its name is contested meanwhile")
    func contestedWhileWaiting() {
        for isUnicast in [false, true] {
            var harness = EngineHarness()
            harness.establish(World.hostSet)
            for type in [RecordType.txt, .a] {
                harness.ask([
                    Question(World.host, type, prefersUnicast: isUnicast),
                    Question(named("x.local"), .a),
                ])
            }
            harness.respond([World.rival(World.host)])
            harness.clear()
            harness.advance(by: .milliseconds(600))
            #expect(harness.responses.isEmpty)
            #expect(!harness.probes.isEmpty)
        }
    }
}
