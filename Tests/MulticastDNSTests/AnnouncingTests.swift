import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §8.3 and §8.4: saying what is there, and what has changed.
@Suite struct AnnouncingTests {
    @Test("M8-30 M8-32 M18-33 the first announcement has all records, unique ones with the bit")
    func firstAnnouncement() {
        var harness = EngineHarness()
        harness.publish(World.all)
        harness.advance(by: .seconds(5))
        let answers = harness.responses.first?.message.answers ?? []
        for member in World.all {
            let said = answers.first { $0.isSameRecord(as: member.record) }
            #expect(said?.cacheFlush == (member.ownership != .shared))
            #expect(said?.timeToLive == member.record.timeToLive)
        }
    }

    @Test("M8-31 M17-1 M17-7 many records take several packets of the link's size")
    func manyRecords() {
        var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
        let members = (0..<150).map { index in
            RecordSet.Member(
                ResourceRecord(
                    World.type, .ptr(named("Instance \(index) of many._ipp._tcp.local")),
                    timeToLive: .standard), .shared)
        }
        harness.publish(members)
        harness.advance(by: .milliseconds(10))
        for (family, limit) in [(AddressFamily.ipv4, 1472), (.ipv6, 1452)] {
            let packets = harness.responses.filter { $0.destination.address.family == family }
            #expect(packets.count >= 3)
            #expect(packets.allSatisfy { $0.bytes.count <= limit })
            #expect(packets.dropLast().allSatisfy { $0.bytes.count > limit - 100 })
            #expect(packets.reduce(0) { $0 + $1.message.answers.count } == 150)
        }
    }

    @Test("M8-33 M8-34 at least two announcements, a second apart, at most eight")
    func announcementGaps() {
        for set in [World.all, [.init(World.pointer, .shared)]] {
            var harness = EngineHarness()
            harness.publish(set)
            harness.advance(by: .seconds(600))
            // Two, as every other stack makes; the RFC allows eight.
            #expect(gaps(harness.responses.map(\.time)) == [.seconds(1)])
        }
    }

