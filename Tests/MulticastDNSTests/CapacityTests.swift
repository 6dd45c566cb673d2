import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

/// Who finds room where many want it, and what a query does whose answers do not fit (D-28).
@Suite struct CapacityTests {
    private static let type = World.type

    private func pointer(_ index: Int, prefix: String = "Instance") -> ResourceRecord {
        ResourceRecord(
            Self.type, .ptr(named("\(prefix) \(index)._ipp._tcp.local")), timeToLive: .standard)
    }

    private func source(_ index: Int) -> IPAddress {
        .v4(IPv4Address(rawValue: 0xC633_6400 + UInt32(index)))
    }

    /// A browse in a small cache, its first query sent.
    private func browse(
        perName: Int = 100, perSource: Int = 1_000, all: Int = 2_000, knownAnswerBytes: Int? = nil
    ) -> (EngineHarness, QueryID) {
        var limits = Limits()
        limits.cachedRecords = all
        limits.cachedRecordsPerSource = perSource
        limits.cachedRecordsPerName = perName
        if let knownAnswerBytes { limits.knownAnswerBytes = knownAnswerBytes }
        var harness = EngineHarness(
            configuration: Configuration(families: [.ipv4], limits: limits))
        let query = harness.startQuery(Self.type, .ptr)
        harness.advance(by: .milliseconds(200))
        return (harness, query)
    }

    private func incompletes(_ harness: EngineHarness, _ query: QueryID) -> Int {
        harness.changes(of: query).count {
            if case .incomplete(.first) = $0.change { true } else { false }
        }
    }

    @Test(
        "D-28 a newcomer finds room in a name or cache that others have flooded",
        arguments: [1, 40], [(100, 2_000), (2_000, 100)])
    func newcomer(sources: Int, bounds: (perName: Int, all: Int)) {
        var (harness, query) = browse(perName: bounds.perName, all: bounds.all)
        harness.respond([World.foundPointer], from: .other)
        harness.advance(by: .seconds(20))
        for index in 0..<1_000 {
            harness.respond([pointer(index)], from: source(index % sources))
        }
        #expect(harness.engine.cachedRecordCount == 100)
        // Unasked, as a service that is new on the link.
        let newcomer = pointer(0, prefix: "Newcomer")
        harness.respond([newcomer], from: .tester)
        for record in [newcomer, World.foundPointer] {
            #expect(harness.present(in: query).contains { $0.isSameRecord(as: record) })
        }
        #expect(harness.engine.cachedRecordCount == 100)
    }

