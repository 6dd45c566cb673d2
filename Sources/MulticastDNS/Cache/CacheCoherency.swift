import DNSMessages
import NetworkPrimitives

// What a response does to the cache. Read RFC 6762 §10.1 (goodbye) and §10.2 (cache flush).

/// How a record was received.
struct Reception: Sendable {
    let name: HashedName
    let source: IPAddress
    /// Whether it was sent to the group.
    let isMulticast: Bool
    /// Whether a running query asks for it.
    let isUsed: Bool
    /// Whether the response answers a query of ours.
    let isSolicited: Bool
}

extension RecordCache {
    /// Stores a record of a response, renews it, or brings its end forward if it is a goodbye.
    mutating func process(
        _ record: ResourceRecord, _ reception: Reception, _ context: inout Context
    ) {
        if let slot = slot(of: record, reception.name) {
            if record.timeToLive == .goodbye {
                shorten(slot, to: rescueEnd(of: slot, from: reception.source, context.now))
            } else {
                renew(slot, with: record, reception, &context)
            }
            return
        }
        // Goodbyes for unknown records are ignored (M10-4), and OPT, which has no lifetime
        // (§10.2, M10-18).
        guard record.timeToLive > .goodbye else { return }
        guard makeRoom(for: reception, &context) else {
            context.statistics.cacheRefused += 1
            if reception.isUsed { note(.refused, record, reception.name) }
            return
        }
        var record = record
        record.timeToLive = min(record.timeToLive, Timing.longestTimeToLive)
        let slot = insert(record, reception, at: context.now)
        entries[slot].planRefreshes(&context)
        if reception.isUsed { note(.added, entries[slot].record, reception.name) }
        schedule(slot)
    }

    /// Until when another holder of a record may rescue it from a goodbye: for a second (RFC 6762
    /// §10.1, M10-4), which begins now if the goodbye comes from the record's own source. One of
    /// anybody else, mistaken or forged, leaves that second from when the source may multicast
    /// the record again (§6), or no source could ever rescue it (M10-5).
    private func rescueEnd(of slot: Int32, from address: IPAddress, _ now: Instant) -> Instant {
        let isOwn = sources[entries[slot].source].address == address
        let again = entries[slot].received.advanced(by: Timing.multicastInterval)
        return (isOwn ? now : max(now, again)).advanced(by: Timing.goodbyeGrace)
    }

    /// The same record was received again. What another source says shortens its life by no more
    /// than a goodbye does (RFC 6762 §6.6, M10-4, M10-17).
    private mutating func renew(
        _ slot: Int32, with record: ResourceRecord, _ reception: Reception,
        _ context: inout Context
    ) {
        let timeToLive = min(record.timeToLive, Timing.longestTimeToLive)
        var expiry = context.now.advanced(by: timeToLive.duration)
        if sources[entries[slot].source].address == reception.source {
            entries[slot].record.cacheFlush = record.cacheFlush
        } else {
            let end = rescueEnd(of: slot, from: reception.source, context.now)
            expiry = max(expiry, min(entries[slot].expiry, end))
        }
        entries[slot].wasMulticast = reception.isMulticast
        let isReported = entries[slot].needsReconfirmation || entries[slot].record.cacheFlush
        entries[slot].renew(
            timeToLive, until: expiry, isSolicited: reception.isSolicited, &context)
        schedule(slot)
        if isReported, entries[slot].isUsed { note(.renewed, entries[slot].record, reception.name) }
    }

    /// Members of the same set that are older than a second go in a second; younger ones, and
    /// those of exactly a second, may be part of the same answer (RFC 6762 §10.2, M10-8, A-9).
    /// All cached records are of one class: others are not read (D-18).
    ///
    /// What another source shares with others is no part of this one's set. Names with more
    /// records than any unique set has are not walked (D-28).
    mutating func flushOthers(
        than record: ResourceRecord, _ name: HashedName, from address: IPAddress,
        _ context: Context
    ) {
        guard count(named: name) <= context.limits.flushedSetSize else { return }
        for slot in slots(named: name) {
            let isOwn = sources[entries[slot].source].address == address
            let hasCacheFlush = entries[slot].record.cacheFlush
            guard entries[slot].record.type == record.type, hasCacheFlush || isOwn,
                entries[slot].received.duration(to: context.now) > Timing.flushGrace
            else { continue }
            if hasCacheFlush, !entries[slot].needsReconfirmation {
                note(.superseded, entries[slot].record, name)
            }
            shorten(slot, to: context.now.advanced(by: Timing.flushGrace))
        }
    }
}
