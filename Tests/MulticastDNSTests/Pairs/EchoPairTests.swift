import DNSMessages
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

@Suite struct EchoPairTests {
    private static let otherAddress = ResourceRecord(
        World.host, .a(IPv4Address(192, 0, 2, 50)), timeToLive: .host)
    private static let otherText = ResourceRecord(
        World.instance, .txt(text("new")), timeToLive: .standard)
    private static let extra = ResourceRecord(
        named("_one._sub._ipp._tcp.local"), .ptr(World.instance), timeToLive: .standard)
    private static let before: [RecordSet.Member] = World.serviceSet + [.init(extra, .shared)]

    @Test(
        "pairs: our own packets that come back, and a change", arguments: PairTable.echoes.pairs)
    func echo(_ pair: Pair<Echo, Change>) {
        let (world, truth, ids) = run(pair, echoes: true)
        var seen = world
        seen.expectKnown(truth)
        // A probe that comes back once the name is ours is answered as any other is.
        if pair.first == .atOnce { seen.expectOrderly() }
        if pair.first == .later { seen.expectOrderly(interval: .milliseconds(250)) }
        for id in ids {
            #expect(!seen.isConflicted(id))
            #expect(seen.harness.statuses(of: id).last == .established)
        }
        // It has come to rest.
        let last = seen.harness.sent.last { $0.isResponse || $0.isProbe }
        #expect((last.map { seen.harness.now - $0.time } ?? .seconds(60)) >= .seconds(20))
        // What comes back at once changes nothing at all, but for a query: we answer it, too.
        guard pair.first == .atOnce, pair.second != .query else { return }
        let (quiet, _, _) = run(pair, echoes: false)
        #expect(
            seen.harness.sent.map(\.bytes) == quiet.harness.sent.map(\.bytes)
                && seen.harness.sent.map(\.time) == quiet.harness.sent.map(\.time))
    }

    /// The run, what is true at its end, and the publications that there are then.
    private func run(
        _ pair: Pair<Echo, Change>, echoes: Bool
    ) -> (PairWorld, [ResourceRecord], [PublicationID]) {
        var world = PairWorld(pair.place)
        let echo = echoes ? pair.first : nil
        var echoed = 0
        let host = world.publish(World.hostSet)
        var ids = [host]
        if pair.second != .publish { ids.append(world.publish(Self.before)) }
        advance(&world, echo, &echoed, by: 6_000)
        var truth = change(pair.second, &world, &ids)
        if pair.second == .interfaceReturns {
            advance(&world, echo, &echoed, by: 500)
            world.harness.update(interfaces: world.interfaces)
        }
        truth.sort { ($0.name, $0.type.rawValue) < ($1.name, $1.type.rawValue) }
        advance(&world, echo, &echoed, by: 40_000)
        return (world, truth, ids)
    }

    private func change(
        _ change: Change, _ world: inout PairWorld, _ ids: inout [PublicationID]
    ) -> [ResourceRecord] {
        var host = World.hostSet
        var service = Self.before
        switch change {
        case .publish: ids.append(world.publish(service))
        case .update:
            service = service.map {
                $0.record == World.attributes ? .init(Self.otherText, .unique) : $0
            }
            world.harness.update(ids[1], to: service)
        case .goodbye:
            service.removeLast()
            world.harness.update(ids[1], to: service)
        case .withdrawal:
            world.harness.withdraw(ids.removeLast())
            service = []
        case .anotherName:
            world.harness.withdraw(ids.removeLast())
            service = Self.before.map { member in
                let record = member.record
                let name = record.name == World.instance ? World.otherInstance : record.name
                let data =
                    record.type == .ptr ? .ptr(World.otherInstance) : record.data
                return .init(
                    ResourceRecord(name, data, timeToLive: record.timeToLive), member.ownership)
            }
            ids.append(world.publish(service))
        case .anotherAddress:
            host = [.init(Self.otherAddress, .unique)]
            world.harness.update(ids[0], to: host)
        case .wake: world.harness.wake()
        case .interfaceReturns:
            world.harness.update(
                interfaces: world.interfaces.filter { $0.index != world.interface })
        case .secondRegistration: ids.append(world.publish(service))
        case .query:
            _ = world.harness.startQuery(World.type, .ptr)
            world.ask(World.type, .ptr)
        }
        return (host + service).map(\.record)
    }

    /// Lets time pass, and has what was multicast come back.
    private func advance(
        _ world: inout PairWorld, _ echo: Echo?, _ echoed: inout Int, by milliseconds: Int
    ) {
        // Ten milliseconds are at once.
        let wait: Duration = echo == .atOnce ? .zero : .seconds(1)
        for _ in 0..<milliseconds / 10 {
            world.advance(by: .milliseconds(10))
            guard let echo else { continue }
            while echoed < world.mark {
                let sent = world.harness.sent[echoed]
                guard sent.time.advanced(by: wait) <= world.harness.now else { break }
                echoed += 1
                if sent.isMulticast { receive(sent, echo, &world) }
            }
        }
    }

    private func receive(_ sent: EngineHarness.Sent, _ echo: Echo, _ world: inout PairWorld) {
        let family = sent.destination.address.family
        switch echo {
        case .atOnce, .later:
            world.harness.receive(
                sent.bytes, from: world.ownAddress(on: sent.interface, family),
                interface: sent.interface)
        case .reflected:
            let reflector: IPAddress =
                family == .ipv4
                ? sent.interface == .first ? .other : .testerSecond
                : .v6(IPv6Address(rawValue: 0xFE80 << 112 | 0x77))
            world.harness.receive(sent.bytes, from: reflector, interface: sent.interface)
        case .onOtherInterface:
            world.harness.receive(
                sent.bytes, from: world.ownAddress(on: sent.interface, family),
                interface: sent.interface == .first ? .second : .first)
        }
    }
}