    @Test("M8-35 M8-36 nothing is announced without cause, however long")
    func noPeriodicAnnouncements() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.advance(by: .seconds(48 * 3600))
        #expect(harness.sent.isEmpty)
        harness.update(interfaces: [.lan])
        harness.advance(by: .seconds(60))
        #expect(harness.sent.isEmpty)
    }

    @Test("M8-1 M10-6 M10-7 wake-up and link-up probe and announce anew")
    func restarts() {
        for isWake in [true, false] {
            var harness = EngineHarness()
            let id = harness.establish(World.all)
            if !isWake { harness.update(interfaces: [.lanWithoutCarrier]) }
            harness.advance(by: .seconds(100))
            harness.clear()
            if isWake { harness.wake() } else { harness.update(interfaces: [.lan]) }
            harness.advance(by: .seconds(5))
            #expect(harness.probes.count == 3)
            let first = harness.responses.first?.time ?? .zero
            #expect(harness.probes.allSatisfy { $0.time < first })
            #expect(gaps(harness.responses.map(\.time)) == [.seconds(1)])
            #expect(harness.statuses(of: id).last == .established)
        }
    }

    private static let changed = ResourceRecord(
        World.instance, .txt(text("txtvers=1", "paper=out")), timeToLive: .standard)

    private func withoutText(_ members: [RecordSet.Member]) -> [RecordSet.Member] {
        members.filter { $0.record.type != .txt }
    }

    private func withChangedText(_ members: [RecordSet.Member]) -> [RecordSet.Member] {
        members.map {
            $0.record.type == .txt ? RecordSet.Member(Self.changed, $0.ownership) : $0
        }
    }

    @Test("M8-38 M8-40 M8-42 changed unique data is announced with the bit, no probe, no goodbye")
    func uniqueUpdate() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.update(id, to: withChangedText(World.all))
        harness.advance(by: .seconds(5))
        #expect(harness.probes.isEmpty)
        let said = harness.responses.filter { $0.answers(with: Self.changed) }
        #expect(said.count >= 2)
        #expect(
            said.allSatisfy { sent in
                sent.message.answers.allSatisfy { $0.type != .txt || $0.cacheFlush }
            })
        #expect(!harness.responses.flatMap(\.records).contains { $0.timeToLive == .goodbye })
        harness.clear()
        harness.ask(World.instance, .txt)
        harness.advance(by: .seconds(2))
        #expect(harness.responses.first?.answers(with: Self.changed) == true)
        #expect(harness.responses.first?.carries(World.attributes) == false)
    }

    @Test("M8-39 a changed address is announced with the bit")
    func addressUpdate() {
        var harness = EngineHarness()
        let id = harness.establish(World.hostSet)
        let moved = World.rival(World.host, lastByte: 50).flushing(false)
        harness.update(id, to: [.init(moved, .unique)])
        harness.advance(by: .seconds(5))
        let said = harness.responses.filter { $0.answers(with: moved) }
        #expect(said.count >= 2)
        #expect(said.allSatisfy { $0.message.answers.allSatisfy(\.cacheFlush) })
        #expect(!harness.responses.contains { $0.answers(with: World.address) })
    }

    @Test("M8-41 changed shared data: goodbye to the old, then the new")
    func sharedUpdate() {
        var harness = EngineHarness()
        let id = harness.establish([.init(World.pointer, .shared)])
        harness.update(id, to: [.init(World.foundPointer, .shared)])
        harness.advance(by: .seconds(5))
        let goodbye = harness.responses.firstIndex { $0.saysGoodbye(to: World.pointer) }
        let arrival = harness.responses.firstIndex { $0.answers(with: World.foundPointer) }
        #expect(goodbye != nil)
        #expect(arrival != nil)
        #expect((goodbye ?? 1) <= (arrival ?? 0))
        #expect(!harness.responses.contains { $0.answers(with: World.pointer) })
    }

    @Test("M8-43 no more than ten updates of a record in a minute, and the last one counts")
    func updateRate() {
        var harness = EngineHarness()
        let id = harness.establish([.init(World.attributes, .unique)])
        func numbered(_ index: Int) -> ResourceRecord {
            ResourceRecord(World.instance, .txt(text("n=\(index)")), timeToLive: .standard)
        }
        for index in 0..<100 {
            harness.update(id, to: [.init(numbered(index), .unique)])
            harness.advance(by: .milliseconds(590))
        }
        let inMinute = Set(harness.responses.flatMap(\.message.answers).map(\.data))
        #expect(inMinute.count == 9)
        harness.advance(by: .seconds(3))
        // A minute after the first.
        #expect(harness.responses.last?.answers(with: numbered(99)) == true)
    }

    @Test("M10-1 M10-2 times to live are sent as published, 120 and 4500 s")
    func timesToLive() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.ask(World.type, .ptr)
        harness.advance(by: .seconds(2))
        for record in harness.responses.flatMap(\.records) {
            let expected: TimeToLive =
                record.type == .ptr || record.type == .txt ? .standard : .host
            #expect(record.timeToLive == expected)
        }
    }

    @Test("M10-3 withdrawn records are said goodbye to, same name, type and data")
    func goodbyes() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.withdraw(id)
        harness.advance(by: .seconds(3))
        for member in World.all {
            #expect(harness.responses.contains { $0.saysGoodbye(to: member.record) })
        }
        harness.clear()
        harness.ask(World.type, .ptr)
        harness.ask(World.host, .a)
        harness.advance(by: .seconds(3))
        #expect(harness.sent.isEmpty)
    }

    @Test("M10-3 no goodbye for what was never said, nor for what another set still holds")
    func goodbyesOnlyWhereDue() {
        var harness = EngineHarness()
        let early = harness.publish(World.hostSet)
        harness.advance(by: .milliseconds(300))
        harness.withdraw(early)
        harness.advance(by: .seconds(3))
        #expect(harness.responses.isEmpty)

        let host = harness.establish(World.hostSet)
        let both = harness.establish(World.all)
        harness.withdraw(both)
        harness.advance(by: .seconds(3))
        #expect(!harness.responses.contains { $0.saysGoodbye(to: World.address) })
        #expect(harness.responses.contains { $0.saysGoodbye(to: World.pointer) })
        harness.clear()
        harness.withdraw(host)
        harness.advance(by: .seconds(3))
        #expect(harness.responses.contains { $0.saysGoodbye(to: World.address) })
    }

    @Test("M10-3 the end of the program says goodbye to all")
    func shutdown() {
        var harness = EngineHarness()
        harness.establish(World.hostSet)
        harness.establish(World.serviceSet)
        harness.engine.withdrawAll(at: harness.now)
        harness.drain()
        for member in World.all {
            #expect(harness.responses.contains { $0.saysGoodbye(to: member.record) })
        }
    }

    @Test("M8-3 an update with a new name is probed for")
    func updateToNewName() {
        var harness = EngineHarness()
        let id = harness.establish(World.hostSet)
        let other = ResourceRecord(
            World.otherHost, .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host)
        harness.update(id, to: World.hostSet + [.init(other, .unique)])
        harness.advance(by: .seconds(5))
        let probed = harness.probes.filter { $0.carries(other) }
        #expect(probed.count == 3)
        let first = harness.responses.first { $0.answers(with: other) }?.time ?? .zero
        #expect(probed.allSatisfy { $0.time < first })
    }

    @Test("M8-3 an update before the name is won changes what is probed for, and no more")
    func updateWhileProbing() {
        var harness = EngineHarness()
        let id = harness.publish(World.serviceSet)
        harness.advanceToProbe()
        harness.update(id, to: withChangedText(World.serviceSet))
        harness.ask(World.instance, .txt)
        harness.advance(by: .milliseconds(100))
        #expect(harness.responses.isEmpty)
        harness.advance(by: .seconds(5))
        #expect(harness.probes.filter { $0.carries(Self.changed) }.count == 3)
        #expect(harness.statuses(of: id).last == .established)
    }

    @Test("M8-42 M10-3 a type that goes from a name says goodbye, for nothing succeeds it")
    func typeGoes() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.update(id, to: withoutText(World.all))
        harness.advance(by: .seconds(3))
        #expect(harness.responses.contains { $0.saysGoodbye(to: World.attributes) })
        #expect(!harness.responses.contains { $0.saysGoodbye(to: World.location) })
    }

    @Test("M10-3 M8-42 data that nothing has flushed yet is said goodbye to, or what came back")
    func goodbyeBeforeTheSuccessorIsAnnounced() {
        let changed = withChangedText(World.all)
        for updates in [[changed], [changed, withoutText(World.all)], [changed, World.all]] {
            var harness = EngineHarness(configuration: Configuration(), interfaces: [.dual])
            let id = harness.establish(World.all)
            for update in updates { harness.update(id, to: update) }
            harness.withdraw(id)
            harness.advance(by: .seconds(3))
            let goodbyes = harness.responses.filter { $0.saysGoodbye(to: World.attributes) }
            #expect(goodbyes.map(\.destination.address.family) == [.ipv4, .ipv6])
        }
    }

    @Test("M8-42 once the successor is announced its predecessor needs no goodbye")
    func noGoodbyeAfterTheSuccessor() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.update(id, to: withChangedText(World.all))
        harness.advance(by: .milliseconds(1_500))
        #expect(harness.responses.contains { $0.answers(with: Self.changed) })
        harness.withdraw(id)
        harness.advance(by: .seconds(3))
        #expect(harness.responses.contains { $0.saysGoodbye(to: Self.changed) })
        #expect(!harness.responses.contains { $0.saysGoodbye(to: World.attributes) })
    }

    @Test("M10-3 of two publications of one name the one that gives way says goodbye")
    func goodbyeBesideARival() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        let text = World.all.filter { $0.record.type == .txt }
        let other = harness.establish(text)
        harness.update(id, to: withChangedText(World.all))
        harness.advance(by: .seconds(3))
        #expect(harness.statuses(of: id).last == .conflicted(World.instance))
        #expect(harness.responses.contains { $0.saysGoodbye(to: World.location) })
        #expect(!harness.responses.contains { $0.saysGoodbye(to: World.attributes) })
        harness.clear()
        harness.withdraw(other)
        harness.advance(by: .seconds(3))
        #expect(harness.responses.contains { $0.saysGoodbye(to: World.attributes) })
    }

    @Test("M6-21 an announcement waits until a second after an answer with the same records")
    func announcementAfterAnswer() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.ask(World.host, .a)
        harness.advance(by: .milliseconds(300))
        let second = World.rival(World.host, lastByte: 7).flushing(false)
        harness.update(id, to: World.all + [.init(second, .unique)])
        harness.advance(by: .seconds(5))
        let times = harness.responses.filter { $0.carries(World.address) }.map(\.time)
        #expect(times.count >= 3)
        #expect(gaps(times).allSatisfy { $0 >= .seconds(1) })
    }

    @Test("M8-43 an update made when a waiting one is due comes after that one")
    func updateBesideDueUpdate() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        func numbered(_ number: Int) -> [RecordSet.Member] {
            World.hostSet + [
                .init(
                    ResourceRecord(
                        World.instance, .txt(text("number=\(number)")), timeToLive: .standard),
                    .unique)
            ]
        }
        for number in 1...11 { harness.update(id, to: numbered(number)) }
        let later = harness.now.advanced(by: .seconds(61))
        harness.engine.update(id, to: RecordSet(numbered(12)), at: later)
        harness.advance(by: .seconds(200))
        let last = harness.responses.last { $0.records.contains { $0.type == .txt } }
        #expect(last?.answers(with: numbered(12)[1].record) == true)
    }
}
