import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// A name has its meaning on one link: what one interface receives concerns no other (RFC 6762 §3,
/// §14).
@Suite struct LinkScopeTests {
    private static let there = ResourceRecord(
        World.otherHost, .a(IPv4Address(198, 51, 100, 2)), timeToLive: .host, cacheFlush: true)

    private func twoLinks() -> EngineHarness {
        EngineHarness(interfaces: [.lan, .secondLAN])
    }

    private func respond(
        _ harness: inout EngineHarness, _ records: [ResourceRecord], on interface: InterfaceIndex
    ) {
        harness.respond(
            records, from: interface == .first ? .tester : .testerSecond, interface: interface)
    }

    @Test("M3-6 M14-1 one host name with other addresses on each link: each has its own")
    func answersByInterface() {
        var harness = twoLinks()
        let query = harness.startQuery(World.otherHost, .a)
        harness.advance(by: .seconds(2))
        respond(&harness, [World.foundAddress], on: .first)
        harness.advance(by: .seconds(2))
        respond(&harness, [Self.there], on: .second)
        harness.advance(by: .seconds(30))
        // Neither flushes the other.
        let changes = harness.changes(of: query).map { $0.change }
        #expect(
            changes == [.added(World.foundAddress, .first), .added(Self.there, .second)])
        // A goodbye and a flush concern the link that they are on.
        respond(&harness, [World.foundAddress.lasting(0)], on: .second)
        harness.advance(by: .seconds(5))
        #expect(harness.removed(from: query).isEmpty)
        respond(&harness, [Self.there.lasting(0)], on: .second)
        harness.advance(by: .seconds(5))
        #expect(harness.present(in: query).map { $0.data } == [World.foundAddress.data])
    }

    @Test("M10-8 M3-6 a cache flush works on either link, and on that one alone")
    func flushByInterface() {
        for index in [InterfaceIndex.first, .second] {
            var harness = twoLinks()
            let query = harness.startQuery(World.otherHost, .a)
            for interface in [InterfaceIndex.first, .second] {
                respond(&harness, [World.foundAddress], on: interface)
            }
            harness.advance(by: .seconds(5))
            respond(&harness, [Self.there], on: index)
            harness.advance(by: .milliseconds(1_100))
            let removed = harness.changes(of: query).filter {
                if case .removed = $0.change { true } else { false }
            }
            #expect(removed.map { $0.change } == [.removed(World.foundAddress, index)])
        }
    }

    @Test("M3-6 the same record on both links is one of each")
    func sameRecordOnBoth() {
        var harness = twoLinks()
        let query = harness.startQuery(World.type, .ptr)
        for interface in [InterfaceIndex.first, .second] {
            respond(&harness, [World.foundPointer], on: interface)
        }
        harness.advance(by: .milliseconds(100))
        respond(&harness, [World.foundPointer.lasting(0)], on: .first)
        harness.advance(by: .seconds(5))
        #expect(
            harness.changes(of: query).map { $0.change } == [
                .added(World.foundPointer, .first), .added(World.foundPointer, .second),
                .removed(World.foundPointer.lasting(4500), .first),
            ])
    }

    @Test("M3-6 M7-1 known answers are those of the link that is asked")
    func knownAnswersByInterface() {
        var harness = twoLinks()
        harness.startQuery(World.type, .ptr)
        harness.advance(by: .milliseconds(200))
        respond(&harness, [World.foundPointer], on: .second)
        harness.clear()
        harness.advance(by: .seconds(10))
        for interface in [InterfaceIndex.first, .second] {
            let asked = harness.queries.filter { $0.interface == interface }
            #expect(!asked.isEmpty)
            let isListed = interface == .second
            #expect(asked.allSatisfy { $0.carries(World.foundPointer) == isListed })
        }
    }

    @Test("M3-6 another host may have our name where we do not use it")
    func sameNameElsewhere() {
        var harness = twoLinks()
        let id = harness.establish(World.hostSet, on: .index(.first))
        respond(&harness, [World.rival(World.host)], on: .second)
        harness.probe(
            World.host, proposing: [World.rival(World.host, lastByte: 255).flushing(false)],
            from: .testerSecond, interface: .second)
        harness.ask(World.host, .a, from: .testerSecond, interface: .second)
        harness.advance(by: .seconds(10))
        #expect(harness.sent.isEmpty)
        #expect(harness.statuses(of: id).isEmpty)
        #expect(harness.engine.statistics.conflicts == 0)
        // On the link where we do it is a conflict.
        respond(&harness, [World.rival(World.host)], on: .first)
        harness.advance(by: .milliseconds(500))
        #expect(harness.engine.statistics.conflicts == 1)
        #expect(!harness.probes.isEmpty)
        #expect(harness.probes.allSatisfy { $0.interface == .first })
    }
}
