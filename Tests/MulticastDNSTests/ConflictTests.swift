import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// RFC 6762 §9: what a conflict with a name that is ours does.
@Suite struct ConflictTests {
    @Test("M2-2 M9-1 two hosts with the same records live side by side")
    func sameRecords() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.respond(World.all.map { $0.record.flushing($0.ownership != .shared) })
        harness.advance(by: .seconds(60))
        #expect(harness.sent.isEmpty)
        #expect(harness.engine.statistics.conflicts == 0)
    }

    @Test(
        "M9-2 M8-37 a conflicting record in any section of a response sends us back to probing",
        arguments: [MessageSection.answer, .authority, .additional])
    func sections(_ section: MessageSection) {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        let rival = [World.rivalLocation()]
        harness.respond(
            section == .answer ? rival : [], authorities: section == .authority ? rival : [],
            additionals: section == .additional ? rival : [])
        let received = harness.now
        harness.advance(by: .milliseconds(900))
        #expect(harness.probes.count == 3)
        #expect((harness.probes.first?.time ?? .zero) - received <= .milliseconds(250))
        #expect(harness.statuses(of: id).contains(.probing))
    }

    @Test("M9-2 a record without the flush bit conflicts as well")
    func withoutFlushBit() {
        var harness = EngineHarness()
        harness.establish(World.all)
        harness.respond([World.rivalLocation().flushing(false)])
        harness.advance(by: .milliseconds(900))
        #expect(harness.probes.count == 3)
    }

    @Test("M9-4 without a conflict on probing again the name is kept and announced again")
    func nameIsKept() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.respond([World.rivalLocation()])
        harness.advance(by: .seconds(5))
        #expect(harness.statuses(of: id) == [.probing, .established])
        let times = harness.responses.filter { $0.answers(with: World.location) }.map(\.time)
        #expect(gaps(times) == [.seconds(1)])
    }

    @Test("M9-3 M3-1 a conflict on probing again ends the use of the name: it is not answered for")
    func nameIsGivenUp() {
        var harness = EngineHarness()
        let id = harness.establish(World.all)
        harness.respond([World.rivalLocation()])
        var seen = 0
        for _ in 0..<300 {
            harness.advance(by: .milliseconds(10))
            if harness.probes.count > seen {
                seen = harness.probes.count
                harness.respond([World.rivalLocation()])
            }
        }
        #expect(harness.statuses(of: id).last == .conflicted(World.instance))
        // The name is another's: no goodbye from us.
        #expect(!harness.sent.contains { $0.saysGoodbye(to: World.location) })
        harness.clear()
        for type in [RecordType.srv, .txt, .any] {
            harness.ask(World.instance, type)
            harness.advance(by: .seconds(2))
        }
        #expect(harness.sent.isEmpty)
    }

    @Test("M6-50 other data beside a shared record is no matter where another is ours alone")
    func sharedBesideUnique() {
        var harness = EngineHarness()
        let shared = ResourceRecord(World.host, .txt(text("ours")), timeToLive: .standard)
        harness.establish(World.hostSet + [.init(shared, .shared)])
        harness.respond([
            ResourceRecord(World.host, .txt(text("theirs")), timeToLive: .standard)
        ])
        harness.advance(by: .seconds(3))
        #expect(harness.probes.isEmpty)
        #expect(harness.engine.statistics.conflicts == 0)
    }

    @Test("M9-1 other types, other classes and goodbyes of our names are no conflict")
    func noConflicts() {
        var harness = EngineHarness()
        harness.establish(World.all)
        let text = ResourceRecord(World.host, .txt(text("x")), timeToLive: .standard)
        let negative = ResourceRecord(
            World.host, .nsec(NextSecure(nextName: World.host, types: [.aaaa])),
            timeToLive: .host, cacheFlush: true)
        var chaos = World.rival(World.host)
        chaos.recordClass = RecordClass(rawValue: 3)
        harness.respond([text, negative, chaos, World.rivalLocation().lasting(0)])
        harness.advance(by: .seconds(3))
        #expect(harness.probes.isEmpty)
        #expect(harness.engine.statistics.conflicts == 0)
    }

    @Test("M9-1 M10-19 our record of another interface is never a conflict")
    func bridgedInterfaces() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        let there = ResourceRecord(
            World.host, .a(IPv4Address(198, 51, 100, 1)), timeToLive: .host)
        harness.establish(World.hostSet, on: .index(.first))
        harness.establish([.init(there, .unique)], on: .index(.second))
        harness.respond([there.flushing()], from: .deviceSecond)
        let received = harness.now
        harness.advance(by: .seconds(5))
        #expect(harness.probes.isEmpty)
        #expect(harness.engine.statistics.conflicts == 0)
        // Both sets are to survive: ours of this interface is said again in the second of grace.
        let again = harness.responses.first { $0.answers(with: World.address) }
        #expect((again?.time ?? .never) - received < .seconds(1))
    }

    @Test("M14-5 M10-19 two bridged interfaces come to rest")
    func bridgeComesToRest() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        let there = ResourceRecord(
            World.host, .a(IPv4Address(198, 51, 100, 1)), timeToLive: .host)
        harness.publish(World.hostSet, on: .index(.first))
        harness.publish([.init(there, .unique)], on: .index(.second))
        harness.publish(World.serviceSet)
        var passed = 0
        for _ in 0..<3_000 {
            harness.advance(by: .milliseconds(10))
            let fresh = harness.sent.dropFirst(passed)
            passed = harness.sent.count
            // The bridge: what leaves by one comes in by the other, the source as it was.
            for sent in fresh where sent.isMulticast {
                let isFirst = sent.interface == .first
                harness.receive(
                    sent.bytes, from: isFirst ? .device : .deviceSecond,
                    interface: isFirst ? .second : .first)
            }
        }
        #expect(harness.engine.statistics.conflicts == 0)
        #expect(harness.sent.count < 40)
        let last = harness.sent.last?.time ?? .zero
        #expect(harness.now - last > .seconds(20))
    }

    @Test("M14-1 a name is defended on every interface")
    func defendedEverywhere() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        harness.establish(World.serviceSet)
        for (interface, source) in [
            (InterfaceIndex.first, IPAddress.tester), (.second, .testerSecond),
        ] {
            harness.clear()
            harness.probe(
                World.instance, proposing: [World.rivalLocation().flushing(false)],
                from: source, interface: interface)
            harness.advance(by: .milliseconds(300))
            #expect(
                harness.responses.contains {
                    $0.interface == interface && $0.answers(with: World.location)
                })
        }
    }

    @Test("M14-2 a conflict on one interface gives the name up on all")
    func conflictOnOneInterface() {
        var harness = EngineHarness(interfaces: [.lan, .secondLAN])
        let id = harness.establish(World.serviceSet)
        harness.respond([World.rivalLocation()], from: .testerSecond, interface: .second)
        var seen = 0
        for _ in 0..<400 {
            harness.advance(by: .milliseconds(10))
            let probes = harness.probes.filter { $0.interface == .second }.count
            if probes > seen {
                seen = probes
                harness.respond(
                    [World.rivalLocation()], from: .testerSecond, interface: .second)
            }
        }
        #expect(harness.statuses(of: id).last == .conflicted(World.instance))
        harness.clear()
        harness.ask(World.instance, .srv)
        harness.advance(by: .seconds(2))
        #expect(harness.sent.isEmpty)
    }

    @Test("M9-2 M8-16 probes for a name of ours, whatever they propose, do not move us")
    func probesForOwnedNames() {
        for data in [UInt8(0), 1, 99] {
            var harness = EngineHarness()
            let id = harness.establish(World.hostSet)
            let proposed = World.rival(World.host, lastByte: data).flushing(false)
            harness.probe(World.host, proposing: [proposed])
            harness.advance(by: .seconds(2))
            #expect(harness.probes.isEmpty)
            #expect(harness.statuses(of: id).isEmpty)
            #expect(harness.responses.contains { $0.answers(with: World.address) })
        }
    }
}

extension Instant {
    static let never = Instant(nanoseconds: .max)
}