    @Test("D-28 of the sources in a full name the one with most records makes room")
    func largestSource() {
        var (harness, query) = browse()
        for index in 0..<70 { harness.respond([pointer(index, prefix: "A")], from: source(1)) }
        for index in 0..<30 { harness.respond([pointer(index, prefix: "B")], from: source(2)) }
        for index in 0..<20 { harness.respond([pointer(index, prefix: "C")], from: source(3)) }
        let held = harness.present(in: query).map(\.data)
        for index in 0..<20 { #expect(held.contains(pointer(index, prefix: "C").data)) }
        for index in 0..<30 { #expect(held.contains(pointer(index, prefix: "B").data)) }
        #expect(held.count == 100)
    }

    @Test("D-28 records in a host's name that it never sent do not keep its answers out")
    func spoofedQuota() {
        for kind in 0..<2 {
            var (harness, query) = browse(perName: 1_000, perSource: 50)
            harness.advance(by: .seconds(20))
            for index in 0..<200 { harness.respond([pointer(index)], from: .other) }
            #expect(harness.engine.cachedRecordCount == 50)
            if kind == 1 {
                // Unasked it has to wait for the next query.
                harness.respond([World.foundPointer], from: .other)
                #expect(!harness.present(in: query).contains(World.foundPointer))
            }
            harness.advance(by: .seconds(12))
            harness.respond([World.foundPointer], from: .other)
            #expect(harness.present(in: query).contains(World.foundPointer))
            #expect(harness.engine.cachedRecordCount == 50)
        }
    }

    @Test("D-28 additional records of an answer find room beside unasked ones of their source")
    func spoofedUnused() {
        var (harness, _) = browse()
        harness.respond([World.foundPointer], from: .other)
        harness.advance(by: .seconds(20))
        for index in 0..<300 {
            let text = TextStrings([Array("\(index)".utf8)]) ?? .empty
            harness.respond(
                [World.foundPointer],
                additionals: [
                    ResourceRecord(World.otherInstance, .txt(text), timeToLive: .standard)
                ], from: .other)
        }
        harness.advance(by: .seconds(12))
        harness.respond(
            [World.foundPointer], additionals: [World.foundLocation], from: .other)
        let location = harness.startQuery(World.otherInstance, .srv)
        #expect(harness.added(to: location).count == 1)
    }

    /// A host that answers each query of the browse with so many services that are not listed as
    /// known; the times of the queries.
    private func answer(
        _ count: Int, for duration: Duration, _ harness: inout EngineHarness
    ) -> [Instant] {
        var times: [Instant] = []
        let end = harness.now.advanced(by: duration)
        while harness.now < end {
            let asked = harness.queries.filter { $0.asks(Question(Self.type, .ptr)) }
            if let query = asked.first {
                times.append(query.time)
                let known = Set(harness.queries.flatMap(\.message.answers).map(\.data))
                for index in 0..<count where !known.contains(pointer(index).data) {
                    harness.respond([pointer(index)], from: .other)
                }
            }
            harness.clear()
            let next = harness.engine.deadline ?? end
            harness.advance(by: max(.milliseconds(1), next - harness.now))
        }
        return times
    }

    @Test("D-28 a browse of more than fits gets one event, and asks ever more rarely")
    func incomplete() {
        var (harness, query) = browse(perName: 20)
        for index in 0..<30 { harness.respond([pointer(index)], from: .other) }
        #expect(incompletes(harness, query) == 1)
        #expect(harness.present(in: query).count == 20)
        let later = harness.startQuery(Self.type, .ptr)
        #expect(incompletes(harness, later) == 1)
        harness.clear()
        let times = answer(30, for: .seconds(4 * 86_400), &harness)
        // Once an hour and a refresh for each would be twice as many.
        #expect(times.count < 110)
        #expect(gaps(times.suffix(50)).allSatisfy { $0 >= .seconds(3_500) })
        #expect(harness.engine.cachedRecordCount == 20)
    }

    @Test("D-28 an oversized set is asked for without known answers")
    func incompleteKnownAnswers() {
        var (harness, query) = browse()
        for index in 0..<150 { harness.respond([pointer(index)], from: .other) }
        harness.clear()
        harness.advance(by: .seconds(10))
        #expect(!harness.queries.isEmpty)
        #expect(harness.queries.first?.message.answers.isEmpty == true)
        // It fits again: nobody answers with more for two queries.
        for index in 0..<60 { harness.respond([pointer(index).lasting(0)], from: .other) }
        harness.advance(by: .seconds(60))
        #expect(harness.queries.last?.message.answers.count == 40)
        for index in 0..<150 { harness.respond([pointer(index)], from: .other) }
        #expect(incompletes(harness, query) == 1)
    }

    @Test("D-28 M7-1 the bytes of known answers are bounded, and half a list is none")
    func knownAnswerBytes() {
        for (count, listed) in [(20, 20), (60, 50), (99, 0)] {
            var (harness, _) = browse(knownAnswerBytes: 50 * 40)
            for index in 10..<10 + count { harness.respond([pointer(index)], from: .other) }
            harness.clear()
            harness.advance(by: .seconds(1))
            #expect(harness.queries.flatMap(\.message.answers).count == listed)
        }
    }

    @Test("D-28 10,000 services of one host are browsed whole, and listed as known")
    func tenThousand() {
        var harness = EngineHarness()
        let query = harness.startQuery(Self.type, .ptr)
        harness.advance(by: .milliseconds(200))
        for first in stride(from: 0, to: 10_000, by: 50) {
            harness.respond((first..<first + 50).map { pointer($0) }, from: .other)
        }
        #expect(harness.added(to: query).count == 10_000)
        #expect(incompletes(harness, query) == 0)
        harness.clear()
        harness.advance(by: .seconds(1))
        #expect(harness.queries.flatMap(\.message.answers).count == 10_000)
    }
}
