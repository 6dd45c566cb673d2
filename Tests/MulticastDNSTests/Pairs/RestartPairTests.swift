import DNSMessages
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

@Suite struct RestartPairTests {
    private static let label = ResourceRecord(
        World.type, .txt(text("x")), timeToLive: .standard)
    private static let otherPointer = ResourceRecord(
        World.type, .ptr(named("Other._ipp._tcp.local")), timeToLive: .standard)

    private static func sets(_ name: SharedName) -> [[RecordSet.Member]] {
        switch name {
        case .twoInstances:
            [
                World.serviceSet,
                [.init(otherPointer, .shared)],
            ]
        case .twoHolders: [[.init(World.pointer, .shared)], World.serviceSet]
        case .besideUnique: [[.init(World.pointer, .shared), .init(label, .unique)]]
        case .neighbour: [World.serviceSet]
        }
    }

    @Test(
        "pairs: names that are shared, and a restart", arguments: PairTable.restarts.pairs)
    func restarted(_ pair: Pair<SharedName, Restart>) {
        var world = PairWorld(pair.place)
        let own = world.interfaces.first { $0.index == world.interface } ?? .dual
        let others = world.interfaces.filter { $0.index != world.interface }
        if pair.second == .familyComes {
            world.harness.update(interfaces: others + [own.with(only: world.peer.family)])
        }
        let sets = Self.sets(pair.first) + [World.hostSet]
        var truth: [ResourceRecord] = []
        for member in sets.joined() where !truth.contains(member.record) {
            truth.append(member.record)
        }
        for set in sets { _ = world.publish(set) }
        if pair.first == .neighbour { world.hear([World.foundPointer]) }
        world.advance(by: .seconds(6))
        let start = world.mark
        restart(&world, pair.second, sets, own, others)
        world.advance(by: .seconds(8))
        world.expectKnown(truth, on: world.interface)
        world.expectOrderly()
        for segment in world.bySegment(since: start)
        where segment.first?.interface == world.interface {
            for record in truth {
                let times = segment.filter { $0.answers(with: record) }.map(\.time)
                #expect(times.count >= 2, "\(record.name) \(record.type)")
                let goodbyes = segment.count { $0.saysGoodbye(to: record) }
                #expect(goodbyes == (pair.second == .programEnds ? 1 : 0))
            }
            #expect(segment.count(where: \.isProbe) == 3)
        }
        // What is shared with a neighbour stays the neighbour's to say.
        let pointers = truth.filter { $0.name == World.type }
        world.expectAnswer(World.type, pointers)
    }

    private func restart(
        _ world: inout PairWorld, _ restart: Restart, _ sets: [[RecordSet.Member]],
        _ own: NetworkInterface, _ others: [NetworkInterface]
    ) {
        switch restart {
        case .wake: world.harness.wake()
        case .interfaceReturns:
            world.harness.update(interfaces: others)
            world.advance(by: .seconds(2))
            world.harness.update(interfaces: others + [own])
        case .familyComes: world.harness.update(interfaces: others + [own])
        case .programEnds:
            world.harness.engine.withdrawAll(at: world.harness.now)
            world.harness.drain()
            world.advance(by: .seconds(2))
            for set in sets { _ = world.publish(set) }
        case .powerCut:
            world.harness.replaceEngine(interfaces: world.interfaces)
            for set in sets { _ = world.publish(set) }
        }
    }
}
