import DNSMessages
import NetworkPrimitives

/// One cached record and when it goes.
struct CacheEntry: Sendable {
    var record: ResourceRecord
    /// When it was last heard.
    var received: Instant
    /// When it goes.
    var expiry: Instant
    /// When it is to be asked for again; `.never` where nobody is interested.
    var refresh: Instant = .never
    /// The time of the timer that counts for this entry.
    var timer: Instant = .never
    /// Who sent it.
    var source: IPAddress
    /// Neighbours in the list of records of one name; -1 for none.
    var next: Int32 = -1
    var previous: Int32 = -1
    /// In the first record of a name's list: how many there are.
    var chainLength: Int32 = 1
    /// Tells apart the records that have used one slot.
    var stamp: UInt32
    /// How many of the refresh points are behind.
    var refreshStage: UInt8 = 0
    /// Queries of others that went unanswered since it was last heard (RFC 6762 §10.5).
    var unansweredQueries: UInt8 = 0
    /// Whether its truth is in doubt: it is not listed as a known answer.
    var isDoubted = false
    /// Whether a running query asked for it.
    var isUsed = false
    /// Whether the slot holds a record.
    var isLive = true

    /// What comes next for the entry: its refresh or its end.
    var due: Instant { min(refresh, expiry) }

    /// The whole lifetime as last heard.
    var lifetime: Duration { record.timeToLive.duration }

    /// Seconds left, rounded down.
    func remaining(at now: Instant) -> TimeToLive {
        let left = now.duration(to: expiry).components.seconds
        return .seconds(UInt32(clamping: max(left, 0)))
    }

    /// Whether at least half of the lifetime is left (RFC 6762 §7.1, M7-5).
    func isFresh(at now: Instant) -> Bool {
        now.duration(to: expiry) * 2 >= lifetime
    }
}

extension Instant {
    /// Later than anything.
    static let never = Instant(nanoseconds: .max)
}
