import DNSMessages
import NetworkPrimitives

// Passive observation of failures. Read RFC 6762 §10.5.

extension RecordCache {
    /// Another host asks: after two of its queries without an answer a record is gone in ten
    /// seconds, unless it is received again; we ask nothing ourselves (RFC 6762 §10.5).
    ///
    /// Sets larger than any that is worth the walk are not watched (D-28).
    mutating func observe(
        _ question: Question, known: [ResourceRecord], _ family: AddressFamily,
        _ context: Context
    ) {
        let now = context.now
        let name = HashedName(question.name)
        guard count(named: name) <= context.limits.observedSetSize else { return }
        var at = first(named: name)
        while let handle = at {
            at = self.handle(after: handle)
            let entry = entries[handle]
            // A question that the owner received and had to answer (M10-25).
            guard question.matches(type: entry.record.type, recordClass: entry.record.recordClass),
                // An owner that spoke over the other family may not have received the question,
                // and a host that asks over both asks once.
                sources[entry.source].address.family == family,
                // Its owner need not repeat what it multicast within the last second, nor what
                // the querier knows.
                entry.received.duration(to: now) > Timing.multicastInterval,
                !known.contains(where: { $0.isSameRecord(as: entry.record) })
            else { continue }
            let count = entry.unansweredQueries &+ 1
            entries[handle].unansweredQueries = min(count, UInt8(Timing.unansweredQueryCount))
            if count == UInt8(Timing.unansweredQueryCount) {
                shorten(handle, to: now.advanced(by: Timing.reconfirmationTimeout))
            }
        }
    }
}
