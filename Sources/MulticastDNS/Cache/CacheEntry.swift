import DNSMessages
import NetworkPrimitives

/// One cached record and when it goes. The order of the fields leaves no room between them.
struct CacheEntry: Sendable {
    var record: ResourceRecord
    /// The random extra of this lifetime's refreshes, of the most that it may be: all four share
    /// it, so that those of a record of 20 s are a whole second apart.
    var refreshJitter: UInt16 = 0
    /// How many of the refresh points are behind.
    var refreshStage: UInt8 = 0
    /// Queries of others that went unanswered since it was last received (RFC 6762 §10.5).
    var unansweredQueries: UInt8 = 0
    /// Whether it is gone soon unless it is received again: it is no known answer.
    var needsReconfirmation = false
    /// Whether a running query asks for it.
    var isUsed: Bool
    var received: Instant
    var expiry: Instant
    /// Who sent it: a slot of the cache's sources.
    let source: Int32
    /// Whether it answered a query of ours, or was received again later.
    var isConfirmed: Bool
    /// Whether it came to the whole group when it was last received.
    var wasMulticast: Bool

    static let vacant = CacheEntry(
        record: ResourceRecord(.root, .unknown(.any, []), timeToLive: .goodbye), isUsed: false,
        received: .zero, expiry: .zero, source: 0, isConfirmed: false, wasMulticast: false)

    /// What comes next for the entry: its refresh or its end.
    var due: Instant { min(refresh, expiry) }

    /// When it is to be asked for again: at 80, 85, 90 and 95 percent of the lifetime and up to
    /// 2 percent more (RFC 6762 §5.2, M5-12). Only for who is interested (M5-15), and not while
    /// it is being reconfirmed: that has its queries, or may have none (§10.5, M10-26).
    var refresh: Instant {
        let points = Timing.refreshPercentages
        guard isUsed, !needsReconfirmation, Int(refreshStage) < points.count else { return .never }
        let percent = Int64(record.timeToLive.rawValue) * 10_000_000
        let extra =
            percent * Timing.refreshJitterPercent * Int64(refreshJitter) / Int64(UInt16.max)
        let wait = percent * points[Int(refreshStage)] + extra
        return received.advanced(by: .nanoseconds(wait))
    }

    /// Draws the random extra of the refreshes that are still to come.
    mutating func planRefreshes(_ context: inout Context) {
        guard isUsed, !needsReconfirmation else { return }
        refreshJitter = .random(in: 0...UInt16.max, using: &context.generator)
        passRefreshes(context.now)
    }

    /// Puts the refresh points that are due behind.
    mutating func passRefreshes(_ now: Instant) {
        while refresh <= now { refreshStage += 1 }
    }

    /// The record was received again: its lifetime starts anew (RFC 6762 §5.2, M5-13), and so does
    /// the age that a flush looks at (§10.2, M10-8). Whoever answers lives (§10.4, §10.5, M10-23,
    /// M10-25).
    mutating func renew(
        _ timeToLive: TimeToLive, until expiry: Instant, isSolicited: Bool,
        _ context: inout Context
    ) {
        isConfirmed =
            isConfirmed || isSolicited
            || received.duration(to: context.now) >= Timing.multicastInterval
        record.timeToLive = timeToLive
        received = context.now
        self.expiry = expiry
        refreshStage = 0
        unansweredQueries = 0
        needsReconfirmation = false
        planRefreshes(&context)
    }

    /// Seconds left, rounded down.
    func remaining(at now: Instant) -> TimeToLive {
        let left = now.duration(to: expiry).components.seconds
        return .seconds(UInt32(clamping: max(left, 0)))
    }

    /// Whether it is listed as a known answer: half of its lifetime is left (RFC 6762 §7.1,
    /// M7-5), it is not being reconfirmed (§10.4, M10-22), and it is no NSEC, which is no answer
    /// (M7-1).
    func isKnownAnswer(at now: Instant) -> Bool {
        now.duration(to: expiry) * 2 >= record.timeToLive.duration && !needsReconfirmation
            && remaining(at: now) > .goodbye && record.type != .nsec
    }
}

/// How much one source address has in the cache.
struct CacheSource: Sendable {
    let address: IPAddress
    var count = 0
}

/// What the cache did with a record.
struct CacheChange: Sendable {
    enum Kind: Sendable {
        /// A record that a running query asks for is there now.
        case added
        /// A used record that is unique, or was being reconfirmed, was received again.
        case renewed
        /// A used record is gone.
        case removed
        /// A used record had to make room for others.
        case evicted
        /// A used record found no room.
        case refused
        /// It is time to ask for the record again.
        case refreshDue
        /// A unique record's owner has other data now (RFC 6762 §10.2).
        case superseded
    }

    let kind: Kind
    let record: ResourceRecord
    let name: HashedName
}
