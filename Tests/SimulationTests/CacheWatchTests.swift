import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

@testable import NetworkSimulation

/// What a browse lists is what its host has received: what is wrong is seen, what is right is not.
@Suite struct CacheWatchTests {
    private typealias History = WireHistory

    private let operation: OperationID

    init() throws {
        let configuration = DiscoveryConfiguration(
            hostLabel: try Label("a"), defaultInstanceName: "a")
        var discovery = Discovery(
            configuration: configuration, generator: SeededGenerator(seed: 1))
        operation = discovery.startQuery(Question(WireHistory.type, .ptr), at: .zero)
    }

    /// A host that follows a record, which it has received at 0.
    private func following(
        _ record: ResourceRecord = History.pointer()
    ) throws -> WireHistory {
        var history = History()
        history.invariants.caches.subscribe(
            operation, to: Question(record.name, record.type), by: History.first)
        try receive(record, at: 0, &history)
        return history
    }

    /// The host receives a record and lists it.
    private func receive(
        _ record: ResourceRecord, at milliseconds: Int64, _ history: inout WireHistory
    ) throws {
        try history.receive(History.response(record), at: milliseconds)
        history.invariants.caches.added(
            record.data, to: operation, of: History.first, on: History.link,
            at: History.time(milliseconds))
    }

    /// The breaches that it is to remove the record then.
    private func removal(
        of record: ResourceRecord = History.pointer(), at milliseconds: Int64,
        _ history: inout WireHistory
    ) -> Int {
        history.invariants.caches.removed(
            record.data, from: operation, of: History.first, on: History.link,
            at: History.time(milliseconds)
        ).count
    }

    /// The breaches that it still lists by then.
    private func overdue(at milliseconds: Int64, _ history: inout WireHistory) -> Int {
        history.invariants.caches.advance(to: History.time(milliseconds)).count
    }

    @Test("M10-4 a record goes a second after a goodbye, not sooner and not later")
    func goodbye() throws {
        let goodbye = History.response(History.pointer(.goodbye))
        for (time, breaches) in [(10_900, 1), (11_000, 0)] as [(Int64, Int)] {
            var history = try following()
            try history.receive(goodbye, at: 10_000)
            #expect(removal(at: time, &history) == breaches)
        }
        var late = try following()
        try late.receive(goodbye, at: 10_000)
        #expect(overdue(at: 10_990, &late) == 0)
        #expect(overdue(at: 11_010, &late) == 1)
    }

    @Test("M10-5 a record that is received again within that second stays")
    func rescue() throws {
        var history = try following()
        try history.receive(History.response(History.pointer(.goodbye)), at: 10_000)
        try receive(History.pointer(), at: 10_900, &history)
        #expect(overdue(at: 60_000, &history) == 0)
        #expect(removal(at: 60_000, &history) == 1)
    }

    @Test(
        "M10-8 a flush takes what is older than a second, a second later",
        arguments: [(10_000, true), (900, false)] as [(Int64, Bool)])
    func flush(_ time: Int64, _ goes: Bool) throws {
        let old = try History.text("n=1")
        let new = try History.text("n=2")
        var history = try following(old)
        try receive(new, at: time, &history)
        #expect(overdue(at: time + 1_010, &history) == (goes ? 1 : 0))
        var again = try following(old)
        try receive(new, at: time, &again)
        #expect(removal(of: old, at: time + 1_000, &again) == (goes ? 0 : 1))
    }

    @Test("M5-12 a record that ends was asked for four times", arguments: [1, 3, 4])
    func refresh(_ count: Int) throws {
        var history = try following(History.location())
        let query = Message(questions: [Question(History.instance, .srv)])
        for time in [97_000, 103_000, 109_000, 115_000].prefix(count) as ArraySlice<Int64> {
            try history.send(query, at: time)
        }
        #expect(removal(of: History.location(), at: 120_000, &history) == (count == 4 ? 0 : 1))
    }

    @Test(
        "M10-25 two unanswered queries of others end a record after ten seconds",
        arguments: [1, 2])
    func passive(_ count: Int64) throws {
        func asked() throws -> WireHistory {
            var history = try following()
            let query = Message(questions: [Question(History.type, .ptr)])
            for number in 1...count { try history.receive(query, at: 10_000 * number) }
            return history
        }
        let end = 10_000 * count + 10_000
        var late = try asked()
        #expect(overdue(at: end + 10, &late) == (count == 2 ? 1 : 0))
        var early = try asked()
        #expect(removal(at: end - 1_000, &early) == 1)
        var right = try asked()
        #expect(removal(at: end, &right) == (count == 2 ? 0 : 1))
    }

    @Test("M10-20 after a wake a record is received again within ten seconds or goes")
    func wake() throws {
        var history = try following()
        history.invariants.caches.wake(History.first, at: History.time(20_000))
        #expect(overdue(at: 29_990, &history) == 0)
        #expect(overdue(at: 30_010, &history) == 1)
        var renewed = try following()
        renewed.invariants.caches.wake(History.first, at: History.time(20_000))
        try receive(History.pointer(), at: 22_000, &renewed)
        #expect(overdue(at: 30_010, &renewed) == 0)
    }

    @Test func aRecordThatIsReceivedIsListed() throws {
        var history = History()
        history.invariants.caches.subscribe(
            operation, to: Question(History.type, .ptr), by: History.first)
        try history.receive(History.response(History.pointer()), at: 0)
        #expect(history.invariants.caches.settle(History.first, at: .zero).count == 1)
        try receive(History.pointer(), at: 5_000, &history)
        #expect(history.invariants.caches.settle(History.first, at: .zero).isEmpty)
    }
}
