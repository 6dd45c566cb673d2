import NetworkPrimitives

/// The next deadline of each operation and of the host name.
struct OperationTimers: Hashable, Sendable {
    /// Whose deadline it is.
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
        if let old = times.removeValue(forKey: key) { remove(key, at: old) }
        guard let time else { return }
        times[key] = time
        let index = entries.partitionIndex { $0.time > time }
        entries.insert(Entry(time: time, key: key), at: index)
    }

    private mutating func remove(_ key: Key, at time: Instant) {
        var index = entries.partitionIndex { $0.time > time }
        while entries[index].key != key { index += 1 }
        entries.remove(at: index)
    }

    mutating func popDue(by now: Instant) -> Key? {
        guard let last = entries.last, last.time <= now else { return nil }
        entries.removeLast()
        times[last.key] = nil
        return last.key
    }
}
