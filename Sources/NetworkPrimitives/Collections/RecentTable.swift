/// What was noted a moment ago, by key: for as long as `lifetime`, then it is forgotten.
///
/// Public and inlinable for the reason that `TimerQueue` gives.
public struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let lifetime: Duration
    /// For look-up only, never walked.
    @usableFromInline var entries: [Key: (time: Instant, value: Value)] = [:]
    /// The oldest first, those included that were removed or noted again.
    @usableFromInline var order = Queue<(key: Key, time: Instant)>()

    /// A table with nothing in it.
    @inlinable
    public init(lifetime: Duration) {
        self.lifetime = lifetime
    }

    /// Notes a value in place of the key's last one, unless `limit` were noted within the lifetime.
    @inlinable
    public mutating func insert(_ value: Value, for key: Key, limit: Int = .max, at now: Instant) {
        while let (key, time) = order.first, !isRecent(time, now) {
            if entries[key]?.time == time { entries[key] = nil }
            _ = order.popFirst()
        }
        guard order.count < limit else { return }
        order.append((key, now))
        entries[key] = (now, value)
    }

    /// What was noted for the key; `nil` if nothing was or it is too long ago. The key is not made
    /// where nothing is kept.
    @inlinable
    public func value(for key: @autoclosure () -> Key, at now: Instant) -> Value? {
        guard !entries.isEmpty, let entry = entries[key()], isRecent(entry.time, now) else {
            return nil
        }
        return entry.value
    }

    /// Takes out what was last noted for the key and has not been dropped yet, however long ago.
    @inlinable
    public mutating func remove(_ key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

    @inlinable
    func isRecent(_ time: Instant, _ now: Instant) -> Bool { time.duration(to: now) < lifetime }
}
