import DNSMessages
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

@Suite struct UpdatePairTests {
    private static let subtype = named("_one._sub._ipp._tcp.local")
    private static let otherSubtype = named("_two._sub._ipp._tcp.local")
    private static let extra = ResourceRecord(
        subtype, .ptr(World.instance), timeToLive: .standard)
    private static let before: [RecordSet.Member] = World.serviceSet + [.init(extra, .shared)]

    /// The set after the update.
    private static func after(_ update: Update) -> [RecordSet.Member] {
        switch update {
        case .data:
            replacing(
                World.attributes,
                by: ResourceRecord(World.instance, .txt(text("new")), timeToLive: .standard))
        case .pointer:
            before.filter { $0.record != extra }
                + [
                    .init(
                        ResourceRecord(
                            otherSubtype, .ptr(World.instance), timeToLive: .standard), .shared)
                ]
        case .addition:
            before + [
                .init(
                    ResourceRecord(
                        World.instance, .unknown(RecordType(rawValue: 300), [1, 2]),
                        timeToLive: .standard), .unique)
            ]
        case .removal: before.filter { $0.record != World.attributes }
        case .lifetime: replacing(World.attributes, by: World.attributes.lasting(600))
        }
    }

    private static func replacing(
        _ old: ResourceRecord, by new: ResourceRecord
    ) -> [RecordSet.Member] {
        before.map { $0.record == old ? .init(new, .unique) : $0 }
    }

    @Test("pairs: an update, and what waits meanwhile", arguments: PairTable.updates.pairs)
    func update(_ pair: Pair<WaitingState, Update>) {
        var world = PairWorld(pair.place)
        let host = world.publish(World.hostSet)
        let service = world.publish(Self.before)
        let after = Self.after(pair.second)
        world.shared += after.filter { $0.ownership == .shared }.map(\.record)
        reach(pair.first, service, &world)
        let start = world.mark
        world.harness.update(service, to: after)
        let old = Self.before.map(\.record).filter { record in
            !after.contains { $0.record.isSameRecord(as: record) }
        }
        world.advance(by: .seconds(pair.first == .earlierUpdate ? 25 : 8))
        let truth = World.hostSet.map(\.record) + after.map(\.record)
        world.expectKnown(truth)
        world.expectOrderly()
        for record in old where pair.first != .earlierUpdate {
            #expect(
                !world.harness.sent[start...].contains {
                    $0.isResponse
                        && $0.records.contains { alive in
                            alive.isSameRecord(as: record) && alive.timeToLive > .goodbye
                        }
                }, "\(record.name) \(record.type) is said after it was replaced")
        }
        checkProbes(pair.first, after, since: start, world)
        for id in [host, service] { #expect(world.harness.statuses(of: id).last == .established) }
        let own = after.map(\.record)
        for name in [World.instance, Self.subtype, Self.otherSubtype] {
            world.expectAnswer(name, own.filter { $0.name == name })
        }
    }

    /// What is proposed in the three probes before a name is used are its records as they are then
    /// (RFC 6762 §8.2).
    private func checkProbes(
        _ state: WaitingState, _ after: [RecordSet.Member], since start: Int, _ world: PairWorld
    ) {
        for segment in world.bySegment(since: start) {
            let probes = segment.filter { $0.isProbe && $0.asks(Question(World.instance, .any)) }
            switch state {
            case .probing, .lostTie:
                #expect(probes.count >= 3)
                let own = after.filter { $0.record.name == World.instance }.map(\.record.data)
                for probe in probes.suffix(3) {
                    let proposed = probe.message.authorities
                        .filter { $0.name == World.instance }.map(\.data)
                    #expect(Set(proposed) == Set(own))
                }
            case .heldBack, .announcing, .deferredResponse, .knownAnswers, .unicastReply,
                .rateLimit, .goodbyeGrace, .earlierUpdate:
                #expect(probes.isEmpty)
            }
        }
    }

    private func reach(
        _ state: WaitingState, _ service: PublicationID, _ world: inout PairWorld
    ) {
        switch state {
        case .probing: world.advanceToProbe(since: 0)
        case .announcing:
            world.advance(since: 0) { $0.answers(with: World.location) }
            world.advance(by: .milliseconds(100))
        case .heldBack:
            world.advanceToProbe(since: 0)
            world.hearProbe(World.host, proposing: Self.greater(World.host))
            world.advance(by: .milliseconds(900))
        case .lostTie:
            world.advanceToProbe(since: 0)
            world.hearProbe(World.instance, proposing: Self.greater(World.instance))
            world.advance(by: .milliseconds(300))
        case .deferredResponse, .knownAnswers, .unicastReply, .rateLimit, .goodbyeGrace,
            .earlierUpdate:
            world.advance(by: .seconds(6))
            reachEstablished(state, service, &world)
        }
    }

    private func reachEstablished(
        _ state: WaitingState, _ service: PublicationID, _ world: inout PairWorld
    ) {
        switch state {
        case .deferredResponse:
            world.harness.ask(
                [Question(World.type, .ptr), Question(World.instance, .any)], from: world.peer,
                interface: world.interface)
            world.advance(by: .milliseconds(5))
        case .knownAnswers:
            world.ask(World.instance, .any, isTruncated: true)
            world.advance(by: .milliseconds(50))
        case .unicastReply:
            world.ask(World.instance, .any, prefersUnicast: true, isTruncated: true)
            world.advance(by: .milliseconds(50))
        case .rateLimit:
            world.ask(World.instance, .any)
            world.advance(by: .milliseconds(300))
        case .goodbyeGrace:
            world.harness.update(
                service, to: Self.before.filter { $0.record.name != Self.subtype })
            world.advance(by: .milliseconds(300))
        case .earlierUpdate:
            for number in 0..<6 {
                world.harness.update(
                    service,
                    to: Self.replacing(
                        World.attributes,
                        by: ResourceRecord(
                            World.instance, .txt(text("\(number)")), timeToLive: .standard)))
                world.advance(by: .milliseconds(1_200))
            }
        case .probing, .announcing, .heldBack, .lostTie: break
        }
    }

    /// A record with which another prober wins.
    private static func greater(_ name: DomainName) -> [ResourceRecord] {
        [
            ResourceRecord(
                name, .unknown(RecordType(rawValue: 65_000), [255]), timeToLive: .host,
                cacheFlush: true)
        ]
    }
}
