import DNSMessages
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

@Suite struct QueryPairTests {
    private static let legacyPort: UInt16 = 40_000

    /// One query and what is true of it.
    private struct Case {
        let pair: Pair<QueryBits, QueryRoute>
        /// Whether all of the name is ours alone.
        let isUnique: Bool
        /// Whether it was multicast within a quarter of its lifetime.
        let isFresh: Bool
        /// Whether known answers follow, which only who says so may send.
        let isKnown: Bool

        var record: ResourceRecord { isUnique ? World.attributes : World.pointer }
        var port: UInt16 { pair.second.isLegacy ? legacyPort : 5353 }

        /// RFC 6762 §5.4, §5.5, §6.7.
        var isUnicast: Bool {
            pair.second.isLegacy
                || (pair.first.prefersUnicast || pair.second.isDirect) && isFresh
        }

        /// RFC 6762 §6.
        var delay: ClosedRange<Duration> {
            if pair.first.isTruncated { return .milliseconds(400)...(.milliseconds(500)) }
            return isUnique ? .zero...(.zero) : .milliseconds(20)...(.milliseconds(120))
        }
    }

    @Test(
        "pairs: TC, QU, a direct and a legacy query", arguments: PairTable.queries.pairs)
    func query(_ pair: Pair<QueryBits, QueryRoute>) {
        for isUnique in [true, false] {
            for isFresh in [true, false] {
                for isKnown in pair.first.isTruncated ? [false, true] : [false] {
                    check(
                        Case(pair: pair, isUnique: isUnique, isFresh: isFresh, isKnown: isKnown))
                }
            }
        }
    }

    private func check(_ query: Case) {
        var world = PairWorld(query.pair.place)
        _ = world.publish(World.serviceSet)
        world.advance(by: query.isFresh ? .seconds(6) : .seconds(2_000))
        let start = world.mark
        let asked = world.harness.now
        send(query, isFirst: true, &world)
        world.advance(by: .milliseconds(query.pair.first.isTruncated ? 100 : 0))
        if query.isKnown { send(query, isFirst: false, &world) }
        world.advance(by: .seconds(3))
        let sent = Array(world.harness.sent[start...])
        guard !query.isKnown else {
            #expect(sent.isEmpty, "\(query)")
            return
        }
        #expect(sent.count == 1, "\(query)")
        guard let answer = sent.first else { return }
        #expect(answer.interface == world.interface)
        #expect(answer.answers(with: query.record), "\(query)")
        #expect(query.delay.contains(answer.time - asked), "\(query) \(answer.time - asked)")
        let address: IPAddress =
            query.isUnicast ? world.peer : .multicastDNS(world.peer.family)
        #expect(answer.destination.address == address, "\(query)")
        #expect(answer.destination.port == (query.isUnicast ? query.port : 5353))
        checkForm(of: answer, query)
        world.expectOrderly(since: start)
    }

    /// RFC 6762 §6.7: a conventional reply, or one of multicast DNS.
    private func checkForm(of answer: EngineHarness.Sent, _ query: Case) {
        let records = answer.records
        if query.pair.second.isLegacy {
            #expect(answer.message.header.id == 77)
            #expect(answer.message.questions.map(\.name) == [query.record.name])
            #expect(answer.message.questions.map(\.prefersUnicast) == [false])
            #expect(records.allSatisfy { !$0.cacheFlush && $0.timeToLive <= .seconds(10) })
        } else {
            #expect(answer.message.header.id == 0)
            #expect(answer.message.questions.isEmpty)
            let found = records.first { $0.isSameRecord(as: query.record) }
            #expect(found?.cacheFlush == query.isUnique)
            #expect(found?.timeToLive == query.record.timeToLive)
        }
    }

    /// The query, or the packet with known answers that follows.
    private func send(_ query: Case, isFirst: Bool, _ world: inout PairWorld) {
        let question = Question(
            query.record.name, query.record.type,
            prefersUnicast: query.pair.first.prefersUnicast)
        world.harness.ask(
            isFirst ? [question] : [], known: isFirst ? [] : [query.record],
            isTruncated: isFirst && query.pair.first.isTruncated, id: isFirst ? 77 : 0,
            from: world.peer, port: query.port,
            to: query.pair.second.isDirect ? world.ownAddress : nil,
            interface: world.interface)
    }
}
