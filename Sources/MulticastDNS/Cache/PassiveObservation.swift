import DNSMessages
import NetworkPrimitives

// Passive observation of failures. Read RFC 6762 §10.5.

extension RecordCache {
    /// Another host asks: after two of its queries without an answer a record is gone in ten
    /// seconds, unless it is received again; we ask nothing ourselves (RFC 6762 §10.5).
    ///
    /// Returned are wanted records that came to us alone the last time: their owner may answer the
    /// others by unicast as well (M6-20), so that only a query of our own can tell (§10.4).
    /// Sets larger than any that is worth the walk are not watched (D-28).
    mutating func observe(
        _ question: Question, _ name: HashedName, known: [ResourceRecord],
        _ family: AddressFamily, _ context: Context
    ) -> [ResourceRecord] {
        let now = context.now
        guard count(named: name) <= context.limits.observedSetSize else { return [] }
        var uncertain: [ResourceRecord] = []
        for slot in slots(named: name) {
            // A question that the owner received and had to answer (M10-25): one that spoke over
            // the other family may not have received it, and a host that asks over both asks once.
            let record = entries[slot].record
            guard question.matches(type: record.type, recordClass: record.recordClass),
                sources[entries[slot].source].address.family == family,
                // Its owner need not repeat what it multicast within the last second, nor what
                // the querier knows.
                entries[slot].received.duration(to: now) > Timing.multicastInterval,
                !known.contains(where: { $0.isSameRecord(as: record) }),
                entries[slot].unansweredQueries < Timing.unansweredQueryCount
            else { continue }
            entries[slot].unansweredQueries += 1
            guard entries[slot].unansweredQueries == Timing.unansweredQueryCount else { continue }
            if entries[slot].isUsed, !entries[slot].wasMulticast {
                uncertain.append(record)
            } else {
                shorten(slot, to: now.advanced(by: Timing.reconfirmationTimeout))
            }
        }
        return uncertain
    }
}
