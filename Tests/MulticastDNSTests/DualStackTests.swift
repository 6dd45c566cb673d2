import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Both families on one link: what one of them received says nothing of the other.
@Suite struct DualStackTests {
    private func dualHarness() -> EngineHarness {
        EngineHarness(configuration: Configuration(), interfaces: [.dual])
    }

    @Test("M6-21 the one-second rule holds for each family by itself")
    func rateLimitPerFamily() {
        var harness = dualHarness()
        harness.establish(World.dualHostSet)
        let sources: [IPAddress] = [.tester, .tester6]
        for step in 0..<24 {
            harness.ask(World.host, .a, from: sources[step % 2])
            harness.advance(by: .milliseconds(170))
            if step % 3 == 0 { harness.ask(World.host, .aaaa, from: .tester) }
        }
        harness.advance(by: .seconds(3))
        for family in AddressFamily.allCases {
            let times = harness.multicastResponses.filter {
                $0.destination.address.family == family && $0.carries(World.address)
            }.map(\.time)
            #expect(times.count >= 3)
            #expect(gaps(times).allSatisfy { $0 >= .seconds(1) })
        }
    }

    @Test("M6-21 a record that is given up and taken up again keeps to the rule")
    func rateLimitOverPublications() {
        var harness = EngineHarness()
        let first = harness.publish([.init(World.pointer, .shared)])
        harness.advance(by: .milliseconds(100))
        harness.withdraw(first)
        harness.publish([.init(World.pointer, .shared)])
        harness.advance(by: .seconds(5))
        let times = harness.responses.filter { $0.answers(with: World.pointer) }.map(\.time)
        #expect(times.count >= 2)
        #expect(gaps(times).allSatisfy { $0 >= .seconds(1) })
    }

    /// A dual-stack browse that others' questions come near to; how many queries it then sends.
    private func queries(after questions: [IPAddress]) -> Int {
        var harness = dualHarness()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(900))
        harness.clear()
        for source in questions { harness.ask(World.type, .ptr, from: source) }
        harness.advance(by: .milliseconds(400))
        return harness.queries.count
    }

    @Test("M7-14 a question received over one family only does not count for both")
    func duplicateQuestions() {
        #expect(queries(after: []) == 2)
        #expect(queries(after: [.tester]) == 2)
        #expect(queries(after: [.tester6]) == 2)
        #expect(queries(after: [.tester, .tester6]) == 0)
    }

    /// Whether a record received over IPv6 lives on when others ask for it in vain.
    private func livesOn(askedFrom source: IPAddress, times: Int) -> Bool {
        var harness = dualHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress], from: .tester6)
        harness.advance(by: .seconds(5))
        for _ in 0..<times {
            harness.ask(World.otherHost, .a, from: source)
            harness.advance(by: .seconds(2))
        }
        harness.advance(by: .seconds(20))
        return harness.removed(from: query).isEmpty
    }

    @Test("M10-25 questions that the owner could not receive start no reconfirmation")
    func passiveObservation() {
        #expect(livesOn(askedFrom: .other, times: 4))
        #expect(livesOn(askedFrom: .v6(IPv6Address(rawValue: 0xFE80 << 112 | 3)), times: 1))
        #expect(!livesOn(askedFrom: .v6(IPv6Address(rawValue: 0xFE80 << 112 | 3)), times: 2))
    }

    @Test("M6-20 M10-25 what answers by unicast alone is not ended by queries of others")
    func passiveObservationOfUnicastAnswers() {
        let other6 = IPAddress.v6(IPv6Address(rawValue: 0xFE80 << 112 | 3))
        let families: [(IPAddress, IPAddress, IPAddress)] = [
            (.tester, .device, .other), (.tester6, .device6, other6),
        ]
        for (responder, device, querier) in families {
            for isAlive in [true, false] {
                var harness = dualHarness()
                let query = harness.startQuery(World.otherHost, .a)
                harness.advance(by: .milliseconds(200))
                harness.respond([World.foundAddress], from: responder, to: device)
                harness.advance(by: .seconds(5))
                harness.clear()
                for _ in 0..<2 {
                    harness.ask(World.otherHost, .a, from: querier)
                    harness.advance(by: .seconds(2))
                }
                // It is asked, and answers us as it answered the others, or does not.
                let asked = harness.queries.filter { $0.message.questions.count == 1 }
                if isAlive { harness.respond([World.foundAddress], from: responder, to: device) }
                harness.advance(by: .seconds(20))
                #expect(asked.map(\.destination.address.family).contains(responder.family))
                #expect(harness.added(to: query).isEmpty)
                #expect(harness.removed(from: query).isEmpty == isAlive)
            }
        }
    }

    @Test("M10-25 a host that asks over both families asks once")
    func oneQuestionOverBothFamilies() {
        var harness = dualHarness()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.foundAddress], from: .tester)
        harness.respond([World.foundAddress], from: .tester6)
        harness.advance(by: .seconds(5))
        harness.ask(World.otherHost, .a, from: .other)
        harness.ask(
            World.otherHost, .a, from: .v6(IPv6Address(rawValue: 0xFE80 << 112 | 3)))
        harness.advance(by: .seconds(30))
        #expect(harness.removed(from: query).isEmpty)
    }

    @Test("M6-17 an answer leaves by the family that it was asked over")
    func answersByFamily() {
        for source in [IPAddress.tester, .tester6] {
            var harness = dualHarness()
            harness.establish(World.dualHostSet + World.serviceSet)
            harness.ask(World.type, .ptr, from: source)
            harness.advance(by: .seconds(2))
            #expect(harness.responses.map(\.destination.address.family) == [source.family])
        }
    }
}
