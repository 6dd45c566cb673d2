import DNSMessages
import NetworkPrimitives

/// Whether questions are answered, and as they have to be (RFC 6762 §5.4, §6, §6.7, §7.1).
///
/// What a host has announced and a query asks for is multicast within two seconds, unless that was
/// done in the last one, or the query lists it with half of its lifetime left. What is answered
/// by unicast was multicast within the last quarter of its lifetime, or is at once. A reply to a
/// conventional querier has lifetimes of ten seconds at most and no cache-flush bits.
struct AnswerWatch: Sendable {
    /// A record that is to be multicast.
    struct Expected: Sendable {
        /// When it was asked for.
        let time: Instant
        let asker: HostID
        let holder: HostID
        let link: LinkID
        let family: AddressFamily
        let name: DomainName
        let data: RecordData
        let reason: Reason

        /// What is wrong if it is not.
        func text(_ what: String) -> String {
            switch reason {
            case .query: "does not answer \(asker) with \(what)"
            case .reply:
                "answers by unicast with \(what), not multicast for a quarter of its lifetime"
            case .goodbye: "does not rescue \(what) from the goodbye of \(asker)"
            }
        }
    }

    /// Why a record is to be multicast.
    enum Reason: Hashable, Sendable {
        /// It was asked for.
        case query
        /// It was given by unicast, though not multicast for long (RFC 6762 §5.4).
        case reply
        /// Another host took the same record back (RFC 6762 §6.6, §10.1).
        case goodbye
    }

    /// An answer waits half a second for known answers, another half for company, and a second
    /// for the rate limit.
    static let longestWait: Duration = .milliseconds(2_250)
    /// Where so many answer, or so much is known, one query more or less proves nothing.
    static let largestSet = 48

    private struct PointerKey: Hashable {
        let link: LinkID
        let name: DomainName
    }

    /// A shared PTR record and who has it.
    struct Pointer: Sendable {
        let target: DomainName
        let holder: HostID
        let since: Instant
    }

    // For look-up only.
    private var pointers: [PointerKey: [Pointer]] = [:]
    private var expected = Queue<Expected>()
    var situations = Situations()

    // MARK: Shared records

    /// Notes which shared records a host has multicast.
    mutating func noteMulticast(
        _ record: ResourceRecord, by host: HostID, on link: LinkID, _ family: AddressFamily,
        at now: Instant
    ) {
        guard case .ptr(let target) = record.data, !record.name.isReverseMapping else { return }
        let key = PointerKey(link: link, name: record.name)
        let place = pointers[key]?.firstIndex { $0.holder == host && $0.target == target }
        if record.timeToLive == .goodbye {
            if let place { pointers[key]?.remove(at: place) }
            for other in pointers[key] ?? [] where other.target == target && other.holder != host {
                expected.append(
                    Expected(
                        time: now, asker: host, holder: other.holder, link: link, family: family,
                        name: record.name, data: record.data, reason: .goodbye))
            }
        } else if place == nil {
            pointers[key, default: []].append(Pointer(target: target, holder: host, since: now))
        }
    }

    /// The host has crashed, or was cut off from a link.
    mutating func forget(_ host: HostID, on link: LinkID? = nil) {
        for key in Array(pointers.keys) where link == nil || link == key.link {
            pointers[key]?.removeAll { $0.holder == host }
        }
    }

    func pointers(named name: DomainName, on link: LinkID) -> [Pointer] {
        pointers[PointerKey(link: link, name: name)] ?? []
    }

    // MARK: What is due

    /// A plain query by multicast asks for what these hosts have.
    mutating func asked(_ observed: ObservedMessage, claims: ClaimWatch, at now: Instant) {
        let message = observed.message
        guard !message.header.isResponse, !message.header.isTruncated, !observed.isProbe,
            observed.isMulticast, !observed.isLegacy, message.answers.count <= Self.largestSet
        else { return }
        for question in message.questions where !question.prefersUnicast {
            for (holder, data, lifetime) in answers(to: question, observed, claims, now) {
                let isKnown = message.answers.contains {
                    $0.data == data && $0.name == question.name
                        && $0.timeToLive.duration * 2 >= lifetime
                }
                if isKnown { continue }
                if message.answers.contains(where: { $0.data == data }) {
                    situations.note(.staleKnownAnswer)
                }
                expected.append(
                    Expected(
                        time: now, asker: observed.sender, holder: holder, link: observed.link,
                        family: observed.family, name: question.name, data: data,
                        reason: .query))
            }
        }
    }

    private func answers(
        to question: Question, _ observed: ObservedMessage, _ claims: ClaimWatch, _ now: Instant
    ) -> [(holder: HostID, data: RecordData, lifetime: Duration)] {
        // Where announced a moment ago, it may be unknown to its own host's caches still.
        if question.type == .ptr {
            let pointers = pointers(named: question.name, on: observed.link)
            guard pointers.count <= Self.largestSet else { return [] }
            return pointers.filter { $0.holder != observed.sender && $0.since < now }
                .map { ($0.holder, .ptr($0.target), .seconds(4_500)) }
        }
        let holders = claims.claimants(of: question.name, on: observed.link)
        return holders.filter { $0 != observed.sender }.flatMap { holder in
            guard let claim = claims.claim(of: question.name, by: holder, on: observed.link),
                claim.isHeld[observed.family]
            else { return [(holder: HostID, data: RecordData, lifetime: Duration)]() }
            let lifetime: Duration = question.type == .txt ? .seconds(4_500) : .seconds(120)
            return claim.data(of: question.type).map { (holder, $0, lifetime) }
        }
    }

    /// An answer by unicast; `isRecent` says whether a record was multicast within the last
    /// quarter of its lifetime (RFC 6762 §5.4).
    mutating func replied(
        _ observed: ObservedMessage, at now: Instant, isRecent: (ResourceRecord) -> Bool
    ) -> [Breach] {
        guard observed.destination.port == 5353 else {
            situations.note(.legacyQuery)
            return checkLegacy(observed)
        }
        situations.note(.unicastReply)
        for record in observed.message.answers
        where record.timeToLive > .goodbye && record.type != .nsec && !isRecent(record) {
            situations.note(.overdueMulticast)
            expected.append(
                Expected(
                    time: now, asker: observed.sender, holder: observed.sender,
                    link: observed.link, family: observed.family, name: record.name,
                    data: record.data, reason: .reply))
        }
        return []
    }

    private func checkLegacy(_ observed: ObservedMessage) -> [Breach] {
        var breaches: [Breach] = []
        if observed.message.questions.isEmpty {
            breaches.append(
                Breach(host: observed.sender, what: "a legacy reply without the question"))
        }
        for record in observed.records where record.type != .opt {
            if record.timeToLive > .seconds(10) {
                breaches.append(
                    Breach(
                        host: observed.sender,
                        what: "a legacy reply has \(record.name) \(record.type) for "
                            + "\(record.timeToLive.rawValue) s"))
            }
            if record.cacheFlush {
                breaches.append(
                    Breach(
                        host: observed.sender,
                        what: "a legacy reply flushes \(record.name) \(record.type)"))
            }
        }
        return breaches
    }

    /// What should have been multicast by now.
    mutating func due(at now: Instant) -> Expected? {
        guard let first = expected.first,
            first.time.duration(to: now) > Self.longestWait + Invariants.grain
        else { return nil }
        return expected.popFirst()
    }
}
