import NetworkPrimitives

/// Our queries of the last second, so that they are known when they come back: from the same
/// address other programs of this host speak as well.
///
/// Found by their bytes: a browser of thousands of instances sends thousands within a second,
/// and each comes back.
struct RecentQueries: Sendable {
    /// When each was last sent. For look-up only.
    private var times: [[UInt8]: Instant] = [:]
    private var sent = Queue<(time: Instant, bytes: [UInt8])>()

    mutating func add(_ bytes: [UInt8], at now: Instant) {
        while let oldest = sent.first, !isRecent(oldest.time, now) {
            if times[oldest.bytes] == oldest.time { times[oldest.bytes] = nil }
            _ = sent.popFirst()
        }
        times[bytes] = now
        sent.append((now, bytes))
    }

    func contains(_ payload: Span<UInt8>, at now: Instant) -> Bool {
        guard !times.isEmpty else { return false }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count)
        for index in payload.indices { bytes.append(payload[index]) }
        return times[bytes].map { isRecent($0, now) } ?? false
    }

    private func isRecent(_ time: Instant, _ now: Instant) -> Bool {
        time.duration(to: now) < Timing.minimumQueryInterval
    }
}
