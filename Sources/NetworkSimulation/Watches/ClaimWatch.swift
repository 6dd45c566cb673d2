import DNSMessages
import NetworkPrimitives

/// Whether names are claimed, defended and given up as others may rely on (RFC 6762 §8, §9),
/// judged by what hosts send and receive.
///
/// A unique record leaves a host only after three probes for its name, 250 ms apart, the last one
/// 250 ms ago; names that stand for addresses need none (§8.1). Of two that probe for a name at
/// the same time, the one with the earlier data waits a second and begins anew, and the other one
/// goes on (§8.2). A response with other data ends the claim of whoever probes, and takes who has
/// the name back to probing (§8.1, §9). Two seconds after a name is given up no record has it or
/// points to it.
struct ClaimWatch: Sendable {
    /// How a name stands with one host on one link.
    struct Claim: Sendable {
        /// The probes of the running series, by family.
        var probes = PerFamily<Int>(0)
        var lastProbe = PerFamily<Instant>(.zero)
        /// What the last probe proposed.
        var proposed: [ResourceRecord] = []
        /// Whether its records were sent since it was probed for, by family.
        var isHeld = PerFamily<Bool>(false)
        /// Its unique records, as last sent.
        var sets: [OwnSet] = []
        /// When the last tie was lost or won.
        var lostTie: Instant?
        var wonTie: Instant?
        /// When the claim last had to begin anew.
        var lastReset: Instant = .zero
        var isProbing: Bool { probes[.ipv4] > 0 || probes[.ipv6] > 0 }
        var isHeldByAny: Bool { isHeld[.ipv4] || isHeld[.ipv6] }

        func isProbedFor(over family: AddressFamily, at now: Instant) -> Bool {
            probes[family] >= 3
                && lastProbe[family].duration(to: now) >= probeInterval - Invariants.grain
        }

        /// Whether all probes are sent and unanswered.
        func hasFinished(at now: Instant) -> Bool {
            isProbedFor(over: .ipv4, at: now) || isProbedFor(over: .ipv6, at: now)
        }

        mutating func reset(at now: Instant) {
            probes = PerFamily(0)
            isHeld = PerFamily(false)
            lastReset = now
        }

        func data(of type: RecordType) -> [RecordData] {
            sets.first { $0.type == type }?.data ?? []
        }
    }

    /// The records of one type under a name.
    struct OwnSet: Sendable {
        let type: RecordType
        var data: [RecordData]
        var time: Instant
    }

    private struct HostState: Sendable {
        // For look-up only.
        var links: [LinkID: [DomainName: Claim]] = [:]
        /// Names given up, and when.
        var lost: [DomainName: Instant] = [:]
        /// When its user last did something.
        var touched = Instant.zero
    }

    static let probeInterval: Duration = .milliseconds(250)
    static let tieWait: Duration = .seconds(1)
    /// How long a name that was given up may still be used.
    static let farewell: Duration = .seconds(2)

    private var hosts: [HostState] = []
    /// Who probes for a name or has it, by link; for look-up only.
    private var claimants: [LinkID: [DomainName: [HostID]]] = [:]
    var situations = Situations()

    mutating func addHost() { hosts.append(HostState()) }

    func claim(of name: DomainName, by host: HostID, on link: LinkID) -> Claim? {
        hosts[host.rawValue].links[link]?[name]
    }

    func claimants(of name: DomainName, on link: LinkID) -> [HostID] {
        claimants[link]?[name] ?? []
    }

    // MARK: What hosts do

    mutating func touched(_ host: HostID, at now: Instant) {
        hosts[host.rawValue].touched = now
    }

    /// The host has to probe for all of its names again, on one link or on all.
    mutating func reset(_ host: HostID, on link: LinkID? = nil, at now: Instant) {
        for known in Array(hosts[host.rawValue].links.keys) where link == nil || link == known {
            hosts[host.rawValue].links[known] = hosts[host.rawValue].links[known]?.mapValues {
                var claim = $0
                claim.reset(at: now)
                return claim
            }
        }
    }

