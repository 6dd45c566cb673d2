import DNSMessages
import NetworkPrimitives

// Records that may be stale. Read RFC 6762 §10.3 and §10.4.

extension RecordCache {
    /// Brings the end of a record forward, without asking for it again on the way: repeated
    /// goodbyes do not put the end off (RFC 6762 §10.1, M10-4), and what others' queries make
    /// uncertain is not asked for (§10.5, M10-26) nor listed as known.
    mutating func shorten(_ slot: Int32, to expiry: Instant) {
        entries[slot].expiry = min(entries[slot].expiry, expiry)
        entries[slot].needsReconfirmation = true
        schedule(slot)
    }

    /// After sleep or a change of the network, cached records have ten seconds to be received
    /// again (RFC 6762 §10.3).
    mutating func reconfirmAll(at now: Instant) {
        let end = now.advanced(by: Timing.reconfirmationTimeout)
        for handle in entries.handles { shorten(handle.index, to: end) }
    }
}

extension Link {
    mutating func reconfirm(_ record: ResourceRecord, _ context: inout Context) {
        let name = HashedName(record.name)
        guard let slot = cache.slot(of: record, name) else { return }
        let end = context.now.advanced(by: Timing.reconfirmationTimeout)
        cache.shorten(slot, to: end)
        querier.reconfirm(record, name, until: end, &context)
        processChanges(&context)
    }

    /// Reconfirms what said the same as a record that its owner has replaced: the reverse mapping
    /// of a host's former address, or the address of a host that its reverse mapping named
    /// (RFC 6762 §10.3, §10.4). One record depends on another in this way, not more.
    mutating func reconfirmDependents(of record: ResourceRecord, _ context: inout Context) {
        let dependent: ResourceRecord
        if let address = record.data.address {
            let name = ReverseMapping.name(of: address)
            dependent = ResourceRecord(name, .ptr(record.name), timeToLive: .host)
        } else if case .ptr(let host) = record.data,
            let address = ReverseMapping.address(of: record.name)
        {
            dependent = ResourceRecord(host, RecordData(address), timeToLive: .host)
        } else {
            return
        }
        // What is being reconfirmed already, or was received just now, is not asked for anew.
        guard let entry = cache.entry(of: dependent), entry.isUsed, !entry.needsReconfirmation,
            entry.received.duration(to: context.now) > Timing.flushGrace
        else { return }
        reconfirm(dependent, &context)
    }
}
