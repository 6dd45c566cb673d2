import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §8.1 to §8.2: asking whether a name is free.
@Suite struct ProbingTests {
    @Test("M2-1 M5-1 M8-3 M8-20 every unique record is probed for before it is used")
    func probesComeFirst() {
        var harness = EngineHarness()
        harness.publish(World.all)
        harness.advance(by: .seconds(5))
        let first = harness.responses.first?.time ?? .zero
        for record in [World.address, World.location, World.attributes] {
            let proposing = harness.probes.filter { probe in
                probe.message.questions.contains { $0.name == record.name }
                    && probe.message.authorities.contains { $0.isSameRecord(as: record) }
            }
            #expect(proposing.count == 3)
            #expect(proposing.allSatisfy { $0.time < first })
        }
        #expect(!harness.probes.contains { $0.carries(World.pointer) })
    }

    @Test("M3-10 M10-15 shared records are neither probed for nor flushed")
    func sharedRecords() {
        var harness = EngineHarness()
        harness.publish([.init(World.pointer, .shared)])
        harness.advance(by: .seconds(5))
        #expect(harness.sent.allSatisfy { $0.isResponse })
        #expect(!harness.responses.isEmpty)
        #expect(harness.responses.flatMap(\.records).allSatisfy { !$0.cacheFlush })
    }

