import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

// What is looked at while a run goes on: what hosts ask, and some time after each change who
// holds a name and who sees it.

extension VirtualNetwork {
    /// For so long two hosts may both think that a name is theirs, if nothing was lost.
    static let quietTime: Duration = .seconds(10)
    /// Probing takes no longer.
    private static let probingTime: Duration = .seconds(2)

    /// Looks at what a host's stack asks (RFC 6762 §5.2, §7.1).
    mutating func examine(
        _ message: Message, _ datagram: Datagram, by host: HostID, on link: LinkID
    ) {
        guard !message.header.isResponse, message.authorities.isEmpty else { return }
        let interface = AddressPlan.index(of: link)
        let now = now
        let questions = message.questions
        let seen: (expected: Int, unwanted: [Question])? =
            hosts[host.rawValue].withEngine { engine in
                // What is asked in the very call that ends a query left before that.
                let unwanted =
                    engine.lastStop == now
                    ? [] : questions.filter { !engine.wants($0, on: interface) }
                return (
                    KnownAnswerWatch.expectedAnswers(
                        to: questions, of: engine, on: interface, at: now), unwanted
                )
            }
        guard let seen else { return }
        let stopped = questions.filter {
            $0.type == .ptr && groundTruth.hasStopped($0.name, of: host)
        }
        invariants.asked(
            message, datagram, by: host, on: link, expected: seen.expected,
            unwanted: seen.unwanted + stopped, at: now)
    }

    /// Has every name of which something changed looked at when all must know.
    mutating func planChecks() {
        for name in groundTruth.drainUnchecked() {
            let holders = groundTruth.holders(of: name)
            if holders.count > 1 { plan(.owners(name), after: Self.quietTime) }
            if holders.allSatisfy({ !$0.types.isEmpty }) {
                plan(.browsers(name), after: Self.longestLife)
            }
        }
    }

    mutating func perform(_ check: Check) {
        switch check {
        case .owners(let name): checkOwners(of: name)
        case .browsers(let name):
            for browse in groundTruth.browses { compare(name, with: browse) }
        case .begun(let host, let id, let since): checkBegun(id, by: host, since: since)
        case .announced(let host, let id, let since):
            checkAnnouncements(of: id, by: host, since: since)
            checkKnown(id, by: host, since: since)
        case .updated(let host, let id, let since): checkUpdate(of: id, by: host, since: since)
        case .goodbyes(let farewell): checkGoodbyes(farewell)
        case .withdrawn(let farewell): checkWithdrawn(farewell)
        case .queries(let series): checkQueries(series)
        case .browse(let host, let id):
            guard
                let browse = groundTruth.browses.first(where: {
                    $0.host == host && $0.operation == id
                })
            else { return }
            var names = Set(browse.found.map { $0.name })
            for offer in groundTruth.offers where offer.isEstablished {
                if offer.types.contains(browse.type), let name = offer.name { names.insert(name) }
            }
            for name in names.sorted() { compare(name, with: browse) }
        }
    }

    /// Never two established owners of one name on a link, unless something kept the later one
    /// from receiving the other's packets while it probed.
    private mutating func checkOwners(of name: DomainName) {
        let holders = groundTruth.holders(of: name)
        for (index, later) in holders.enumerated() {
            for earlier in holders[..<index]
            where earlier.host != later.host && canReach(earlier.host, later.host) {
                guard later.since.duration(to: now) >= Self.quietTime else { continue }
                let start = later.since.advanced(by: .zero - Self.probingTime)
                let isMet = links.contains {
                    isPresent(earlier.host, on: $0.id) && isPresent(later.host, on: $0.id)
                        && group(of: earlier.host, on: $0.id) == group(of: later.host, on: $0.id)
                        && $0.disturbed < start
                }
                guard isMet else { continue }
                invariants.report(
                    "\(name) is established here and on \(earlier.host)", by: later.host, at: now)
            }
        }
    }

    /// After 120 % of the longest lifetime without a change a browse has what is there, and
    /// nothing else.
    private mutating func compare(_ name: DomainName, with browse: GroundTruth.Browse) {
        let start = now.advanced(by: .zero - Self.longestLife)
        let host = hosts[browse.host.rawValue]
        guard groundTruth.lastChange(of: name) <= start, browse.since <= start,
            host.lastTopologyChange <= start,
            host.state == .running
        else { return }
        let holders = groundTruth.holders(of: name)
        for attachment in host.attachments where attachment.isUp {
            let link = links[attachment.link.rawValue]
            guard !link.hasForeignSenders else { continue }
            let found = GroundTruth.Found(name: name, interface: AddressPlan.index(of: link.id))
            let isFound = browse.found.contains(found)
            let isThere = holders.contains {
                $0.types.contains(browse.type) && isPresent($0.host, on: link.id)
                    && canReach($0.host, browse.host)
                    && group(of: $0.host, on: link.id) == group(of: browse.host, on: link.id)
            }
            if isFound, !isThere {
                invariants.report("still sees \(name) on \(found.interface)", by: host.id, at: now)
            } else if isThere, !isFound, link.disturbed <= start {
                invariants.report(
                    "does not see \(name) on \(found.interface)", by: host.id, at: now)
            }
        }
    }
}
