import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Replies to queries from other ports than 5353 (RFC 6762 §6.7): every question, every section,
/// lifetimes on both sides of ten seconds.
@Suite struct LegacyReplyTests {
    /// What an engine with these records replies to a legacy query, and on which family.
    private func replies(
        _ members: [RecordSet.Member], to questions: [Question], known: [ResourceRecord] = [],
        from source: IPAddress = .tester
    ) -> [EngineHarness.Sent] {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        harness.establish(members)
        harness.ask(questions, known: known, id: 0x1234, from: source, port: 40_000)
        harness.advance(by: .seconds(1))
        #expect(harness.multicastResponses.isEmpty)
        return harness.unicastResponses
    }

    @Test(
        "M6-57 lifetimes in a legacy reply are ten seconds or, where the true one is less, that",
        arguments: [IPAddress.tester, .tester6])
    func lifetimes(_ source: IPAddress) {
        let lives: [UInt32] = [1, 9, 10, 11, 120, 4500]
        let pointers = lives.map { life in
            ResourceRecord(
                World.type, .ptr(named("Unit \(life)._ipp._tcp.local")), timeToLive: .seconds(life))
        }
        let replies = replies(
            pointers.map { .init($0, .shared) }, to: [Question(World.type, .ptr)], from: source)
        #expect(replies.count == 1)
        let found = replies.flatMap { $0.message.answers }
        #expect(found.count == lives.count)
        for (record, life) in zip(pointers, lives) {
            let sent = found.first { $0.isSameRecord(as: record) }
            #expect(sent?.timeToLive == .seconds(min(life, 10)))
        }
    }

    @Test(
        "M6-57 so are those of additional records and of an NSEC",
        arguments: [(UInt32(5), UInt32(5)), (10, 10), (11, 10), (120, 10)])
    func lifetimesOfAdditionals(_ life: UInt32, _ shown: UInt32) {
        let set: [RecordSet.Member] = [
            .init(World.pointer, .shared), .init(World.location.lasting(life), .unique),
            .init(World.attributes.lasting(life), .unique),
            .init(World.address.lasting(life), .unique),
        ]
        let browse = replies(set, to: [Question(World.type, .ptr)])
        #expect(browse.flatMap { $0.message.answers }.map { $0.timeToLive } == [.seconds(10)])
        let additionals = browse.flatMap { $0.message.additionals }
        #expect(Set(additionals.map { $0.type }) == [.srv, .txt, .a, .nsec])
        #expect(additionals.allSatisfy { $0.timeToLive == .seconds(shown) })
        let negative = replies(set, to: [Question(World.host, .txt)])
            .flatMap { $0.message.answers }
        #expect(negative.map { $0.type } == [.nsec])
        #expect(negative.allSatisfy { $0.timeToLive == .seconds(shown) })
    }

    @Test("M6-55 M6-44 every question of a legacy query is repeated and answered")
    func everyQuestion() {
        let questions = [
            Question(World.host, .a), Question(World.instance, .srv), Question(World.type, .ptr),
        ]
        for source in [IPAddress.tester, .tester6] {
            let replies = replies(World.all, to: questions, from: source)
            #expect(replies.count == 1)
            #expect(replies.first?.destination.address == source)
            #expect(replies.first?.message.questions == questions)
            for record in [World.address, World.location, World.pointer] {
                #expect(replies.first?.answers(with: record) == true)
            }
        }
    }

    @Test("M7-3 M7-4 M6-54 known answers of a legacy query count, by half of the lifetime")
    func knownAnswers() {
        let other = ResourceRecord(
            World.type, .ptr(named("Second._ipp._tcp.local")), timeToLive: .standard)
        let set: [RecordSet.Member] = [.init(World.pointer, .shared), .init(other, .shared)]
        let question = Question(World.type, .ptr)
        for (life, isKnown) in [(UInt32(4500), true), (2250, true), (2249, false), (10, false)] {
            for record in [World.pointer, other] {
                let found = replies(set, to: [question], known: [record.lasting(life)])
                    .flatMap { $0.message.answers }
                #expect(found.count == (isKnown ? 1 : 2), "\(life)")
                #expect(found.contains { $0.isSameRecord(as: record) } == !isKnown, "\(life)")
            }
        }
        let both = [World.pointer, other]
        #expect(replies(set, to: [question], known: both).isEmpty)
    }

    @Test("M7-3 known answers of a legacy query count for its second question")
    func knownAnswersOfSecondQuestion() {
        let replies = replies(
            World.all, to: [Question(World.host, .a), Question(World.type, .ptr)],
            known: [World.pointer])
        #expect(replies.count == 1)
        #expect(replies.first?.answers(with: World.address) == true)
        #expect(replies.first?.carries(World.pointer) == false)
    }
}
