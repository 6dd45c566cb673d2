import DNSMessages
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// The invariants see what they are there for.
@Suite struct InvariantTests {
    private let record = ResourceRecord(
        Offer.named("host.local"), .a(IPv4Address(10, 0, 0, 1)), timeToLive: .host)

    /// The breaches that these responses of one host make, sent at these times.
    private func violations(
        of messages: [(milliseconds: Int64, message: Message)]
    ) throws -> [String] {
        var invariants = Invariants()
        let host = HostID(rawValue: 0)
        let link = LinkID(rawValue: 0)
        invariants.addHost()
        for (milliseconds, message) in messages {
            let now = Instant(nanoseconds: milliseconds * 1_000_000)
            let bytes = try message.encoded(limit: 9_000)
            invariants.sent(group(bytes), by: host, on: link, at: now)
        }
        return invariants.violations.map(\.what)
    }

    private func group(_ bytes: [UInt8]) -> Datagram {
        let source = SocketAddress(.v4(IPv4Address(10, 0, 0, 1)), port: 5353)
        return Datagram(
            bytes, from: source, to: SocketAddress(.multicastDNS(.ipv4), port: 5353))
    }

    private func response(_ records: [ResourceRecord]) -> Message {
        Message(header: .response, answers: records)
    }

    @Test("M6-21 a second copy within a second is a breach, a later one is not")
    func rate() throws {
        let message = response([record])
        #expect(try violations(of: [(0, message), (900, message)]).count == 1)
        #expect(try violations(of: [(0, message), (1_000, message)]).isEmpty)
    }

    @Test("M6-23 a defence may come after 250 ms")
    func defence() throws {
        let probe = Message(questions: [Question(record.name, .any)], authorities: [record])
        let message = response([record])
        #expect(try violations(of: [(0, message), (200, probe), (300, message)]).isEmpty)
        #expect(try violations(of: [(0, message), (100, probe), (200, message)]).count == 1)
    }

    @Test func damagedDatagramsAreSeen() {
        var invariants = Invariants()
        invariants.addHost()
        invariants.sent(
            group([1, 2, 3]), by: HostID(rawValue: 0), on: LinkID(rawValue: 0), at: .zero)
        #expect(invariants.violationCount == 1)
    }

    @Test("M17-5 M17-6 large datagrams with several records, and all over 9000 bytes, are seen")
    func sizes() throws {
        let text = TextStrings((0..<8).map { _ in [UInt8](repeating: 97, count: 250) }) ?? .empty
        let large = ResourceRecord(record.name, .txt(text), timeToLive: .standard)
        #expect(try violations(of: [(0, response([large]))]).isEmpty)
        #expect(try violations(of: [(0, response([large, record]))]).count == 1)
    }

    @Test func deadlinesThatStandStillAreSeen() {
        var invariants = Invariants()
        invariants.addHost()
        let now = Instant(nanoseconds: 5)
        invariants.advanced(HostID(rawValue: 0), deadline: now, at: now)
        invariants.advanced(HostID(rawValue: 0), deadline: nil, at: now)
        #expect(invariants.violationCount == 1)
    }

    @Test func newsTwiceOrAfterTheEndAreSeen() {
        var invariants = Invariants()
        let host = HostID(rawValue: 0)
        invariants.addHost()
        var engine = Engine(
            configuration: Configuration(), generator: SeededGenerator(seed: 1))
        let query = engine.startQuery(Question(record.name, .a), on: .all, at: .zero)
        let index = InterfaceIndex(rawValue: 1)
        let added = HostEvent.engine(.answer(query, .added(record, index)))
        let removed = HostEvent.engine(.answer(query, .removed(record, index)))
        invariants.process(added, by: host, at: .zero)
        invariants.process(removed, by: host, at: .zero)
        invariants.process(added, by: host, at: .zero)
        #expect(invariants.violationCount == 0)
        invariants.process(added, by: host, at: .zero)
        #expect(invariants.violationCount == 1)
        invariants.process(removed, by: host, at: .zero)
        invariants.process(removed, by: host, at: .zero)
        #expect(invariants.violationCount == 2)
        invariants.silenced(query, of: host)
        invariants.process(added, by: host, at: .zero)
        #expect(invariants.violationCount == 3)
    }
}