    /// The host was cut off from a link: what it had there is said anew.
    mutating func cutOff(_ host: HostID, from link: LinkID, at now: Instant) {
        reset(host, on: link, at: now)
        hosts[host.rawValue].links[link] = hosts[host.rawValue].links[link]?.mapValues {
            var claim = $0
            claim.sets = []
            return claim
        }
    }

    /// Nothing is left of what the host had: it has crashed or its stack begins anew.
    mutating func forget(_ host: HostID) {
        for (link, names) in hosts[host.rawValue].links {
            for name in names.keys { claimants[link]?[name]?.removeAll { $0 == host } }
        }
        hosts[host.rawValue] = HostState()
    }

    /// The host gave the name up, for another or for good.
    mutating func gaveUp(_ name: DomainName, by host: HostID, at now: Instant) {
        for link in Array(hosts[host.rawValue].links.keys) {
            hosts[host.rawValue].links[link]?[name] = nil
            claimants[link]?[name]?.removeAll { $0 == host }
        }
        hosts[host.rawValue].lost[name] = now
    }

    /// The host wants the name (again).
    mutating func wants(_ name: DomainName, by host: HostID) {
        hosts[host.rawValue].lost[name] = nil
    }

    private mutating func update(
        _ name: DomainName, by host: HostID, on link: LinkID, _ body: (inout Claim) -> Void
    ) {
        let isNew = hosts[host.rawValue].links[link]?[name] == nil
        body(&hosts[host.rawValue].links[link, default: [:]][name, default: Claim()])
        if isNew { claimants[link, default: [:]][name, default: []].append(host) }
    }

    // MARK: Sent

    mutating func sent(_ observed: ObservedMessage, at now: Instant) -> [Breach] {
        if observed.isProbe {
            return observed.message.questions.flatMap { probed($0.name, observed, at: now) }
        }
        guard observed.message.header.isResponse else { return [] }
        return observed.records.flatMap { use($0, observed, at: now) }
    }

    private mutating func probed(
        _ name: DomainName, _ observed: ObservedMessage, at now: Instant
    ) -> [Breach] {
        let proposed = observed.message.authorities.filter { $0.name == name }
        guard !proposed.isEmpty else {
            return [Breach(host: observed.sender, what: "a probe for \(name) proposes nothing")]
        }
        var breaches: [Breach] = []
        let touched = hosts[observed.sender.rawValue].touched
        let family = observed.family
        update(name, by: observed.sender, on: observed.link) { claim in
            let last = claim.lastProbe[family]
            let interval = last.duration(to: now)
            if let lost = claim.lostTie, touched < lost,
                lost.duration(to: now) < Self.tieWait - Invariants.grain
            {
                breaches.append(
                    Breach(
                        host: observed.sender,
                        what: "probes for \(name) \(lost.duration(to: now)) after a lost tie"))
            }
            if let won = claim.wonTie, touched < won, claim.lastReset < won, won > last,
                interval > .milliseconds(900)
            {
                breaches.append(
                    Breach(host: observed.sender, what: "waits with \(name), whose tie it won"))
            }
            claim.wonTie = nil
            let continues = interval >= Self.probeInterval - Invariants.grain
            claim.probes[family] = continues ? claim.probes[family] + 1 : 1
            claim.lastProbe[family] = now
            claim.proposed = proposed
            claim.isHeld[family] = false
        }
        return breaches
    }