    @Test("M8-4 M8-11 M10-12 probes ask for ANY with QU, records in the authority section")
    func formOfProbes() {
        var harness = EngineHarness()
        harness.publish(World.all)
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count == 3)
        for probe in harness.probes {
            #expect(probe.message.questions.allSatisfy { $0.type == .any && $0.prefersUnicast })
            #expect(!probe.message.authorities.isEmpty)
            #expect(probe.message.authorities.allSatisfy { !$0.cacheFlush })
            #expect(probe.message.answers.isEmpty)
            #expect(probe.isMulticast)
        }
    }

    @Test("M8-5 names that are published together are probed in one message")
    func namesShareProbes() {
        var harness = EngineHarness()
        harness.publish(World.hostSet)
        harness.publish(World.serviceSet)
        harness.advance(by: .seconds(5))
        #expect(harness.probes.count == 3)
        #expect(harness.probes.allSatisfy { $0.message.questions.count == 2 })
    }

    @Test("M8-6 the first probe waits a random 0 to 250 ms")
    func firstProbeDelay() {
        let delays = (1...60 as ClosedRange<UInt64>).map { seed in
            var harness = EngineHarness(seed: seed)
            let start = harness.now
            harness.publish(World.hostSet)
            harness.advance(by: .seconds(1))
            return (harness.probes.first?.time ?? .zero) - start
        }
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .milliseconds(250) })
        #expect(delays.contains { $0 < .milliseconds(60) })
        #expect(delays.contains { $0 > .milliseconds(190) })
    }

    @Test("M8-7 M8-8 three probes 250 ms apart, and 250 ms more before the first announcement")
    func probeGaps() {
        var harness = EngineHarness()
        harness.publish(World.all)
        harness.advance(by: .seconds(5))
        #expect(gaps(harness.probes.map(\.time)) == [.milliseconds(250), .milliseconds(250)])
        let last = harness.probes.last?.time ?? .zero
        #expect((harness.responses.first?.time ?? .zero) - last == .milliseconds(250))
    }

    @Test("M8-9 cached records are no verdict on a name")
    func cacheIsNoVerdict() {
        var harness = EngineHarness()
        harness.startQuery(World.host, .a)
        harness.advance(by: .milliseconds(200))
        harness.respond([World.rival(World.host)])
        harness.advance(by: .seconds(1))
        harness.clear()
        let id = harness.publish(World.hostSet)
        harness.advance(by: .seconds(5))
        #expect(harness.statuses(of: id) == [.probing, .established])
        #expect(harness.engine.statistics.conflicts == 0)
    }

    /// Publishes the host and lets the tester deny it at that time after the first probe.
    private func denied(after delay: Duration, by record: ResourceRecord) -> EngineHarness {
        var harness = EngineHarness()
        harness.publish(World.hostSet)
        harness.advanceToProbe()
        harness.advance(by: delay)
        harness.respond([record])
        harness.advance(by: .seconds(60))
        return harness
    }

    @Test("M8-15 any record of the name denies it, whatever its type")
    func denialsOfAnyType() {
        let text = ResourceRecord(World.host, .txt(text("taken")), timeToLive: .standard)
        #expect(denied(after: .milliseconds(10), by: text).responses.isEmpty)
        let elsewhere = ResourceRecord(World.otherHost, .txt(.empty), timeToLive: .standard)
        #expect(!denied(after: .milliseconds(10), by: elsewhere).responses.isEmpty)
    }

    @Test("M8-12 M8-29 a denial by unicast counts as well")
    func unicastDenial() {
        var harness = EngineHarness()
        let id = harness.publish(World.hostSet)
        harness.advanceToProbe()
        harness.respond([World.rival(World.host)], to: .device)
        #expect(harness.statuses(of: id).last == .conflicted(World.host))
    }

    @Test("M3-1 M8-13 M9-3 who is denied again gives the name up and never answers for it")
    func repeatedDenial() {
        var harness = EngineHarness()
        let id = harness.publish(World.hostSet)
        var denials = 0
        for _ in 0..<200 {
            let before = harness.probes.count
            harness.advance(by: .milliseconds(20))
            if harness.probes.count > before {
                harness.respond([World.rival(World.host)])
                denials += 1
            }
        }
        #expect(harness.statuses(of: id).last == .conflicted(World.host))
        #expect(denials <= 3)
        harness.clear()
        harness.ask(World.host, .a)
        harness.advance(by: .seconds(60))
        #expect(harness.sent.isEmpty)
    }

    @Test("M8-14 conflicts before the first probe are ignored")
    func earlyConflicts() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            let id = harness.publish(World.hostSet)
            harness.respond([World.rival(World.host)])
            #expect(harness.probes.isEmpty)
            harness.advance(by: .milliseconds(1050))
            #expect(harness.statuses(of: id) == [.probing, .established])
            #expect(harness.engine.statistics.conflicts == 0)
        }
    }

    /// A host whose first probes are all denied, each new name as well; then nobody says more.
    private func denied(
        _ harness: inout EngineHarness, probes count: Int
    ) -> (probes: [Instant], name: DomainName, publication: PublicationID) {
        var starts: [Instant] = []
        var current = (name: World.host, publication: harness.publish(World.hostSet))
        var attempt = 0
        var seen = 0
        while starts.count < count, attempt < count {
            harness.advance(by: .milliseconds(10))
            if harness.probes.count > seen {
                seen = harness.probes.count
                starts.append(harness.probes.last?.time ?? .zero)
                harness.respond([World.rival(current.name)])
            }
            if case .conflicted = harness.statuses(of: current.publication).last {
                attempt += 1
                let name = named("device-\(attempt).local")
                let record = World.rival(name, lastByte: 1).flushing(false)
                current = (name, harness.publish([.init(record, .unique)]))
            }
        }
        return (starts, current.name, current.publication)
    }

    @Test("M8-16 after 15 conflicts in 10 s each attempt waits 5 s")
    func conflictBrake() {
        var harness = EngineHarness()
        let starts = denied(&harness, probes: 30).probes
        #expect(starts.count == 30)
        // With the fifteenth in ten seconds the brake is on, and it stays on as long as the
        // denials do.
        let braked = starts.indices.first {
            $0 >= 14 && starts[$0] - starts[$0 - 14] <= .seconds(10)
        }
        #expect(braked == 14)
        #expect(gaps(Array(starts.dropFirst(14))).allSatisfy { $0 >= .seconds(5) })
    }

    @Test("M8-16 ten seconds without a conflict take the brake off, less do not")
    func conflictBrakeEnds() {
        for (quiet, isBraked) in [(Duration.milliseconds(9_900), true), (.seconds(11), false)] {
            var harness = EngineHarness()
            // An even number: the last name has been given up, another is tried.
            let (_, name, id) = denied(&harness, probes: 20)
            harness.advance(by: quiet)
            #expect(harness.statuses(of: id).last == .established)
            harness.clear()
            harness.respond([World.rival(name)])
            harness.advance(by: .seconds(3))
            #expect(harness.probes.isEmpty == isBraked)
        }
    }

    @Test("M8-18 what is known to be ours, or verified by its owner, is not probed for")
    func knownUniqueRecords() {
        var harness = EngineHarness()
        let reverse = ResourceRecord(
            named("1.2.0.192.in-addr.arpa"), .ptr(World.host), timeToLive: .host)
        let start = harness.now
        harness.publish([.init(reverse, .knownUnique)])
        harness.advance(by: .seconds(3))
        #expect(harness.probes.isEmpty)
        #expect(harness.responses.first?.time == start)
        #expect(harness.responses.first?.answers(with: reverse) == true)
        #expect(harness.responses.first?.message.answers.first?.cacheFlush == true)
    }

    // MARK: Simultaneous probes

    /// What becomes of our probing when a rival probes with these records at its first probe.
    private func rivalry(
        _ own: [RecordSet.Member] = World.hostSet, of name: DomainName = World.host,
        against theirs: [ResourceRecord]
    ) -> EngineHarness {
        var harness = EngineHarness()
        harness.publish(own)
        harness.advanceToProbe()
        harness.probe(name, proposing: theirs)
        harness.advance(by: .seconds(6))
        return harness
    }

    private func address(_ last: UInt8) -> ResourceRecord {
        World.rival(World.host, lastByte: last).flushing(false)
    }

    @Test("M8-21 M8-22 M8-26 an earlier rival is ignored")
    func winning() {
        // Ours ends in .1; unsigned bytes: 0 is less.
        let harness = rivalry(against: [address(0)])
        #expect(harness.probes.count == 3)
        #expect(gaps(harness.probes.map(\.time)).allSatisfy { $0 == .milliseconds(250) })
        #expect(harness.engine.statistics.tiebreaksLost == 0)
    }

    @Test(
        "M8-21 M8-23 M8-26 the loser waits a second and probes for the same name again",
        arguments: [2, 99, 200] as [UInt8])
    func losing(_ last: UInt8) {
        let harness = rivalry(against: [address(last)])
        #expect(harness.engine.statistics.tiebreaksLost == 1)
        let found = gaps(harness.probes.map(\.time))
        #expect(harness.probes.count == 4)
        #expect(found.first ?? .zero >= .seconds(1))
        #expect(found.first ?? .zero <= .milliseconds(1260))
        #expect(found.dropFirst().allSatisfy { $0 == .milliseconds(250) })
        #expect(Set(harness.probes.flatMap(\.message.questions).map(\.name)) == [World.host])
        #expect(harness.responses.first?.answers(with: World.address) == true)
    }

    @Test("M8-24 M8-27 types are compared before data")
    func typesFirst() {
        let later = ResourceRecord(World.host, .aaaa(IPv6Address(rawValue: 0)), timeToLive: .host)
        #expect(rivalry(against: [later]).engine.statistics.tiebreaksLost == 1)
        let service: [RecordSet.Member] = [
            .init(World.location, .unique), .init(World.attributes, .unique),
        ]
        // TXT before SRV: theirs begins with an earlier TXT, so ours wins for all their SRV.
        let theirs = [
            World.rivalLocation().flushing(false),
            ResourceRecord(World.instance, .txt(.empty), timeToLive: .standard),
        ]
        let harness = rivalry(service, of: World.instance, against: theirs)
        #expect(harness.engine.statistics.tiebreaksLost == 0)
    }

    @Test("M8-28 the same records and one more win")
    func longerListWins() {
        let more = rivalry(against: [World.address, address(2)])
        #expect(more.engine.statistics.tiebreaksLost == 1)
        let fewer = rivalry(
            World.hostSet + [.init(address(2), .unique)], against: [World.address])
        #expect(fewer.engine.statistics.tiebreaksLost == 0)
    }

    @Test("M8-25 names in the data are compared uncompressed")
    func compressedNames() throws {
        let location = ResourceRecord(
            World.instance, .srv(ServiceLocation(target: World.host, port: 632)),
            timeToLive: .host)
        var verdicts: [Int] = []
        for compresses in [true, false] {
            var harness = EngineHarness()
            harness.publish([.init(World.location, .unique)])
            harness.advanceToProbe()
            var encoder = MessageEncoder(
                header: .query, limit: 1472, compressesServiceTargets: compresses)
            _ = encoder.append(Question(World.instance, .any))
            _ = encoder.append(location, to: .authority)
            harness.receive(encoder.finish())
            verdicts.append(harness.engine.statistics.tiebreaksLost)
        }
        #expect(verdicts == [1, 1])
    }

    @Test("M8-29 A-20 D-21 our own probe, received again, is no rival")
    func ownProbeEchoed() {
        let harness = rivalry(against: [World.address])
        #expect(harness.probes.count == 3)
        #expect(harness.engine.statistics.tiebreaksLost == 0)
        #expect(harness.engine.statistics.conflicts == 0)
    }

    @Test("A-20 all own packets received again change nothing")
    func everythingEchoed() {
        func run(_ echoes: Bool) -> EngineHarness {
            var harness = EngineHarness()
            harness.echoes = echoes
            harness.publish(World.all)
            harness.startQuery(World.type, .ptr)
            harness.advance(by: .seconds(5))
            harness.ask(World.type, .ptr)
            harness.advance(by: .seconds(60))
            return harness
        }
        let echoed = run(true)
        #expect(echoed.engine.statistics.conflicts == 0)
        #expect(echoed.engine.statistics.tiebreaksLost == 0)
        #expect(echoed.probes.count == 3)
        #expect(echoed.responses.count == run(false).responses.count)
    }

    @Test("M8-15 A-20 a denial alone, as a bridge may bring ours back, takes no name")
    func denialAlone() {
        let negative = ResourceRecord(
            World.host, .nsec(NextSecure(nextName: World.host, types: [.aaaa])),
            timeToLive: .host, cacheFlush: true)
        let harness = denied(after: .milliseconds(300), by: negative)
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(!harness.responses.isEmpty)
    }

    @Test("M8-17 what takes no probe is not lost to a record of another")
    func notProbedNotLost() {
        var harness = EngineHarness()
        let reverse = named("1.2.0.192.in-addr.arpa")
        let id = harness.publish(
            World.hostSet + [
                .init(ResourceRecord(reverse, .ptr(World.host), timeToLive: .host), .knownUnique)
            ])
        harness.advanceToProbe()
        harness.respond([ResourceRecord(reverse, .ptr(World.otherHost), timeToLive: .host)])
        harness.advance(by: .seconds(2))
        #expect(harness.statuses(of: id) == [.probing, .established])
        #expect(harness.engine.statistics.conflicts == 0)
    }

    @Test("M8-17 what takes no probe is kept although another program of this host probes for it")
    func notYielded() {
        var harness = EngineHarness()
        let reverse = named("1.2.0.192.in-addr.arpa")
        let id = harness.establish([
            .init(ResourceRecord(reverse, .ptr(World.host), timeToLive: .host), .knownUnique)
        ])
        harness.probe(
            reverse,
            proposing: [ResourceRecord(reverse, .ptr(World.otherHost), timeToLive: .host)],
            from: .device)
        harness.advance(by: .seconds(3))
        #expect(!harness.statuses(of: id).contains(.conflicted(reverse)))
        #expect(!harness.responses.isEmpty)
    }

    @Test("M8-29 A-20 our own probe of another interface is no rival, be its data later")
    func probeOfOtherInterface() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        let there = ResourceRecord(
            World.host, .a(IPv4Address(198, 51, 100, 1)), timeToLive: .host)
        harness.publish(World.hostSet, on: .index(.first))
        harness.publish([.init(there, .unique)], on: .index(.second))
        harness.advanceToProbe()
        harness.advance(by: .milliseconds(250))
        harness.probe(World.host, proposing: [there], from: .deviceSecond)
        #expect(harness.engine.statistics.tiebreaksLost == 0)
    }

    @Test("M8-21 M8-14 who has not sent a probe yet is no rival")
    func rivalBeforeFirstProbe() {
        for seed in 1...10 as ClosedRange<UInt64> {
            var harness = EngineHarness(seed: seed)
            harness.publish(World.hostSet)
            harness.probe(World.host, proposing: [address(99)])
            #expect(harness.engine.statistics.tiebreaksLost == 0)
        }
    }

    @Test("M8-20 a probe proposes what is to be unique, and nothing else of the name")
    func proposedRecords() {
        var harness = EngineHarness()
        let shared = ResourceRecord(World.host, .txt(text("x")), timeToLive: .standard)
        harness.publish(World.hostSet + [.init(shared, .shared)])
        harness.advance(by: .seconds(2))
        #expect(harness.probes.count == 3)
        #expect(harness.probes.allSatisfy { $0.message.authorities.map(\.type) == [.a] })
    }

    @Test("M8-20 M17-1 many names take several probes, each name's records with its question")
    func manyNames() {
        var harness = EngineHarness()
        let members = (0..<60).map { index in
            RecordSet.Member(
                ResourceRecord(
                    named("Instance \(index)._ipp._tcp.local"), .txt(text("note=\(index)")),
                    timeToLive: .standard), .unique)
        }
        harness.publish(members)
        harness.advance(by: .seconds(2))
        #expect(harness.probes.count == 3 * (harness.probes.count / 3))
        #expect(harness.probes.count > 3)
        for probe in harness.probes {
            #expect(probe.bytes.count <= 1472 && !probe.message.questions.isEmpty)
            #expect(
                Set(probe.message.questions.map(\.name))
                    == Set(probe.message.authorities.map(\.name)))
        }
        #expect(Set(harness.probes.flatMap(\.message.questions).map(\.name)).count == 60)
    }

    @Test("M8-20 M17-2 one name with more than a packet's records is probed in one datagram")
    func largeProposal() {
        var harness = EngineHarness()
        let large = TextStrings([[UInt8]](repeating: [UInt8](repeating: 97, count: 250), count: 8))
        harness.publish([
            .init(
                ResourceRecord(World.instance, .txt(large ?? .empty), timeToLive: .standard),
                .unique)
        ])
        harness.advance(by: .seconds(2))
        #expect(harness.probes.count == 3)
        #expect(harness.sent.allSatisfy { !$0.isQuery || $0.isProbe })
        #expect(harness.probes.allSatisfy { $0.message.authorities.count == 1 })
    }

    @Test("M8-16 fourteen conflicts in ten seconds, or more over a longer time, brake nothing")
    func conflictsBelowTheBrake() {
        /// How long a conflict waits for its probe after three rounds of so many conflicts.
        func waitAfter(_ rounds: [Int], every gap: Duration) -> Duration {
            var harness = EngineHarness()
            let names = (0..<5).map { named("device-\($0).local") }
            for name in names {
                harness.publish([
                    .init(World.rival(name, lastByte: 1).flushing(false), .unique)
                ])
            }
            harness.advance(by: .seconds(5))
            for count in rounds {
                harness.respond(names.prefix(count).map { World.rival($0) })
                // They are won again meanwhile.
                harness.advance(by: gap)
            }
            harness.clear()
            let last = harness.now
            harness.respond([World.rival(names[4])])
            harness.advance(by: .seconds(12))
            return (harness.probes.first?.time ?? .never) - last
        }
        #expect(waitAfter([5, 5, 3], every: .seconds(1)) < .milliseconds(10))
        #expect(waitAfter([5, 5, 4], every: .seconds(4)) < .milliseconds(10))
        #expect(waitAfter([5, 5, 4], every: .seconds(3)) == .seconds(5))
    }

    @Test("M8-3 a name is probed for once: what is added to it later is not, unless it was shared")
    func addedToOwnName() {
        let text = ResourceRecord(World.host, .txt(text("x")), timeToLive: .standard)
        for ownership in [RecordSet.Ownership.unique, .shared] {
            var harness = EngineHarness()
            harness.establish([.init(World.address, ownership)])
            harness.publish([.init(text, .unique)])
            harness.advance(by: .seconds(3))
            #expect(harness.probes.isEmpty == (ownership == .unique))
            #expect(harness.responses.contains { $0.answers(with: text) })
        }
    }

    @Test("M6-24 M6-37 a record that waits for another name is not there yet")
    func notYetThere() {
        let text = ResourceRecord(World.host, .txt(text("x")), timeToLive: .standard)
        for type in [RecordType.aaaa, .txt] {
            var harness = EngineHarness()
            harness.establish(World.hostSet)
            harness.publish([.init(text, .unique), .init(World.location, .unique)])
            harness.advanceToProbe()
            harness.ask(World.host, type)
            harness.advance(by: .milliseconds(10))
            let answers = harness.responses.first?.message.answers ?? []
            #expect(answers.map(\.type) == [.nsec])
            if case .nsec(let next) = answers.first?.data {
                #expect(next.contains(.a) && !next.contains(.txt))
            }
        }
    }

    @Test("M8-16 the brake goes off with ten quiet seconds, and on again with more conflicts")
    func brakeComesAndGoes() {
        var harness = EngineHarness()
        let names = (0..<5).map { named("device-\($0).local") }
        for name in names {
            harness.publish([.init(World.rival(name, lastByte: 1).flushing(false), .unique)])
        }
        harness.advance(by: .seconds(5))
        for _ in 0..<2 {
            for _ in 0..<2 {
                harness.respond(names.map { World.rival($0) })
                harness.advance(by: .seconds(2))
            }
            harness.respond(names.prefix(4).map { World.rival($0) })
            harness.advance(by: .seconds(1))
            harness.clear()
            var start = harness.now
            harness.respond([World.rival(names[4])])
            harness.advance(by: .seconds(40))
            #expect((harness.probes.first?.time ?? .zero) - start == .seconds(5))
            harness.clear()
            start = harness.now
            let id = harness.publish(World.hostSet)
            harness.advance(by: .seconds(30))
            #expect((harness.probes.first?.time ?? .never) - start <= .milliseconds(250))
            harness.withdraw(id)
        }
    }
}
