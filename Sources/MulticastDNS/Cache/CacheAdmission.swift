import DNSMessages
import NetworkPrimitives

// Who finds room in the cache, and at whose expense. No RFC says anything about it; a link may
// hold any number of hosts that flood it (D-28).

/// A record that is to be stored, as far as the limits are concerned.
struct Newcomer {
    let address: IPAddress
    let isUsed: Bool
    /// Whether it answers a query of ours.
    let isSolicited: Bool
}

extension RecordCache {
    /// So many records are drawn to find one to evict: enough that a source with a fifth of a
    /// name's records is among them almost surely, and bounded work for each packet of a flood.
    private static let sampleSize = 64

    /// Makes room for a record where limits are reached; false if there is none for it.
    ///
    /// A source with few records finds room at the expense of one with many, and what answered a
    /// query of ours at the expense of what was received once and unasked: so neither a flood nor
    /// records in a host's name that it never sent keep a host out.
    mutating func makeRoom(
        for newcomer: Newcomer, named name: HashedName, _ context: inout Context
    ) -> Bool {
        let limits = context.limits
        if let handle = sourcesByAddress[newcomer.address] {
            let source = sources[handle]
            if !newcomer.isUsed, source.unusedCount >= limits.unusedRecordsPerSource {
                // The oldest that is unused makes room for what came with an answer.
                guard newcomer.isSolicited, let oldest = oldestUnused(of: handle) else {
                    return false
                }
                evict(oldest, &context)
            } else if source.count >= limits.cachedRecordsPerSource {
                let own = sample(&context).filter { entries[$0].source == handle }
                guard let victim = own.min(by: { goes($0, before: $1) }),
                    yields(victim, to: newcomer)
                else { return false }
                evict(victim, &context)
            }
        }
        if let head = first(named: name),
            Int(entries[head].nameCount) >= limits.cachedRecordsPerName
        {
            guard let victim = sample(of: head, &context).min(by: { goes($0, before: $1) }),
                yields(victim, to: newcomer)
            else { return false }
            evict(victim, &context)
        }
        if count >= limits.cachedRecords {
            guard let victim = sample(&context).min(by: { goes($0, before: $1) }),
                yields(victim, to: newcomer)
            else { return false }
            evict(victim, &context)
        }
        return true
    }

    /// Unused records go first, then those received once and unasked, then those of the source
    /// with most records, then the newest.
    private func goes(_ left: CacheHandle, before right: CacheHandle) -> Bool {
        let (a, b) = (entries[left], entries[right])
        if a.isUsed != b.isUsed { return b.isUsed }
        if a.isConfirmed != b.isConfirmed { return b.isConfirmed }
        let (most, fewer) = (sources[a.source].count, sources[b.source].count)
        return most != fewer ? most > fewer : a.received > b.received
    }

    /// Whether the record makes room for the newcomer.
    private func yields(_ handle: CacheHandle, to newcomer: Newcomer) -> Bool {
        let entry = entries[handle]
        if entry.isUsed != newcomer.isUsed { return newcomer.isUsed }
        if newcomer.isSolicited, !entry.isConfirmed { return true }
        let own = sourcesByAddress[newcomer.address].map { sources[$0].count } ?? 0
        return sources[entry.source].count > own
    }

    private mutating func evict(_ handle: CacheHandle, _ context: inout Context) {
        let entry = remove(handle)
        context.statistics.cacheEvicted += 1
        if entry.isUsed { effects.append(.evicted(entry.record)) }
    }

    private mutating func oldestUnused(of source: SlotHandle<CacheSource>) -> CacheHandle? {
        while let handle = sources[source].unused.popFirst() {
            if entries.contains(handle), !entries[handle].isUsed { return handle }
        }
        return nil
    }

    /// Some records of a name: those among a sample of all. Where they are a small part of all,
    /// the first ones of its list.
    private func sample(of head: CacheHandle, _ context: inout Context) -> [CacheHandle] {
        let name = entries[head].record.name
        var drawn = sample(&context).filter { entries[$0].record.name == name }
        var at: CacheHandle? = drawn.count < Self.sampleSize / 8 ? head : nil
        while let handle = at, drawn.count < Self.sampleSize {
            drawn.append(handle)
            at = self.handle(after: handle)
        }
        return drawn
    }

    /// Some records, drawn at random: one source's follow each other in the slots.
    private func sample(_ context: inout Context) -> [CacheHandle] {
        let slots = 0..<Int32(entries.slotCount)
        return (0..<Self.sampleSize).compactMap { _ in
            entries.handleIfUsed(at: .random(in: slots, using: &context.generator))
        }
    }
}
