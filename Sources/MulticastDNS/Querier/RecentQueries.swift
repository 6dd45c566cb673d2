import NetworkPrimitives

/// Our queries of the last second, so that they are known when they come back: from the same
/// address other programs of this host speak as well.
///
/// Found by the hash of their bytes, which is keyed: a browser of thousands of instances sends
/// thousands within a second, and each comes back.
struct RecentQueries: Sendable {
    /// When each was last sent. For look-up only.
    private var times: [Int: Instant] = [:]
    private var lastPruned = Instant.zero

    mutating func add(_ bytes: [UInt8], at now: Instant) {
        if !isRecent(lastPruned, now) {
            times = times.filter { isRecent($0.value, now) }
            lastPruned = now
        }
        times[hash(bytes.span)] = now
    }

    /// Not inlined: its loop would have the caller keep a copy of all that a link holds.
    @inline(never)
    func contains(_ payload: Span<UInt8>, at now: Instant) -> Bool {
        !times.isEmpty && times[hash(payload)].map { isRecent($0, now) } ?? false
    }

    private func isRecent(_ time: Instant, _ now: Instant) -> Bool {
        time.duration(to: now) < Timing.minimumQueryInterval
    }

    private func hash(_ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        for index in bytes.indices { hasher.combine(bytes[index]) }
        return hasher.finalize()
    }
}
