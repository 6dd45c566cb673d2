import DNSMessages
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

@Suite struct RegistrationPairTests {
    private static let label = ResourceRecord(World.host, .txt(text("x")), timeToLive: .host)
    private static let otherAddress = ResourceRecord(
        World.host, .a(IPv4Address(192, 0, 2, 50)), timeToLive: .host)
    private static let rival = World.rival(World.host)

    private static func sets(_ registrations: TwoRegistrations) -> [[RecordSet.Member]] {
        switch registrations {
        case .sameRecords, .laterOne: [World.hostSet, World.hostSet]
        case .otherTypes: [World.hostSet, [.init(label, .unique)]]
        }
    }

    /// Who of the two has the name in the end.
    private func isKept(_ contest: Contest) -> [Bool] {
        switch contest {
        case .whileProbing, .responseTwice: [false, false]
        case .tieLost, .tieWon, .responseOnce, .forgedGoodbye, .ownThird: [true, true]
        // The third with other data gives way, be it one of the two.
        case .oneWithdrawn: [true, false]
        case .ownUpdate: [true, false]
        }
    }

    @Test(
        "pairs: two registrations of one name, and a conflict",
        arguments: PairTable.registrations.pairs)
    func contested(_ pair: Pair<TwoRegistrations, Contest>) {
        for isSwapped in [false, true] { check(pair, isSwapped: isSwapped) }
    }

    private func check(_ pair: Pair<TwoRegistrations, Contest>, isSwapped: Bool) {
        var world = PairWorld(pair.place)
        let registered = Self.sets(pair.first)
        let sets = isSwapped ? registered.reversed() : registered
        var ids = [world.publish(sets[0])]
        if pair.first == .laterOne { world.advance(by: .seconds(6)) }
        ids.append(world.publish(sets[1]))
        let third = contest(pair, ids, sets, &world)
        world.advance(by: .seconds(8))
        let kept = isKept(pair.second)
        for (id, isKept) in zip(ids, kept) {
            let isEnded = pair.second == .oneWithdrawn && id == ids[1]
            #expect(world.isConflicted(id) == (!isKept && !isEnded), "\(pair) \(isSwapped)")
            if isKept { #expect(world.harness.statuses(of: id).last == .established) }
        }
        if let third { #expect(world.harness.statuses(of: third).last == .conflicted(World.host)) }
        var truth: [ResourceRecord] = []
        for (set, isKept) in zip(sets, kept) where isKept {
            for member in set where !truth.contains(member.record) { truth.append(member.record) }
        }
        // A name that is lost is the other's, who needs no goodbye of ours.
        if kept.contains(true) { world.expectKnown(truth) }
        world.expectAnswer(World.host, truth)
        let start = world.mark
        world.advance(by: .seconds(30))
        #expect(world.harness.sent[start...].isEmpty)
    }

    /// The conflict, once the names are where it begins; a third publication if there is one.
    private func contest(
        _ pair: Pair<TwoRegistrations, Contest>, _ ids: [PublicationID],
        _ sets: [[RecordSet.Member]], _ world: inout PairWorld
    ) -> PublicationID? {
        switch pair.second {
        case .whileProbing, .tieLost, .tieWon:
            if pair.first == .laterOne { world.harness.wake() }
            let start = world.mark
            world.advanceToProbe(since: start)
            let byte: UInt8 = pair.second == .tieLost ? 255 : 0
            let proposal = ResourceRecord(
                World.host,
                pair.second == .tieLost
                    ? .unknown(RecordType(rawValue: 65_000), [byte])
                    : .a(IPv4Address(0, 0, 0, byte)), timeToLive: .host, cacheFlush: true)
            if pair.second == .whileProbing {
                world.hear([Self.rival])
            } else {
                world.hearProbe(World.host, proposing: [proposal])
            }
        default: world.advance(by: .seconds(6))
        }
        switch pair.second {
        case .responseOnce: world.hear([Self.rival])
        case .responseTwice:
            world.hear([Self.rival])
            let start = world.mark
            world.advanceToProbe(since: start)
            world.hear([Self.rival])
        case .forgedGoodbye: world.hear([sets[0][0].record.lasting(0)])
        case .oneWithdrawn: world.harness.withdraw(ids[1])
        case .ownThird: return world.publish([.init(Self.otherAddress, .unique)])
        case .ownUpdate:
            world.harness.update(ids[1], to: [.init(other(than: sets[0]), .unique)])
        case .whileProbing, .tieLost, .tieWon: break
        }
        return nil
    }

    /// Other data of the type that the other registration has.
    private func other(than set: [RecordSet.Member]) -> ResourceRecord {
        set[0].record.type == .a
            ? Self.otherAddress
            : ResourceRecord(World.host, .txt(text("y")), timeToLive: .host)
    }
}
