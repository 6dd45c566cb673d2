import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Our own data of a moment ago, as a bridge or a reflector brings it back; updates while
/// something waits.
@Suite struct EarlierDataTests {
    private static let newText = ResourceRecord(
        World.instance, .txt(text("txtvers=2")), timeToLive: .standard)
    private static let updated =
        World.hostSet + [
            .init(World.pointer, .shared), .init(World.location, .unique), .init(newText, .unique),
        ]

    @Test(
        "M9-1 our own announcement that comes back after an update is no conflict",
        arguments: [IPAddress.device, .tester], [Duration.milliseconds(1), .seconds(3)])
    func echoAfterUpdate(source: IPAddress, delay: Duration) {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.ask(World.instance, .txt)
        let echo = harness.sent.last?.bytes ?? []
        #expect(!echo.isEmpty)
        harness.update(id, to: Self.updated)
        harness.advance(by: delay)
        harness.clear()
        harness.receive(echo, from: source)
        harness.advance(by: .seconds(3))
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(harness.probes.isEmpty)
        #expect(!harness.statuses(of: id).contains(.probing))
    }

    @Test("M10-19 earlier data with the flush bit has ended ours in every cache: it is sent again")
    func flushedByEarlierData() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.update(id, to: Self.updated)
        harness.advance(by: .seconds(5))
        harness.clear()
        harness.respond([World.attributes.flushing()])
        harness.advance(by: .seconds(1))
        #expect(harness.multicastResponses.contains { $0.answers(with: Self.newText) })
    }

    @Test("M9-2 after ten seconds it is another host's")
    func laterData() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.update(id, to: Self.updated)
        harness.advance(by: .seconds(10))
        harness.clear()
        harness.respond([World.attributes.flushing()])
        #expect(harness.engine.statistics.conflicts == 1)
        #expect(harness.statuses(of: id) == [.probing])
    }

    @Test("M8-29 an echo of a probe from before an update is no rival")
    func echoOfProbe() {
        var harness = EngineHarness()
        let low = World.rival(World.host, lastByte: 1).flushing(false)
        let high = World.rival(World.host, lastByte: 200).flushing(false)
        let id = harness.publish([.init(high, .unique)])
        harness.advanceToProbe()
        let echo = harness.probes.last?.bytes ?? []
        harness.update(id, to: [.init(low, .unique)])
        harness.advance(by: .milliseconds(300))
        harness.receive(echo, from: .tester)
        harness.advance(by: .seconds(5))
        #expect(harness.engine.statistics.tiebreaksLost == 0)
        #expect(harness.statuses(of: id).last == .established)
    }

    @Test("M8-12 a conflict after a probe is believed at once", arguments: [0, 249, 500, 749])
    func believedAtOnce(wait: Int) {
        var harness = EngineHarness()
        let id = harness.publish(World.hostSet)
        harness.advanceToProbe()
        harness.advance(by: .milliseconds(wait))
        harness.respond([World.rival(World.host)])
        #expect(harness.statuses(of: id).last == .conflicted(World.host))
        harness.clear()
        harness.advance(by: .seconds(10))
        #expect(harness.sent.isEmpty)
    }

    @Test("M8-23 an update while a lost tie is waited out does not cut the wait")
    func updateInTheWait() {
        var harness = EngineHarness()
        let id = harness.publish([.init(World.address, .unique)])
        harness.advanceToProbe()
        harness.probe(
            World.host, proposing: [World.rival(World.host, lastByte: 255).flushing(false)])
        #expect(harness.engine.statistics.tiebreaksLost == 1)
        harness.clear()
        harness.advance(by: .milliseconds(10))
        let more = ResourceRecord(World.host, .txt(text("x")), timeToLive: .standard)
        harness.update(id, to: [.init(World.address, .unique), .init(more, .unique)])
        harness.advance(by: .milliseconds(989))
        #expect(harness.probes.isEmpty)
        harness.advance(by: .milliseconds(2))
        #expect(harness.probes.count == 1)
        #expect(harness.probes.allSatisfy { $0.message.authorities.count == 2 })
    }

    @Test("M8-7 what is proposed anew is proposed three times")
    func updateBetweenProbes() {
        var harness = EngineHarness()
        let id = harness.publish([.init(World.address, .unique)])
        harness.advanceToProbe()
        harness.advance(by: .milliseconds(250))
        harness.clear()
        let more = ResourceRecord(World.host, .txt(text("x")), timeToLive: .standard)
        harness.update(id, to: [.init(World.address, .unique), .init(more, .unique)])
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count == 3)
        #expect(gaps(harness.probes.map(\.time)).allSatisfy { $0 >= .milliseconds(250) })
        #expect(harness.probes.allSatisfy { $0.message.authorities.count == 2 })
        #expect(harness.statuses(of: id).last == .established)
    }

    @Test("M8-41 a service that loses its name says goodbye to the PTR of that name alone")
    func goodbyeAfterConflict() {
        var harness = EngineHarness()
        harness.establish(World.serviceSet)
        for _ in 0..<2 {
            harness.respond([World.rivalLocation()])
            harness.advance(by: .milliseconds(300))
        }
        #expect(harness.responses.contains { $0.saysGoodbye(to: World.pointer) })
        #expect(!harness.responses.contains { $0.saysGoodbye(to: World.location) })
        #expect(!harness.responses.contains { $0.saysGoodbye(to: World.attributes) })
    }

    @Test("M8-43 updates: four in a row, then one in ten seconds, ten in any minute, the last goes")
    func spreadUpdates() {
        var harness = EngineHarness()
        let id = harness.establish([.init(World.attributes, .unique)])
        let start = harness.now
        var last = World.attributes
        for number in 0..<200 {
            last.data = .txt(text("n=\(number)"))
            harness.update(id, to: [.init(last, .unique)])
            harness.advance(by: .milliseconds(600))
        }
        harness.advance(by: .seconds(30))
        var seen: [(data: RecordData, time: Instant)] = []
        for sent in harness.multicastResponses {
            for record in sent.message.answers
            where !seen.contains(where: { $0.data == record.data }) {
                seen.append((record.data, sent.time))
            }
        }
        #expect(seen.last?.data == last.data)
        #expect(seen.prefix(4).allSatisfy { $0.time - start <= .seconds(3) })
        for first in seen {
            let within = seen.filter {
                $0.time >= first.time && $0.time - first.time < .seconds(60)
            }
            #expect(within.count <= 10)
        }
        #expect(gaps(seen.dropFirst(4).map(\.time)).allSatisfy { $0 <= .seconds(11) })
    }

    @Test("M8-40 only what an update changes is announced")
    func announcesTheChange() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.update(id, to: Self.updated)
        harness.advance(by: .seconds(5))
        #expect(harness.multicastResponses.count == 2)
        #expect(
            harness.multicastResponses.allSatisfy {
                $0.message.answers.map(\.data) == [Self.newText.data]
            })
    }

    @Test("an address that goes is announced by the set that is left")
    func announcesWhatIsLeft() {
        var harness = EngineHarness()
        let second = World.rival(World.host, lastByte: 77).flushing(false)
        let id = harness.establish(World.hostSet + [.init(second, .unique)])
        harness.update(id, to: World.hostSet)
        harness.advance(by: .seconds(5))
        #expect(harness.multicastResponses.contains { $0.answers(with: World.address) })
        #expect(!harness.responses.contains { $0.carries(second) })
    }

    @Test("a time to live that changes is announced")
    func announcesAnotherTimeToLive() {
        var harness = EngineHarness()
        let id = harness.establish([.init(World.attributes, .unique)])
        harness.update(id, to: [.init(World.attributes.lasting(60), .unique)])
        harness.advance(by: .seconds(5))
        #expect(harness.multicastResponses.count == 2)
        #expect(
            harness.multicastResponses.flatMap(\.message.answers).allSatisfy {
                $0.timeToLive == .seconds(60)
            })
    }
}
