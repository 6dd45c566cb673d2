import DNSMessages
import NetworkPrimitives

typealias CacheHandle = SlotHandle<CacheEntry>

/// One cached record and when it goes.
struct CacheEntry: Sendable {
    var record: ResourceRecord
    /// When it was last received.
    var received: Instant
    /// When it goes.
    var expiry: Instant
    /// When it is to be asked for again; `.never` where nobody is interested.
    var refresh = Instant.never
    /// The time of the timer that counts for this entry.
    var timer = Instant.never
    /// Who sent it.
    var source: SlotHandle<CacheSource>
    /// Neighbours in the list of records of one name; -1 for none.
    var next: Int32 = -1
    var previous: Int32 = -1
    /// In the first record of a name's list: how many there are.
    var nameCount: Int32 = 1
    /// How many of the refresh points are behind.
    var refreshStage: UInt8 = 0
    /// Queries of others that went unanswered since it was last received (RFC 6762 §10.5).
    var unansweredQueries: UInt8 = 0
    /// Whether it is gone soon unless it is received again: it is no known answer.
    var needsReconfirmation = false
    /// Whether a running query asks for it.
    var isUsed = false
    /// Whether it answered a query of ours, or was received again later.
    var isConfirmed = false

    init(
        _ record: ResourceRecord, from source: SlotHandle<CacheSource>, isUsed: Bool,
        isConfirmed: Bool, at now: Instant
    ) {
        self.record = record
        received = now
        expiry = now.advanced(by: record.timeToLive.duration)
        self.source = source
        self.isUsed = isUsed
        self.isConfirmed = isConfirmed
    }

    /// What comes next for the entry: its refresh or its end.
    var due: Instant { min(refresh, expiry) }

    /// The whole lifetime as last received.
    var lifetime: Duration { record.timeToLive.duration }

    /// Seconds left, rounded down.
    func remaining(at now: Instant) -> TimeToLive {
        let left = now.duration(to: expiry).components.seconds
        return .seconds(UInt32(clamping: max(left, 0)))
    }

    /// Whether it is listed as a known answer: half of its lifetime is left (RFC 6762 §7.1,
    /// M7-5), it is not being reconfirmed (§10.4, M10-22), and it is no NSEC, which is no answer
    /// (M7-1).
    func isKnownAnswer(at now: Instant) -> Bool {
        now.duration(to: expiry) * 2 >= lifetime && !needsReconfirmation
            && remaining(at: now) > .goodbye && record.type != .nsec
    }
}

/// How much one source address has in the cache.
struct CacheSource: Sendable {
    let address: IPAddress
    var count = 0
    var unusedCount = 0
    /// Its unused records, oldest first, some of them used or gone by now.
    var unused = Queue<CacheHandle>()
}

extension CacheEntry {
    /// What an empty slot holds.
    static let vacant: CacheEntry = {
        var sources = SlotMap(vacant: CacheSource(address: .v4(.unspecified)))
        let source = sources.insert(CacheSource(address: .v4(.unspecified)))
        let record = ResourceRecord(.root, .unknown(.any, []), timeToLive: .goodbye)
        return CacheEntry(record, from: source, isUsed: false, isConfirmed: false, at: .zero)
    }()
}

extension Instant {
    /// Later than anything.
    static let never = Instant(nanoseconds: .max)
}

/// What the cache did, in its order.
enum CacheEffect: Sendable {
    /// A record that a running query asks for is there now.
    case added(ResourceRecord)
    /// A unique record, or one that was being reconfirmed, was received again.
    case renewed(ResourceRecord)
    /// A used record is gone.
    case removed(ResourceRecord)
    /// A used record had to make room for others.
    case evicted(ResourceRecord)
    /// A used record found no room.
    case refused(ResourceRecord)
    /// It is time to ask for the record again.
    case refreshDue(ResourceRecord)
    /// A unique record's owner has other data now (RFC 6762 §10.2).
    case superseded(ResourceRecord)
}