    /// A record leaves the host.
    private mutating func use(
        _ record: ResourceRecord, _ observed: ObservedMessage, at now: Instant
    ) -> [Breach] {
        let host = observed.sender
        if record.timeToLive == .goodbye {
            update(removing: record, by: host, on: observed.link)
            return []
        }
        var breaches = usesOfLost(record, by: host, at: now)
        if record.type == .nsec {
            breaches += checkNegative(record, by: host, on: observed.link, at: now)
            return breaches
        }
        guard record.cacheFlush, !record.name.isReverseMapping else { return breaches }
        let isSecond = hosts[host.rawValue].links.contains { link, names in
            link != observed.link && names[record.name]?.isHeldByAny ?? false
        }
        let family = observed.family
        var isUnproved = false
        var noted: [Situations.Kind] = []
        update(record.name, by: host, on: observed.link) { claim in
            if !claim.isHeld[family] {
                isUnproved = !claim.isProbedFor(over: family, at: now)
                if claim.isHeldByAny { noted.append(.bothFamilies) }
                if isSecond, !claim.isHeldByAny { noted.append(.secondInterface) }
                claim.isHeld[family] = true
            }
            claim.note(record.data, at: now)
        }
        for kind in noted { situations.note(kind) }
        if isUnproved {
            breaches.append(
                Breach(
                    host: host,
                    what: "\(record.name) \(record.type) is used before it is probed for"))
        }
        return breaches
    }

    private mutating func update(
        removing record: ResourceRecord, by host: HostID, on link: LinkID
    ) {
        guard let sets = hosts[host.rawValue].links[link]?[record.name]?.sets,
            let place = sets.firstIndex(where: { $0.type == record.type })
        else { return }
        hosts[host.rawValue].links[link]?[record.name]?.sets[place].data.removeAll {
            $0 == record.data
        }
    }

    private func usesOfLost(
        _ record: ResourceRecord, by host: HostID, at now: Instant
    ) -> [Breach] {
        let lost = hosts[host.rawValue].lost
        guard !lost.isEmpty else { return [] }
        var names = [record.name]
        if case .ptr(let target) = record.data { names.append(target) }
        if case .srv(let location) = record.data { names.append(location.target) }
        return names.compactMap { name in
            guard let time = lost[name], time.duration(to: now) > Self.farewell else { return nil }
            return Breach(
                host: host,
                what: "\(record.name) \(record.type) uses \(name) "
                    + "\(time.duration(to: now)) after it was given up")
        }
    }

    /// RFC 6762 §6.1: an NSEC says which types there are, and so it denies none that the host has
    /// sent itself, and names none that it has taken back.
    private mutating func checkNegative(
        _ record: ResourceRecord, by host: HostID, on link: LinkID, at now: Instant
    ) -> [Breach] {
        guard case .nsec(let next) = record.data, !record.name.isReverseMapping,
            let claim = claim(of: record.name, by: host, on: link), claim.isHeldByAny
        else { return [] }
        situations.note(.negative)
        let types = next.types
        var breaches: [Breach] = []
        for set in claim.sets {
            if !set.data.isEmpty, !types.contains(set.type) {
                breaches.append(
                    Breach(host: host, what: "NSEC of \(record.name) denies its \(set.type)"))
            } else if set.data.isEmpty, types.contains(set.type) {
                breaches.append(
                    Breach(
                        host: host,
                        what: "NSEC of \(record.name) has \(set.type), which was withdrawn"))
            }
        }
        return breaches
    }

    // MARK: Received

    /// Whether anybody but its sender is concerned by a message.
    func concerns(_ observed: ObservedMessage) -> Bool {
        let names = claimants[observed.link] ?? [:]
        func isClaimed(_ name: DomainName) -> Bool {
            names[name]?.contains { $0 != observed.sender } ?? false
        }
        // Whose own first probe leaves before this one arrives is concerned as well.
        if observed.isProbe { return true }
        guard observed.message.header.isResponse else { return false }
        return observed.records.contains { $0.cacheFlush && isClaimed($0.name) }
    }

    /// A host received a message that concerns a name of its own.
    mutating func received(_ observed: ObservedMessage, by host: HostID, at now: Instant) {
        guard observed.sender != host else { return }
        if observed.isProbe {
            for question in observed.message.questions {
                breakTie(over: question.name, observed, by: host, at: now)
            }
        } else if observed.message.header.isResponse {
            for record in observed.records where record.cacheFlush && record.timeToLive > .goodbye {
                conflict(with: record, of: host, on: observed.link, at: now)
            }
        }
    }

