import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Sets of several names: each is probed for, waited for and given up by itself.
@Suite struct SecondClaimTests {
    private func text(_ name: DomainName, _ value: String = "x") -> ResourceRecord {
        ResourceRecord(
            name, .txt(TextStrings([Array(value.utf8)]) ?? .empty), timeToLive: .standard)
    }

    @Test("M8-21 M8-23 a tie over the second name of a rival's probe counts")
    func rivalOfSecondName() {
        var harness = EngineHarness()
        harness.publish(World.hostSet)
        harness.advanceToProbe()
        let other = named("free.local")
        let theirs = World.rival(World.host, lastByte: 255).flushing(false)
        harness.receive(
            Message(
                questions: [Question(other, .any), Question(World.host, .any)],
                authorities: [World.rival(other).flushing(false), theirs]))
        #expect(harness.engine.statistics.tiebreaksLost == 1)
    }

    @Test("M8-14 after a tie that was lost long ago a conflict before the first probe is none")
    func lostTieIsOver() {
        var harness = EngineHarness(seed: 3)
        let id = harness.publish(World.hostSet)
        harness.advanceToProbe()
        harness.probe(
            World.host, proposing: [World.rival(World.host, lastByte: 255).flushing(false)])
        #expect(harness.engine.statistics.tiebreaksLost == 1)
        harness.advance(by: .seconds(10))
        #expect(harness.statuses(of: id).last == .established)
        harness.clear()
        harness.wake()
        harness.respond([World.rival(World.host)])
        #expect(harness.probes.isEmpty)
        harness.advance(by: .seconds(10))
        #expect(harness.statuses(of: id).last == .established)
    }

    @Test("M8-1 every name of a set is probed for again after a wake-up")
    func wakeUp() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.wake()
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count == 3)
        for probe in harness.probes {
            #expect(Set(probe.message.questions.map(\.name)) == [World.host, World.instance])
        }
    }

    @Test("M8-3 a name that an update gave up is probed for by who wants it next")
    func givenUpByUpdate() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.update(id, to: World.hostSet)
        harness.advance(by: .seconds(5))
        harness.clear()
        harness.publish(World.serviceSet)
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count == 3)
        #expect(harness.probes.allSatisfy { $0.message.questions.map(\.name) == [World.instance] })
    }

    @Test("M8-3 a name is probed for if any of its records is to be", arguments: [false, true])
    func mixedOwnership(isReversed: Bool) {
        var harness = EngineHarness()
        let set: [RecordSet.Member] = [
            .init(World.address, .unique), .init(text(World.host), .knownUnique),
        ]
        harness.publish(isReversed ? set.reversed() : set)
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count == 3)
        #expect(harness.responses.allSatisfy { $0.time > harness.probes[2].time })
    }

    @Test("M8-1 a set waits for every host that it points to", arguments: [false, true])
    func everyTarget(isReversed: Bool) {
        var harness = EngineHarness()
        harness.establish(World.hostSet)
        let host = World.rival(World.otherHost, lastByte: 5).flushing(false)
        let locations = [World.host, World.otherHost].map { target in
            ResourceRecord(
                World.instance, .srv(ServiceLocation(target: target, port: 80)),
                timeToLive: .host)
        }
        harness.publish([.init(host, .unique)])
        harness.publish(
            (isReversed ? locations.reversed() : locations).map { .init($0, .unique) })
        harness.advanceToProbe()
        harness.probe(
            World.otherHost,
            proposing: [World.rival(World.otherHost, lastByte: 255).flushing(false)])
        harness.advance(by: .seconds(10))
        let named = harness.responses.first { $0.answers(with: host) }
        let located = harness.responses.first { $0.answers(with: locations[0]) }
        #expect(named != nil && located != nil)
        #expect((located?.time ?? .zero) >= (named?.time ?? .zero))
    }

    @Test("M8-5 M8-20 names fill each probe, not the first one alone")
    func fullProbes() {
        var harness = EngineHarness()
        harness.publish(
            (0..<150).map { .init(text(named("A name of some length \($0).local")), .unique) })
        harness.advance(by: .seconds(5))
        let last = harness.probes.last?.time ?? .zero
        let round = harness.probes.filter { $0.time == last }
        #expect(round.count > 2)
        #expect(round.dropLast().allSatisfy { $0.bytes.count > 700 })
        #expect(round.flatMap(\.message.questions).count == 150)
    }

    @Test("M8-33 an update between two announcements leaves none of the rest announced once")
    func updateBetweenAnnouncements() {
        var harness = EngineHarness()
        let id = harness.publish(World.all)
        for _ in 0..<2_000 where harness.responses.isEmpty {
            harness.advance(by: .milliseconds(1))
        }
        harness.advance(by: .milliseconds(500))
        let changed = text(World.instance, "changed")
        harness.update(
            id, to: World.all.map { $0.record.type == .txt ? .init(changed, .unique) : $0 })
        harness.advance(by: .seconds(10))
        for record in [World.address, World.pointer, World.location, changed] {
            #expect(harness.responses.count { $0.answers(with: record) } >= 2, "\(record)")
        }
    }

    @Test("M8-43 of two updates that wait each is announced when its own time has come")
    func waitingUpdates() {
        var harness = EngineHarness()
        let names = [World.host, World.otherHost]
        let ids = names.map { harness.establish([.init(text($0), .unique)]) }
        var starts: [Instant] = []
        for (id, name) in zip(ids, names) {
            starts.append(harness.now)
            for number in 0..<5 {
                harness.update(id, to: [.init(text(name, "\(number)"), .unique)])
            }
            // No other deadline is to fall upon the time of an update.
            harness.advance(by: .milliseconds(4_300))
        }
        harness.advance(by: .seconds(60))
        for (start, name) in zip(starts, names) {
            let last = harness.responses.first { $0.answers(with: text(name, "4")) }
            #expect((last?.time ?? .zero) - start <= .milliseconds(10_100), "\(name)")
        }
    }
}
