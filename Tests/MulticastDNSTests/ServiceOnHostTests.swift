import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// A service whose host's name is still probed for: it may be another machine's.
@Suite struct ServiceOnHostTests {
    /// A service whose own name is claimed and waits for the host's, which has lost a tie.
    private func waitingForHost() -> (EngineHarness, PublicationID) {
        var harness = EngineHarness()
        harness.publish(World.hostSet)
        harness.advance(by: .milliseconds(600))
        let service = harness.publish(World.serviceSet)
        harness.advanceToProbe()
        // The host's name is contested when the service's own probes are nearly over.
        harness.advance(by: .milliseconds(50))
        harness.probe(
            World.host, proposing: [World.rival(World.host, lastByte: 255).flushing(false)])
        harness.advance(by: .milliseconds(950))
        #expect(harness.responses.isEmpty)
        harness.clear()
        return (harness, service)
    }

    @Test("M8-14 a service is not announced before the name of its host is claimed")
    func waitsForItsHost() {
        var (harness, service) = waitingForHost()
        harness.advance(by: .seconds(5))
        #expect(harness.statuses(of: service).last == .established)
        let announced = harness.responses.first { $0.answers(with: World.location) }
        let host = harness.responses.first { $0.answers(with: World.address) }
        #expect(announced != nil && host != nil)
        if let announced, let host { #expect(host.time <= announced.time) }
    }

    @Test("M8-14 nor a reverse mapping: its address may be another host's by then")
    func reverseMappingWaits() {
        var harness = EngineHarness()
        harness.publish(World.hostSet)
        let reverse = ResourceRecord(
            named("1.2.0.192.in-addr.arpa"), .ptr(World.host), timeToLive: .host)
        harness.publish([.init(reverse, .deferring)])
        harness.advance(by: .seconds(5))
        #expect(harness.sent.first?.isProbe == true)
        let announced = harness.responses.first { $0.answers(with: reverse) }
        let host = harness.responses.first { $0.answers(with: World.address) }
        #expect(announced != nil && host != nil)
        if let announced, let host { #expect(host.time <= announced.time) }
    }

    @Test("nor answered for; and it goes on once it points to another host")
    func pointsElsewhere() {
        var harness = EngineHarness()
        harness.publish(World.hostSet)
        let service = harness.publish(World.serviceSet)
        harness.advanceToProbe()
        harness.respond([World.rival(World.host)])
        harness.ask(World.type, .ptr)
        harness.advance(by: .milliseconds(120))
        #expect(harness.responses.isEmpty)
        let other = ResourceRecord(
            World.instance, .srv(ServiceLocation(target: World.otherHost, port: 631)),
            timeToLive: .host)
        harness.update(
            service,
            to: [
                .init(World.pointer, .shared), .init(other, .unique),
                .init(World.attributes, .unique),
            ])
        harness.advance(by: .seconds(5))
        #expect(harness.responses.contains { $0.answers(with: other) })
        #expect(!harness.responses.contains { $0.carries(World.location) })
    }

    @Test("a host that is nobody's here is not waited for, nor one that was withdrawn")
    func goesOnWithoutAHost() {
        for isWithdrawn in [false, true] {
            var harness = EngineHarness()
            let host = isWithdrawn ? harness.publish(World.hostSet) : nil
            let service = harness.publish(World.serviceSet)
            harness.advanceToProbe()
            if let host { harness.withdraw(host) }
            harness.advance(by: .seconds(5))
            #expect(harness.statuses(of: service).last == .established)
        }
    }

    @Test(
        "M8-16 M8-23 a rival that always wins the tie slows us down as any conflict does",
        arguments: [(1, 60), (2, 20)])
    func endlessTies(nameCount: Int, mostProbes: Int) {
        var harness = EngineHarness()
        let names = (0..<nameCount).map { named("host\($0).local") }
        for name in names {
            harness.publish([.init(World.rival(name, lastByte: 1).flushing(false), .unique)])
        }
        var count = 0
        for _ in 0..<60_000 {
            harness.advance(by: .milliseconds(1))
            guard harness.probes.count > count else { continue }
            count = harness.probes.count
            for name in harness.probes.last?.message.questions.map(\.name) ?? [] {
                harness.probe(
                    name, proposing: [World.rival(name, lastByte: 255).flushing(false)])
            }
        }
        // One attempt a second; fifteen ties within ten seconds make it one in five.
        #expect(harness.engine.statistics.tiebreaksLost >= count)
        #expect(count <= mostProbes)
        #expect(gaps(harness.probes.map(\.time)).allSatisfy { $0 >= .milliseconds(1_000) })
    }

    @Test("M9-2 a name that is ours by its nature is probed for once somebody contradicts")
    func contradictedNature() {
        var harness = EngineHarness()
        let id = harness.establish([.init(World.address, .knownUnique)])
        harness.respond([World.rival(World.host)])
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count == 3)
        #expect(harness.statuses(of: id) == [.probing, .established])
        harness.clear()
        for _ in 0..<20 {
            harness.respond([World.rival(World.host)])
            harness.advance(by: .milliseconds(400))
        }
        #expect(harness.statuses(of: id).contains(.conflicted(World.host)))
    }

    @Test("M8-22 a name that waits for its host is probed for again when a lesser prober comes")
    func waitingNameWinsTies() {
        var (harness, _) = waitingForHost()
        let lesser = ResourceRecord(
            World.instance, .txt(text("a")), timeToLive: .standard)
        harness.probe(World.instance, proposing: [lesser])
        harness.advance(by: .milliseconds(10))
        let probe = harness.probes.first
        #expect(probe?.asks(Question(World.instance, .any)) == true)
        #expect(probe?.carries(World.attributes) == true)
    }

    @Test("M8-23 a name that waits for its host is left to a greater prober that gets it")
    func waitingNameLosesTies() {
        var (harness, service) = waitingForHost()
        harness.probe(World.instance, proposing: [World.rivalLocation()])
        harness.advance(by: .milliseconds(800))
        #expect(!harness.probes.contains { $0.asks(Question(World.instance, .any)) })
        harness.respond([World.rivalLocation()])
        #expect(harness.statuses(of: service).last == .conflicted(World.instance))
    }

    @Test("M9-1 a conflicting response sends a name that waits for its host back to probing")
    func waitingNameMeetsConflicts() {
        var (harness, _) = waitingForHost()
        harness.respond([World.rivalLocation()])
        harness.advance(by: .milliseconds(10))
        #expect(harness.probes.first?.asks(Question(World.instance, .any)) == true)
    }
}
