import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// Whether hosts leave out what the queries that they answer list as known, and list what they
/// know themselves (RFC 6762 §7.1).
///
/// What a response answers is not written in it. So a record is held against its sender only if
/// every query of the last moments that asked for it listed it, and nothing else was a reason to
/// say it: an announcement, a goodbye to be outlived, a record that a stranger sent.
struct KnownAnswerWatch: Sendable {
    /// A query on a link.
    private struct Asked {
        let time: Instant
        let datagram: Datagram
        let sender: HostID
        let questions: [Question]
        var known: [ResourceRecord]
        let isTruncated: Bool
        /// Whether known answers have followed.
        var isContinued = false
    }

    /// A query of a host whose known answers are still being counted.
    private struct Listing {
        let expected: Int
        var listed = 0
    }

    private struct ListingKey: Hashable {
        let host: HostID
        let link: LinkID
        let family: AddressFamily
    }

    /// An answer waits half a second for known answers, another half for company, and a second
    /// for the rate limit; then it travels.
    private static let answerWindow: Duration = .milliseconds(2_500)
    /// How long a host that was given something new by its user, or changed its mind about what is
    /// its own, may speak unasked: updates beyond their rate wait for a minute (§8.4).
    static let freeTime: Duration = .seconds(62)
    /// The same after something on the link that calls for an answer of its own.
    private static let noisyPeriod: Duration = .seconds(3)
    /// Whoever has more known answers to send is given so long (RFC 6762 §7.2).
    private static let leastWait: Duration = .milliseconds(400)
    /// Larger records may fit no packet, and then are not listed.
    private static let listedSize = 1_000

    // For look-up only.
    private var asked: [LinkID: [Asked]] = [:]
    private var noisyUntil: [LinkID: Instant] = [:]
    private var listings: [ListingKey: Listing] = [:]
    /// Until when each host may speak unasked.
    private var free: [Instant] = []
    var situations = Situations()

    mutating func addHost() { free.append(.zero) }

    mutating func release(_ host: HostID, for duration: Duration = freeTime, at now: Instant) {
        free[host.rawValue] = max(free[host.rawValue], now.advanced(by: duration))
    }

    mutating func disturb(_ link: LinkID, at now: Instant) {
        noisyUntil[link] = now.advanced(by: Self.noisyPeriod)
    }

    // MARK: Queries

    mutating func processQuery(
        _ message: Message, _ datagram: Datagram, by host: HostID, on link: LinkID,
        isScripted: Bool = false, at now: Instant
    ) {
        let old = (asked[link] ?? []).prefix {
            $0.time.duration(to: now) > Self.answerWindow
        }.count
        if old > 0 { asked[link]?.removeFirst(old) }
        // Known answers of a stack's own that follow in packets of their own may overtake the
        // question here, or meet those of other queriers, so they are held against nobody.
        if !message.questions.isEmpty {
            asked[link, default: []].append(
                Asked(
                    time: now, datagram: datagram, sender: host, questions: message.questions,
                    known: message.header.isTruncated && !isScripted ? [] : message.answers,
                    isTruncated: message.header.isTruncated && isScripted))
        } else if let place = asked[link]?.lastIndex(where: {
            $0.isTruncated && $0.datagram.source == datagram.source
                && $0.time.duration(to: now) < Self.leastWait
        }) {
            asked[link]?[place].known += message.answers
            if asked[link]?[place].isContinued == false { situations.note(.truncated) }
            asked[link]?[place].isContinued = true
        }
    }

    /// Counts what a host's own query lists against what is in its cache; returns the breach.
    mutating func sentQuery(
        _ message: Message, _ family: AddressFamily, by host: HostID, on link: LinkID,
        expected: Int
    ) -> String? {
        let key = ListingKey(host: host, link: link, family: family)
        var listing =
            message.questions.isEmpty ? listings[key] : Listing(expected: expected)
        listing?.listed += message.answers.count { Self.isListed($0) }
        listings[key] = listing
        guard let listing, !message.header.isTruncated else { return nil }
        listings[key] = nil
        // Of a set too large to hold none is listed: the rest would be answered all the same.
        let isTooLarge = listing.expected > Limits().cachedRecordsPerName / 2
        guard listing.listed != listing.expected, !(listing.listed == 0 && isTooLarge) else {
            return nil
        }
        return "a query lists \(listing.listed) known answers of \(listing.expected)"
    }

    /// How many records of a host's cache its query has to list: those with half of their
    /// lifetime left, and at least the second that can be written.
    static func expectedAnswers(
        to questions: [Question], of engine: borrowing Engine, on interface: InterfaceIndex,
        at now: Instant
    ) -> Int {
        var records: [ResourceRecord] = []
        var count = 0
        let names = Set(questions.map { $0.name })
        let mayOverlap = names.count < questions.count
        for question in questions {
            engine.inspectCache(answering: question, on: interface) {
                record, expiry, needsReconfirmation in
                let left = now.duration(to: expiry)
                guard !needsReconfirmation, left >= .seconds(1),
                    left * 2 >= record.timeToLive.duration,
                    isListed(record)
                else { return }
                if !mayOverlap {
                    count += 1
                } else if !records.contains(where: { $0.isSameRecord(as: record) }) {
                    records.append(record)
                }
            }
        }
        return count + records.count
    }

    private static func isListed(_ record: ResourceRecord) -> Bool {
        if case .txt(let text) = record.data, text.wireBytes.count > listedSize { return false }
        return record.type != .nsec
    }

    // MARK: Responses

    /// The answers of a host's response that all who asked for them know already.
    mutating func sentResponse(
        _ message: Message, _ datagram: Datagram, by host: HostID, on link: LinkID,
        at now: Instant
    ) -> [ResourceRecord] {
        if message.answers.contains(where: { $0.timeToLive == .goodbye }) {
            disturb(link, at: now)
        }
        guard free[host.rawValue] <= now, noisyUntil[link].map({ $0 <= now }) ?? true,
            let recent = asked[link],
            recent.contains(where: { !$0.known.isEmpty || $0.isTruncated }),
            // A conventional reply has lifetimes of its own (RFC 6762 §6.7).
            datagram.destination.port == 5353
        else { return [] }
        let asking = recent.filter {
            $0.sender != host && $0.datagram.family == datagram.family
                && $0.time.duration(to: now) <= Self.answerWindow
                && (datagram.destination.address.isMulticast
                    || datagram.destination.address == $0.datagram.source.address)
        }
        let needless = message.answers.filter { isNeedless($0, asking, at: now) }
        // A unique set goes whole or not at all (RFC 6762 §10.2).
        return needless.filter { record in
            !record.cacheFlush
                || message.answers.allSatisfy { other in
                    other.name != record.name || other.type != record.type
                        || needless.contains(other)
                }
        }
    }

    private func isNeedless(_ record: ResourceRecord, _ asking: [Asked], at now: Instant) -> Bool {
        guard record.type != .nsec, record.timeToLive > .goodbye else { return false }
        var isAsked = false
        for query in asking where query.questions.contains(where: { $0.matches(record) }) {
            isAsked = true
            // More known answers are on their way; until then nobody else is to be answered.
            if query.isTruncated {
                // Of two that ask for the same, whose known answers are whose need not be known.
                guard asking.count == 1 else { return false }
                if query.time.duration(to: now) < Self.leastWait - Invariants.grain { continue }
            }
            let isKnown = query.known.contains {
                2 * UInt64($0.timeToLive.rawValue) >= UInt64(record.timeToLive.rawValue)
                    && $0.isSameRecord(as: record)
            }
            if !isKnown { return false }
        }
        return isAsked
    }
}
