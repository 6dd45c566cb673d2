import NetworkPrimitives

/// Our queries of the last second, so that they are known when they come back: from the same
/// address other programs of this host speak as well.
///
/// Found by their bytes: a browser of thousands of instances sends thousands within a second,
/// and each comes back.
struct RecentQueries: Sendable {
    /// When each was last sent. For look-up only.
    private var times: [[UInt8]: Instant] = [:]
    /// In the order of sending, those before `head` gone.
    private var sent: [(time: Instant, bytes: [UInt8])] = []
    private var head = 0

    mutating func add(_ bytes: [UInt8], at now: Instant) {
        dropOld(now)
        times[bytes] = now
        sent.append((now, bytes))
    }

    func contains(_ payload: Span<UInt8>, at now: Instant) -> Bool {
        guard !times.isEmpty else { return false }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count)
        for index in payload.indices { bytes.append(payload[index]) }
        return times[bytes].map { $0.duration(to: now) < Timing.minimumQueryInterval } ?? false
    }

    private mutating func dropOld(_ now: Instant) {
        while head < sent.count, sent[head].time.duration(to: now) >= Timing.minimumQueryInterval {
            if times[sent[head].bytes] == sent[head].time { times[sent[head].bytes] = nil }
            head += 1
        }
        if head > sent.count / 2 {
            sent.removeFirst(head)
            head = 0
        }
    }
}