    private mutating func breakTie(
        over name: DomainName, _ observed: ObservedMessage, by host: HostID, at now: Instant
    ) {
        guard let claim = claim(of: name, by: host, on: observed.link) else { return }
        if claim.isHeldByAny, claim.lastReset < now {
            noteDefence(of: name, claim, against: observed)
        }
        guard claim.isProbing, !claim.isHeldByAny, !claim.hasFinished(at: now),
            // What its user changed since is not on the wire yet.
            max(claim.lastProbe[.ipv4], claim.lastProbe[.ipv6]) > hosts[host.rawValue].touched
        else { return }
        let theirs = observed.message.authorities.filter { $0.name == name }
        switch ProbeOrder(claim.proposed, against: theirs) {
        case .same: break
        case .later:
            situations.note(.tieWon)
            update(name, by: host, on: observed.link) { $0.wonTie = now }
        case .earlier:
            situations.note(.tieLost)
            update(name, by: host, on: observed.link) { claim in
                claim.reset(at: now)
                claim.lostTie = now
                claim.wonTie = nil
            }
        }
    }

    /// Only what has one value for each host is compared: equal TXT records are no conflict.
    private mutating func conflict(
        with record: ResourceRecord, of host: HostID, on link: LinkID, at now: Instant
    ) {
        guard [.srv, .a, .aaaa].contains(record.type),
            let claim = claim(of: record.name, by: host, on: link)
        else { return }
        let own = claim.data(of: record.type)
        if claim.isHeldByAny {
            guard !own.isEmpty, !own.contains(record.data) else { return }
        } else {
            guard claim.isProbing,
                !claim.proposed.contains(where: { $0.data == record.data })
            else { return }
        }
        update(record.name, by: host, on: link) { $0.reset(at: now) }
    }

    /// Somebody probes for a name that is taken, with other data: its holder says so.
    private mutating func noteDefence(
        of name: DomainName, _ claim: Claim, against observed: ObservedMessage
    ) {
        let isRival = observed.message.authorities.contains { rival in
            rival.name == name
                && claim.sets.contains { $0.type == rival.type && !$0.data.contains(rival.data) }
        }
        if isRival { situations.note(.conflictWon) }
    }
}

extension ClaimWatch.Claim {
    /// A record of the name was sent: it belongs to the set of its moment.
    fileprivate mutating func note(_ data: RecordData, at now: Instant) {
        guard let place = sets.firstIndex(where: { $0.type == data.type }) else {
            sets.append(ClaimWatch.OwnSet(type: data.type, data: [data], time: now))
            return
        }
        if sets[place].time != now { sets[place].data = [] }
        sets[place].time = now
        if !sets[place].data.contains(data) { sets[place].data.append(data) }
    }

    fileprivate var probeInterval: Duration { ClaimWatch.probeInterval }
}

/// Whose records win a tie, computed from the wire (RFC 6762 §8.2, §8.2.1).
enum ProbeOrder: Hashable {
    case earlier
    case same
    case later

    init(_ own: [ResourceRecord], against others: [ResourceRecord]) {
        let mine = own.map { Self.key($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        let theirs = others.map { Self.key($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        if mine == theirs {
            self = .same
        } else {
            let isEarlier = mine.lexicographicallyPrecedes(theirs) {
                $0.lexicographicallyPrecedes($1)
            }
            self = isEarlier ? .earlier : .later
        }
    }

    /// Class, type and data, as numbers that compare as the records do.
    private static func key(_ record: ResourceRecord) -> [UInt8] {
        let head = UInt32(record.recordClass.rawValue) << 16 | UInt32(record.type.rawValue)
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: head >> $0) }
        return bytes + record.data.uncompressedBytes
    }
}
