import DNSMessages
import MulticastDNS
import NetworkPrimitives
import PairTable
import Testing

/// An engine in one of the places of the table of pairs, with a neighbour on each interface and
/// family. What it does is judged by what they receive.
struct PairWorld {
    var harness: EngineHarness
    let place: PairPlace
    /// Who asks, answers and contradicts, and where.
    let peer: IPAddress
    let interface: InterfaceIndex
    /// The names that are shared, so that nothing of them has the cache-flush bit.
    var shared: [ResourceRecord] = []
    private var neighbours: [Neighbour] = []
    private var read = 0

    init(_ place: PairPlace) {
        self.place = place
        let families: Set<AddressFamily> =
            switch place {
            case .ipv4: [.ipv4]
            case .ipv6: [.ipv6]
            case .dual, .dualOverIPv6, .second: [.ipv4, .ipv6]
            }
        (peer, interface) =
            switch place {
            case .ipv4, .dual: (.tester, .first)
            case .ipv6, .dualOverIPv6: (.tester6, .first)
            case .second: (.testerSecond, .second)
            }
        harness = EngineHarness(
            configuration: Configuration(families: families),
            interfaces: place == .second ? [.dual, .secondDual] : [.dual])
        for index in place == .second ? [InterfaceIndex.first, .second] : [.first] {
            for family in families.sorted(by: { $0 == .ipv4 && $1 == .ipv6 }) {
                neighbours.append(Neighbour(interface: index, family: family))
            }
        }
    }

    /// The interfaces as they are at first.
    var interfaces: [NetworkInterface] { place == .second ? [.dual, .secondDual] : [.dual] }

    /// Our own address where the peer speaks.
    var ownAddress: IPAddress { ownAddress(on: interface, peer.family) }

    func ownAddress(on index: InterfaceIndex, _ family: AddressFamily) -> IPAddress {
        let interface = index == .first ? NetworkInterface.dual : .secondDual
        return interface.addresses.first { $0.address.family == family }?.address ?? peer
    }

    // MARK: What happens

    mutating func publish(
        _ members: [RecordSet.Member], on selection: InterfaceSelection = .all
    ) -> PublicationID {
        shared += members.filter { $0.ownership == .shared }.map(\.record)
        return harness.publish(members, on: selection)
    }

    mutating func advance(by duration: Duration) { harness.advance(by: duration) }

    /// Lets time pass, by milliseconds, until something was sent that was not before.
    mutating func advance(
        since start: Int, until isThere: (EngineHarness.Sent) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for _ in 0..<5_000 {
            if harness.sent[start...].contains(where: isThere) { return }
            harness.advance(by: .milliseconds(1))
        }
        Issue.record("it was not sent", sourceLocation: sourceLocation)
    }

    /// Lets time pass until a probe was sent where the peer is.
    mutating func advanceToProbe(
        since start: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let interface = interface
        advance(
            since: start, until: { $0.isProbe && $0.interface == interface },
            sourceLocation: sourceLocation)
    }

    mutating func hear(_ records: [ResourceRecord], from source: IPAddress? = nil) {
        harness.respond(records, from: source ?? peer, interface: interface)
    }

    mutating func hearProbe(_ name: DomainName, proposing records: [ResourceRecord]) {
        harness.probe(name, proposing: records, from: peer, interface: interface)
    }

    mutating func ask(
        _ name: DomainName, _ type: RecordType, prefersUnicast: Bool = false,
        isTruncated: Bool = false
    ) {
        harness.ask(
            [Question(name, type, prefersUnicast: prefersUnicast)], isTruncated: isTruncated,
            from: peer, interface: interface)
    }

    // MARK: What is seen

    /// A place in what was sent.
    var mark: Int { harness.sent.count }

    /// What the peer receives: multicast where it is, and what is sent to it.
    func received(since start: Int) -> [EngineHarness.Sent] {
        harness.sent[start...].filter {
            $0.interface == interface
                && ($0.isMulticast
                    ? $0.destination.address.family == peer.family
                    : $0.destination.address == peer)
        }
    }

