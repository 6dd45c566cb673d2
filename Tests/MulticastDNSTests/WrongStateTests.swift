import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// What a peer can send that does not fit the state we are in: it is counted, and no name is
/// given up without cause.
@Suite struct WrongStateTests {
    /// A rival's record: its data is earlier than, or later than ours.
    enum Rank: String, CaseIterable, CustomTestStringConvertible {
        case earlier, equal, later

        /// Ours ends in .1.
        var record: ResourceRecord {
            switch self {
            case .earlier: World.rival(World.host, lastByte: 0).flushing(false)
            case .equal: World.address
            case .later: World.rival(World.host, lastByte: 99).flushing(false)
            }
        }

        var testDescription: String { rawValue }
    }

    private static let sources = [IPAddress.tester, .device]

    // MARK: Answers to questions that were not asked

    @Test("D-28 D-21 answers to questions never asked are counted and forgotten")
    func unaskedAnswers() {
        var harness = EngineHarness()
        harness.respond([World.foundPointer, World.foundLocation, World.foundAddress])
        #expect(harness.engine.statistics.unwantedRecords == 3)
        harness.respond([World.foundPointer], to: .device)
        #expect(harness.engine.statistics.unsolicitedUnicast == 1)
        harness.respond([World.foundPointer], port: 4_000)
        #expect(harness.engine.statistics.wrongPort == 1)
        // Nor are they an answer to a question about something else.
        let query = harness.startQuery(World.host, .aaaa)
        harness.respond([World.foundPointer, World.foundAddress])
        #expect(harness.engine.statistics.unwantedRecords == 5)
        harness.advance(by: .seconds(1))
        #expect(harness.added(to: query).isEmpty)
        #expect(harness.engine.cachedRecordCount == 0)
        #expect(harness.responses.isEmpty)
    }

    @Test("D-21 the answer to a question that was stopped is counted and forgotten")
    func answersTooLate() {
        var harness = EngineHarness()
        let query = harness.startQuery(World.type, .ptr)
        harness.advance(by: .seconds(1))
        harness.stopQuery(query)
        harness.respond([World.foundPointer])
        #expect(harness.engine.statistics.unwantedRecords == 1)
        #expect(harness.changes(of: query).isEmpty)
        #expect(harness.engine.cachedRecordCount == 0)
    }

