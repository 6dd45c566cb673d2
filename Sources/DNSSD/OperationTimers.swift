import NetworkPrimitives

/// When whom to wake: at most one time for each.
struct OperationTimers: Hashable, Sendable {
    /// Who is woken.
    enum Key: Hashable, Sendable {
        case host
        case operation(OperationID)
    }

    private struct Entry: Hashable, Sendable {
        var time: Instant
        var key: Key
    }

    /// The earliest last; among equal times the one set first last.
    private var entries: [Entry] = []
    /// For look-up only.
    private var times: [Key: Instant] = [:]

    var earliest: Instant? { entries.last?.time }

    mutating func set(_ key: Key, at time: Instant?) {
        guard times[key] != time else { return }
        if times.removeValue(forKey: key) != nil {
            entries.removeAll { $0.key == key }
        }
        guard let time else { return }
        times[key] = time
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time > time { low = middle + 1 } else { high = middle }
        }
        entries.insert(Entry(time: time, key: key), at: low)
    }

    mutating func popDue(by now: Instant) -> Key? {
        guard let last = entries.last, last.time <= now else { return nil }
        entries.removeLast()
        times[last.key] = nil
        return last.key
    }
}
