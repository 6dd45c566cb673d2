import DNSMessages
import NetworkPrimitives

/// When records that are no longer ours were last multicast: one that comes back within a second,
/// as a shared record does when its service gets another name, is still under the rate limit
/// (RFC 6762 §6).
struct GivenUpRecords: Sendable {
    /// For look-up and pruning only.
    private var times: [RecordIdentity: (last: Instant, byFamily: PerFamily<Instant?>)] = [:]
    private var pruned = Instant.zero

    mutating func note(_ record: OwnRecord, last: Instant, limit: Int, _ now: Instant) {
        guard last.duration(to: now) < Timing.multicastGap else { return }
        if pruned.duration(to: now) >= Timing.multicastGap {
            pruned = now
            times = times.filter { $0.value.last.duration(to: now) < Timing.multicastGap }
        }
        // Bounded, whatever comes and goes (D-28).
        guard times.count < limit else { return }
        times[RecordIdentity(record.record)] = (last, record.lastMulticast)
    }

    mutating func removeTimes(of record: ResourceRecord) -> PerFamily<Instant?>? {
        guard !times.isEmpty else { return nil }
        return times.removeValue(forKey: RecordIdentity(record))?.byFamily
    }
}