    @Test("D-23 known answers that follow no question are counted")
    func knownAnswersAlone() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask([], known: [World.pointer])
        #expect(harness.engine.statistics.unmatchedKnownAnswers == 1)
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
    }

    // MARK: Probes for our names

    @Test(
        "M8-14 D-21 a probe for a name that we are about to probe for is counted and nothing else",
        arguments: Rank.allCases, sources)
    func probesBeforeOurs(_ rank: Rank, _ source: IPAddress) {
        var harness = EngineHarness()
        let id = harness.publish(World.hostSet)
        harness.probe(World.host, proposing: [rank.record], from: source)
        #expect(harness.probes.isEmpty)
        #expect(harness.engine.statistics.rivalProbes == (rank == .equal ? 0 : 1))
        harness.advance(by: .seconds(5))
        #expect(harness.engine.statistics.tiebreaksLost == 0)
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(harness.statuses(of: id) == [.probing, .established])
        #expect(harness.probes.count == 3)
    }

    @Test(
        "M8-21 M8-22 M8-23 M8-29 a rival that stops after one probe delays us at most",
        arguments: Rank.allCases, sources)
    func probesWithOurs(_ rank: Rank, _ source: IPAddress) {
        for sent in 1...3 {
            var harness = EngineHarness()
            let id = harness.publish(World.hostSet)
            while harness.probes.count < sent { harness.advance(by: .milliseconds(1)) }
            harness.probe(World.host, proposing: [rank.record], from: source)
            harness.advance(by: .seconds(5))
            let statistics = harness.engine.statistics
            #expect(statistics.rivalProbes == (rank == .equal ? 0 : 1))
            #expect(statistics.tiebreaksLost == (rank == .later ? 1 : 0))
            #expect(statistics.conflicts == 0)
            #expect(harness.statuses(of: id) == [.probing, .established])
            #expect(harness.probes.count == (rank == .later ? sent + 3 : 3))
        }
    }

    @Test(
        "M9-2 M8-12 a probe for a name that is ours is answered and does not move us",
        arguments: Rank.allCases, sources)
    func probesAfterOurs(_ rank: Rank, _ source: IPAddress) {
        var harness = EngineHarness()
        let id = harness.establish(World.hostSet)
        for _ in 0..<3 {
            harness.probe(World.host, proposing: [rank.record], from: source)
            harness.advance(by: .seconds(2))
        }
        #expect(harness.engine.statistics.rivalProbes == (rank == .equal ? 0 : 3))
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(harness.statuses(of: id).isEmpty)
        #expect(harness.probes.isEmpty)
        #expect(harness.responses.count { $0.answers(with: World.address) } >= 3)
    }

    @Test("M8-12 D-21 a unicast response for a name that is not probed for is counted, and no more")
    func unaskedUnicastConflicts() {
        var harness = EngineHarness()
        let id = harness.establish(World.hostSet)
        harness.respond([World.rival(World.host)], to: .device)
        harness.respond([World.rival(World.otherHost)], to: .device)
        harness.advance(by: .seconds(5))
        #expect(harness.engine.statistics.unsolicitedUnicast == 2)
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(harness.statuses(of: id).isEmpty)
        #expect(harness.sent.isEmpty)
    }

    // MARK: Goodbyes for our records

    @Test("M10-3 M6-53 goodbyes of others for our records are counted, and we say them again")
    func goodbyesForOurs() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.respond(World.all.map { $0.record.lasting(0) })
        #expect(harness.engine.statistics.goodbyesForOwn == 4)
        let received = harness.now
        harness.advance(by: .milliseconds(999))
        for member in World.all {
            #expect(harness.responses.contains { $0.answers(with: member.record) })
        }
        #expect((harness.responses.first?.time ?? received) - received < .seconds(1))
        harness.advance(by: .seconds(10))
        #expect(harness.statuses(of: id).isEmpty)
        #expect(harness.engine.statistics.conflicts == 0)
    }

    @Test("M9-1 a goodbye for our record while we probe is no conflict")
    func goodbyesWhileProbing() {
        var harness = EngineHarness()
        let id = harness.publish(World.hostSet)
        while harness.probes.isEmpty { harness.advance(by: .milliseconds(1)) }
        harness.respond([World.address.lasting(0), World.rival(World.host).lasting(0)])
        harness.advance(by: .seconds(5))
        #expect(harness.engine.statistics.goodbyesForOwn == 1)
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(harness.statuses(of: id) == [.probing, .established])
        #expect(harness.probes.count == 3)
    }

    // MARK: Our own packets from another address

    @Test(
        "A-20 M9-1 M8-29 our own packets from another address are counted, whatever they are",
        arguments: [IPAddress.tester, .other, .stranger, .device])
    func ownPacketsReflected(_ source: IPAddress) {
        var harness = EngineHarness()
        let id = harness.publish(World.all)
        harness.startQuery(World.type, .ptr)
        var passed = 0
        // A reflector: what leaves comes back a little later, from its address.
        for _ in 0..<600 {
            harness.advance(by: .milliseconds(10))
            let fresh = harness.sent.dropFirst(passed)
            passed = harness.sent.count
            for sent in fresh where sent.isMulticast {
                harness.receive(sent.bytes, from: source)
            }
        }
        let statistics = harness.engine.statistics
        #expect(statistics.conflicts == 0)
        #expect(statistics.tiebreaksLost == 0)
        #expect(statistics.rivalProbes == 0)
        #expect(statistics.ownRecordsEchoed > 0 || source == .device)
        #expect(harness.statuses(of: id) == [.probing, .established])
        #expect(harness.probes.count == 3)
        #expect(harness.sent.count < 30)
        harness.withdraw(id)
        let goodbyes = harness.sent.dropFirst(passed)
        for sent in goodbyes { harness.receive(sent.bytes, from: source) }
        harness.advance(by: .seconds(5))
        #expect(harness.responses.last?.time == goodbyes.last?.time)
    }

    @Test("A-20 a stale copy of our former record from another address ends in our favour")
    func staleOwnRecord() {
        var harness = EngineHarness()
        let id = harness.establish(World.serviceSet)
        let old = World.location
        let new = ResourceRecord(
            World.instance, .srv(ServiceLocation(target: World.host, port: 700)),
            timeToLive: .host)
        harness.update(
            id,
            to: [
                .init(World.pointer, .shared), .init(new, .unique),
                .init(World.attributes, .unique),
            ])
        harness.advance(by: .seconds(5))
        // A reflector with a long queue says once more what is no longer so.
        harness.respond([old.flushing()])
        harness.advance(by: .seconds(5))
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(!harness.statuses(of: id).contains(.probing))
        #expect(harness.responses.contains { $0.answers(with: new) })
    }
}
