import NetworkPrimitives

/// The times at which operations are due: at most one for each.
///
/// Each registration that is being established has one, so a time is set and cleared without a
/// walk over all others.
struct OperationTimers: Sendable {
    /// What is due.
    enum Key: Hashable, Sendable {
        case host
        case operation(OperationID)
    }

    /// Entries whose time is not the key's any more are dropped when they come up; the first
    /// entry is never one of them.
    private var queue = TimerQueue<Key>()
    /// For look-up only.
    private var times: [Key: Instant] = [:]

    var earliest: Instant? { queue.earliest }

    /// How many entries there are, those included that count no more: for the test of the bound.
    var entryCount: Int { queue.count }

    mutating func set(_ key: Key, at time: Instant?) {
        guard times[key] != time else { return }
        times[key] = time
        if let time { queue.insert(key, at: time) }
        removeOutdated()
    }

    mutating func popDue(by now: Instant) -> Key? {
        guard let due = queue.popDue(by: now) else { return nil }
        times[due.event] = nil
        removeOutdated()
        return due.event
    }

    private mutating func removeOutdated() {
        while let first = queue.first, times[first.event] != first.time { queue.dropFirst() }
        guard queue.count > 2 * times.count + 64 else { return }
        var kept: Set<Key> = []
        queue = queue.filter { time, key in times[key] == time && kept.insert(key).inserted }
    }
}
