import DNSMessages
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

@Suite struct InterfaceRenamePairTests {
    private static let selection = InterfaceSelection.named(["wlan*"])
    private static let otherText = ResourceRecord(
        World.instance, .txt(text("new")), timeToLive: .standard)
    private static let updated: [RecordSet.Member] = World.serviceSet.map {
        $0.record == World.attributes ? .init(otherText, .unique) : $0
    }

    @Test(
        "pairs: an interface that is renamed, and an operation",
        arguments: PairTable.renames.pairs)
    func renamed(_ pair: Pair<InterfaceRename, Operation>) {
        for isFirst in [true, false] { check(pair, operatesFirst: isFirst) }
    }

    /// What is published and asked for is meant for interfaces by name; shortly before or after an
    /// operation the interface gets another one.
    private func check(
        _ pair: Pair<InterfaceRename, Operation>, operatesFirst: Bool
    ) {
        var world = PairWorld(pair.place)
        let wasMeant = pair.first != .into
        let isMeant = pair.first != .outOf
        rename(&world, to: wasMeant ? "wlan0" : "dock0")
        let service = world.publish(World.serviceSet, on: Self.selection)
        let query = world.harness.startQuery(World.otherHost, .a, on: Self.selection)
        world.advance(by: .seconds(6))
        let other = ResourceRecord(
            World.otherHost, .a(IPv4Address(192, 0, 2, 77)), timeToLive: .host, cacheFlush: true)
        world.hear([other])
        world.advance(by: .milliseconds(50))
        let start = world.mark
        if operatesFirst { operate(pair.second, service, query, other, &world) }
        world.advance(by: .milliseconds(60))
        rename(&world, to: isMeant ? "wlan7" : "dock7")
        world.advance(by: .milliseconds(60))
        if !operatesFirst { operate(pair.second, service, query, other, &world) }
        world.advance(by: .seconds(20))
        // Where it was not meant nothing was found yet.
        world.hear([other])
        world.advance(by: .seconds(1))
        checkPublication(pair, wasMeant: wasMeant, isMeant: isMeant, service, &world)
        checkQuery(pair, isMeant: isMeant, query, &world)
        world.expectOrderly(since: start)
        let elsewhere = world.harness.sent.filter { $0.interface != world.interface }
        #expect(elsewhere.isEmpty)
    }

    private func rename(_ world: inout PairWorld, to name: String) {
        let interface = world.interface
        world.harness.update(
            interfaces: world.interfaces.map { $0.index == interface ? $0.named(name) : $0 })
    }

    private func truth(of operation: Operation) -> [ResourceRecord] {
        switch operation {
        case .publish: World.all.map(\.record)
        case .update, .repropose: Self.updated.map(\.record)
        case .withdraw, .end: []
        case .query, .stop, .reconfirm, .wake, .answer, .conflict:
            World.serviceSet.map(\.record)
        }
    }

    private func checkPublication(
        _ pair: Pair<InterfaceRename, Operation>, wasMeant: Bool, isMeant: Bool,
        _ service: PublicationID, _ world: inout PairWorld
    ) {
        let truth = isMeant ? truth(of: pair.second) : []
        world.expectKnown(truth, on: world.interface, "\(pair)")
        for name in [World.type, World.instance, World.host] {
            world.expectAnswer(name, truth.filter { $0.name == name })
        }
        guard !truth.isEmpty || !isMeant else { return }
        let last = world.harness.statuses(of: service).last
        let ended = pair.second == .withdraw || pair.second == .end
        #expect(ended || last == (isMeant ? .established : .probing), "\(pair)")
        #expect(!world.isConflicted(service))
    }

    private func checkQuery(
        _ pair: Pair<InterfaceRename, Operation>, isMeant: Bool, _ query: QueryID,
        _ world: inout PairWorld
    ) {
        let start = world.mark
        // Long enough for a refresh of what was found.
        world.advance(by: .seconds(110))
        let isAsked = world.harness.sent[start...].contains {
            $0.asks(Question(World.otherHost, .a))
        }
        #expect(isAsked == (isMeant && pair.second != .stop), "\(pair)")
        guard pair.second != .stop else { return }
        let present = world.harness.present(in: query).count
        #expect(present == (isMeant ? 1 : 0), "\(pair)")
    }

    private func operate(
        _ operation: Operation, _ service: PublicationID, _ query: QueryID,
        _ found: ResourceRecord, _ world: inout PairWorld
    ) {
        let updated = RecordSet(Self.updated, on: Self.selection)
        let now = world.harness.now
        switch operation {
        case .publish: _ = world.publish(World.hostSet, on: Self.selection)
        case .update: world.harness.engine.update(service, to: updated, at: now)
        case .repropose: world.harness.engine.repropose(service, as: updated, at: now)
        case .withdraw: world.harness.withdraw(service)
        case .end: world.harness.engine.withdrawAll(at: now)
        case .query: _ = world.harness.startQuery(World.type, .ptr, on: Self.selection)
        case .stop: world.harness.stopQuery(query)
        case .reconfirm: world.harness.reconfirm(found)
        case .wake: world.harness.wake()
        case .answer: world.ask(World.type, .ptr)
        case .conflict: world.hear([World.rivalLocation()])
        }
        world.harness.drain()
    }
}