    /// What was sent from a place on, by interface and family.
    func bySegment(since start: Int) -> [[EngineHarness.Sent]] {
        neighbours.map { neighbour in
            harness.sent[start...].filter { neighbour.receives($0) }
        }
    }

    /// What each neighbour keeps now.
    mutating func known() -> [(neighbour: Neighbour, records: [ResourceRecord])] {
        while read < harness.sent.count {
            for index in neighbours.indices { neighbours[index].receive(harness.sent[read]) }
            read += 1
        }
        return neighbours.map { ($0, $0.records(at: harness.now)) }
    }

    /// Every neighbour, or each of one interface, has exactly these records.
    mutating func expectKnown(
        _ truth: [ResourceRecord], on index: InterfaceIndex? = nil, _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (neighbour, records) in known()
        where index == nil || neighbour.interface == index {
            let missing = truth.filter { own in !records.contains { $0.isSameRecord(as: own) } }
            let stale = records.filter { own in !truth.contains { $0.isSameRecord(as: own) } }
            #expect(
                missing.isEmpty && stale.isEmpty,
                """
                \(comment) \(neighbour.interface) \(neighbour.family) \
                lacks \(missing), still has \(stale)
                """, sourceLocation: sourceLocation)
        }
    }

    /// The same record is multicast once in a second at most, or in what a defence allows, by each
    /// interface and family (M6-21, M6-23);
    /// what is unique has the cache-flush bit and nothing else has (M10-11, M10-15).
    func expectOrderly(
        since start: Int = 0, interval: Duration = .seconds(1),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for segment in bySegment(since: start) {
            var last: [(record: ResourceRecord, time: Instant)] = []
            for sent in segment where sent.isResponse {
                for record in sent.records
                where record.timeToLive > .goodbye && record.type != .nsec {
                    let isShared = shared.contains { $0.isSameRecord(as: record) }
                    #expect(record.cacheFlush == !isShared, sourceLocation: sourceLocation)
                    let place = last.firstIndex { $0.record.isSameRecord(as: record) }
                    if let place {
                        #expect(
                            sent.time - last[place].time >= interval,
                            "\(record.name) \(record.type) again", sourceLocation: sourceLocation)
                        last[place].time = sent.time
                    } else {
                        last.append((record, sent.time))
                    }
                }
            }
            for record in segment.filter(\.isProbe).flatMap(\.message.authorities) {
                #expect(
                    !shared.contains { $0.isSameRecord(as: record) },
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// A query of the peer for all of a name is answered with exactly these records.
    mutating func expectAnswer(
        _ name: DomainName, _ truth: [ResourceRecord],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let start = mark
        ask(name, .any)
        advance(by: .seconds(2))
        let answers = received(since: start).filter(\.isResponse).flatMap(\.message.answers)
        let missing = truth.filter { own in
            !answers.contains { $0.isSameRecord(as: own) && $0.timeToLive == own.timeToLive }
        }
        #expect(
            missing.isEmpty && answers.count == truth.count,
            "\(name): \(answers), not \(truth)", sourceLocation: sourceLocation)
    }

    func isConflicted(_ id: PublicationID) -> Bool {
        harness.statuses(of: id).contains { if case .conflicted = $0 { true } else { false } }
    }
}

extension NetworkInterface {
    /// Another link with both families.
    static let secondDual = NetworkInterface(
        name: "eth1", index: .second, flags: [.up, .running, .multicast],
        addresses: [
            .init(NetworkPrefix(.deviceSecond, length: 24)),
            .init(NetworkPrefix(.v6(IPv6Address(rawValue: 0xFE80 << 112 | 0x21)), length: 64)),
        ])

    /// The same with addresses of one family only.
    func with(only family: AddressFamily) -> NetworkInterface {
        var interface = self
        interface.addresses.removeAll { $0.address.family != family }
        return interface
    }

    func named(_ name: String) -> NetworkInterface {
        var interface = self
        interface.name = name
        return interface
    }
}
