import DNSMessages
import NetworkPrimitives

/// Records that were ours a moment ago.
///
/// One that comes back within a second, as a shared record does when its service gets another
/// name, is still under the rate limit (M6-21). One that is received is our own earlier data, late
/// or repeated by a reflector, and no conflict (RFC 6762 §9).
struct RecentlyWithdrawnRecords: Sendable {
    private struct Entry {
        let withdrawn: Instant
        let lastMulticast: PerFamily<Instant?>
    }

    /// For look-up and pruning only.
    private var entries: [RecordIdentity: Entry] = [:]
    private var pruned = Instant.zero

    /// Remembers a record, of at most `limit` (D-28).
    mutating func insert(_ record: OwnRecord, limit: Int, at now: Instant) {
        if pruned.duration(to: now) >= Timing.multicastInterval {
            pruned = now
            entries = entries.filter {
                $0.value.withdrawn.duration(to: now) < Timing.earlierDataLifetime
            }
        }
        guard entries.count < limit else { return }
        entries[RecordIdentity(record.record)] = Entry(
            withdrawn: now, lastMulticast: record.lastMulticast)
    }

    func contains(_ record: ResourceRecord, at now: Instant) -> Bool {
        guard !entries.isEmpty, let entry = entries[RecordIdentity(record)] else { return false }
        return entry.withdrawn.duration(to: now) < Timing.earlierDataLifetime
    }

    /// When a record that is ours again was last multicast.
    mutating func removeTimes(of record: ResourceRecord) -> PerFamily<Instant?>? {
        guard !entries.isEmpty else { return nil }
        return entries.removeValue(forKey: RecordIdentity(record))?.lastMulticast
    }
}
