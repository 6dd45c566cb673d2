import DNSMessages
import NetworkPrimitives

// What a response does to the cache. Read RFC 6762 §10.1 (goodbye) and §10.2 (cache flush).

extension RecordCache {
    /// Stores a record of a response, renews it, or brings its end forward if it is a goodbye.
    ///
    /// `isSolicited` tells that the response answers a query of ours.
    mutating func process(
        _ record: ResourceRecord, _ name: HashedName, from address: IPAddress, isUsed: Bool,
        isSolicited: Bool, _ context: inout Context
    ) {
        var record = record
        record.timeToLive = min(record.timeToLive, Timing.longestTimeToLive)
        if let handle = handle(of: record, name) {
            if record.timeToLive == .goodbye {
                // A second in which another holder may rescue it (RFC 6762 §10.1, M10-4).
                let rescue = earliestRescue(of: handle, from: address, context.now)
                shorten(handle, to: rescue.advanced(by: Timing.goodbyeGrace))
            } else {
                renew(handle, with: record, from: address, isSolicited: isSolicited, &context)
            }
            return
        }
        // Goodbyes for unknown records are ignored (M10-4), and OPT, which has no lifetime
        // (§10.2, M10-18).
        guard record.timeToLive > .goodbye else { return }
        let newcomer = Newcomer(address: address, isUsed: isUsed, isSolicited: isSolicited)
        guard makeRoom(for: newcomer, named: name, &context) else {
            context.statistics.cacheRefused += 1
            if isUsed { effects.append(.refused(record)) }
            return
        }
        let handle = insert(
            record, name, from: address, isUsed: isUsed, isConfirmed: isSolicited,
            at: context.now)
        if isUsed {
            planRefresh(handle, &context)
            effects.append(.added(entries[handle].record))
        }
        schedule(handle)
    }

    /// When the second begins that a goodbye leaves: now if it comes from the record's own
    /// source. A goodbye of anybody else, mistaken or forged, leaves that second from when the
    /// source may multicast the record again (RFC 6762 §6), or no source could ever rescue it
    /// (§10.1, M10-4, M10-5).
    private func earliestRescue(
        of handle: CacheHandle, from address: IPAddress, _ now: Instant
    ) -> Instant {
        guard sources[entries[handle].source].address != address else { return now }
        return max(now, entries[handle].received.advanced(by: Timing.multicastInterval))
    }

    /// The same record was received again: its lifetime starts anew (M5-13). What another source
    /// says shortens it by no more than a goodbye does (M10-4, M10-17).
    private mutating func renew(
        _ handle: CacheHandle, with record: ResourceRecord, from address: IPAddress,
        isSolicited: Bool, _ context: inout Context
    ) {
        let before = entries[handle]
        var expiry = context.now.advanced(by: record.timeToLive.duration)
        if sources[before.source].address == address {
            entries[handle].record.cacheFlush = record.cacheFlush
        } else {
            // Another source leaves it a second or two, as with a goodbye (RFC 6762 §6.6).
            let rescue = earliestRescue(of: handle, from: address, context.now)
            expiry = max(expiry, min(before.expiry, rescue.advanced(by: Timing.goodbyeGrace)))
        }
        entries[handle].record.timeToLive = record.timeToLive
        // The lifetime starts anew (RFC 6762 §5.2, M5-13), and so does the age that a flush
        // looks at (§10.2, M10-8).
        entries[handle].received = context.now
        entries[handle].expiry = expiry
        entries[handle].refreshStage = 0
        // Whoever answers lives (RFC 6762 §10.4, §10.5, M10-23, M10-25).
        entries[handle].unansweredQueries = 0
        entries[handle].needsReconfirmation = false
        entries[handle].isConfirmed =
            before.isConfirmed || isSolicited
            || before.received.duration(to: context.now) >= Timing.multicastInterval
        planRefresh(handle, &context)
        schedule(handle)
        if before.needsReconfirmation || entries[handle].record.cacheFlush {
            effects.append(.renewed(entries[handle].record))
        }
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
        let type = record.type
        var at = first(named: name)
        while let handle = at {
            at = self.handle(after: handle)
            let entry = entries[handle]
            guard entry.record.type == type,
                entry.record.cacheFlush || sources[entry.source].address == address,
                entry.received.duration(to: context.now) > Timing.flushGrace
            else { continue }
            let wasSuperseded = entry.needsReconfirmation
            shorten(handle, to: context.now.advanced(by: Timing.flushGrace))
            if entry.record.cacheFlush, !wasSuperseded {
                effects.append(.superseded(entry.record))
            }
        }
    }
}
