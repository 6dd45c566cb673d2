import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Operations that follow others: on interfaces that are not meant, on publications that share a
/// name or a record, and on what was ended.
@Suite struct SecondOperationTests {
    private static let otherAddress = ResourceRecord(
        World.host, .a(IPv4Address(192, 0, 2, 50)), timeToLive: .host)

    private func interfaces(_ harness: EngineHarness) -> Set<InterfaceIndex> {
        Set(harness.sent.map(\.interface))
    }

    // MARK: Interfaces

    @Test("M14-1 what is meant for one interface does not begin on another that comes")
    func notMeant() {
        var harness = EngineHarness()
        harness.establish(World.hostSet, on: .index(.first))
        harness.startQuery(World.type, .ptr, on: .index(.first))
        harness.update(interfaces: [.lan, .secondLAN])
        harness.advance(by: .seconds(10))
        #expect(interfaces(harness) == [.first])
    }

    @Test("M14-1 an update for other interfaces leaves the first and reaches the second")
    func updateOfInterfaces() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        let id = harness.establish(World.hostSet, on: .index(.first))
        harness.engine.update(
            id, to: RecordSet(World.hostSet, on: .index(.second)), at: harness.now)
        harness.drain()
        harness.advance(by: .seconds(5))
        let first = harness.sent.filter { $0.interface == .first }
        #expect(first.map { $0.saysGoodbye(to: World.address) } == [true])
        let second = harness.sent.filter { $0.interface == .second }
        #expect(second.count(where: \.isProbe) == 3)
        #expect(second.count { $0.answers(with: World.address) } == 2)
        harness.clear()
        harness.ask(World.host, .a)
        harness.ask(World.host, .a, from: .testerSecond, interface: .second)
        harness.advance(by: .seconds(1))
        #expect(interfaces(harness) == [.second])
    }

    @Test("M10-3 what ended with the program does not come back with an interface")
    func ended() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.engine.withdrawAll(at: harness.now)
        harness.drain()
        harness.clear()
        harness.update(interfaces: [])
        harness.update(interfaces: [.lan, .secondLAN])
        harness.advance(by: .seconds(10))
        #expect(harness.sent.isEmpty)
    }

    // MARK: Updates

    @Test("M8-43 an update that waits is not made after records that were proposed later")
    func reproposed() {
        var harness = EngineHarness()
        let id = harness.publish(World.hostSet)
        for byte in 60...65 as ClosedRange<UInt8> {
            harness.update(id, to: [.init(World.rival(World.host, lastByte: byte), .unique)])
        }
        harness.engine.repropose(
            id, as: RecordSet([.init(Self.otherAddress, .unique)]), at: harness.now)
        harness.drain()
        harness.advance(by: .seconds(30))
        harness.clear()
        harness.ask(World.host, .a)
        harness.advance(by: .seconds(1))
        #expect(harness.responses.map { $0.answers(with: Self.otherAddress) } == [true])
        #expect(harness.responses.first?.message.answers.count == 1)
    }

    @Test("M8-14 a service that points elsewhere waits for its former host no longer")
    func formerHost() {
        var harness = EngineHarness()
        harness.publish(World.hostSet)
        let service = harness.publish(World.serviceSet)
        harness.advanceToProbe()
        // The host's name has to wait a second.
        harness.probe(World.host, proposing: [World.rival(World.host, lastByte: 255)])
        let location = ResourceRecord(
            World.instance, .srv(ServiceLocation(target: World.otherHost, port: 631)),
            timeToLive: .host)
        harness.update(
            service,
            to: [.init(World.pointer, .shared), .init(location, .unique)])
        harness.clear()
        harness.advance(by: .milliseconds(1_300))
        #expect(harness.responses.contains { $0.answers(with: location) })
        #expect(!harness.responses.contains { $0.answers(with: World.address) })
    }

    // MARK: Two publications

    @Test("two publications that contradict each other: the later one gives way")
    func contradiction() {
        for isEstablished in [false, true] {
            var harness = EngineHarness()
            let first = harness.publish(World.hostSet)
            if isEstablished { harness.advance(by: .seconds(5)) }
            let second = harness.publish([.init(Self.otherAddress, .unique)])
            harness.advance(by: .seconds(5))
            #expect(harness.statuses(of: second).last == .conflicted(World.host))
            #expect(harness.statuses(of: first).last == .established)
            harness.clear()
            harness.ask(World.host, .a)
            harness.advance(by: .seconds(2))
            #expect(
                harness.responses.flatMap(\.message.answers).map(\.data) == [World.address.data])
        }
    }

    @Test(
        "of two publications of a name either may go, and the other has it", arguments: [0, 1])
    func eitherGoes(gone: Int) {
        var harness = EngineHarness()
        let ids = [harness.establish(World.hostSet), harness.establish(World.hostSet)]
        harness.withdraw(ids[gone])
        #expect(harness.responses.isEmpty)
        harness.respond([World.rival(World.host)])
        harness.advance(by: .seconds(5))
        #expect(harness.statuses(of: ids[1 - gone]) == [.probing, .established])
        for _ in 0..<20 {
            harness.respond([World.rival(World.host)])
            harness.advance(by: .milliseconds(300))
        }
        #expect(harness.statuses(of: ids[1 - gone]).last == .conflicted(World.host))
        #expect(!harness.statuses(of: ids[gone]).contains(.conflicted(World.host)))
    }

    @Test("a record is not answered with once the one publication of it that was claimed is gone")
    func claimedHolderGone() {
        var harness = EngineHarness()
        let first = harness.establish([.init(World.pointer, .shared)])
        harness.publish(World.serviceSet)
        harness.withdraw(first)
        harness.ask(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        #expect(harness.responses.isEmpty)
        harness.advance(by: .seconds(5))
        #expect(harness.responses.contains { $0.answers(with: World.pointer) })
    }

    @Test("M8-17 a name is left to others only if all of its records are", arguments: [0, 1])
    func partlyDeferring(which: Int) {
        let records = [World.address, World.address6]
        let members: [RecordSet.Member] = [
            .init(records[which], .knownUnique), .init(records[1 - which], .deferring),
        ]
        for set in [members, members.reversed()] {
            var harness = EngineHarness()
            let id = harness.establish(set)
            harness.respond([World.rival(World.host)])
            harness.advance(by: .seconds(5))
            #expect(harness.statuses(of: id).last == .established)
            #expect(harness.probes.count == 3)
        }
    }
}
