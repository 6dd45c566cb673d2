import DNSMessages
import NetworkPrimitives

// Who finds room in the cache, and at whose expense. No RFC says anything about it; a link may
// hold any number of hosts that flood it (D-28).

extension RecordCache {
    /// So many records are drawn to find one to evict: enough that a source with a fifth of a
    /// name's records is among them almost surely, and bounded work for each packet of a flood.
    private static let sampleSize = 64

    /// Makes room for a record where limits are reached; false if there is none for it.
    ///
    /// A source with few records finds room at the expense of one with many, and what answered a
    /// query of ours at the expense of what was received once and unasked: so neither a flood nor
    /// records in a host's name that it never sent keep a host out.
    mutating func makeRoom(for newcomer: Reception, _ context: inout Context) -> Bool {
        let limits = context.limits
        if let source = sourcesByAddress[newcomer.source] {
            let oldest = oldestUnused(of: source)
            if !newcomer.isUsed, unused.count(from: oldest) >= limits.unusedRecordsPerSource {
                // The oldest that is unused makes room for what came with an answer.
                guard newcomer.isSolicited, let oldest else { return false }
                evict(oldest, &context)
            } else if sources[source].count >= limits.cachedRecordsPerSource {
                let own = sample(&context).filter { entries[$0].source == source }
                guard evictOne(of: own, for: newcomer, &context) else { return false }
            }
        }
        if count(named: newcomer.name) >= limits.cachedRecordsPerName {
            let namesakes = sample(named: newcomer.name, &context)
            guard evictOne(of: namesakes, for: newcomer, &context) else { return false }
        }
        return count < limits.cachedRecords
            || evictOne(of: sample(&context), for: newcomer, &context)
    }

    /// Unused records go first, then those received once and unasked, then those of the source
    /// with most records, then the newest.
    private func rank(_ slot: Int32) -> (Int, Int, Int, Int64) {
        (
            entries[slot].isUsed ? 1 : 0, entries[slot].isConfirmed ? 1 : 0,
            -sources[entries[slot].source].count, -entries[slot].received.nanoseconds
        )
    }

    /// Whether the record makes room for the newcomer.
    private func yields(_ slot: Int32, to newcomer: Reception) -> Bool {
        if entries[slot].isUsed != newcomer.isUsed { return newcomer.isUsed }
        if newcomer.isSolicited, !entries[slot].isConfirmed { return true }
        let own = sourcesByAddress[newcomer.source].map { sources[$0].count } ?? 0
        return sources[entries[slot].source].count > own
    }

    private mutating func evictOne(
        of slots: [Int32], for newcomer: Reception, _ context: inout Context
    ) -> Bool {
        guard let victim = slots.min(by: { rank($0) < rank($1) }), yields(victim, to: newcomer)
        else { return false }
        evict(victim, &context)
        return true
    }

    private mutating func evict(_ slot: Int32, _ context: inout Context) {
        context.statistics.cacheEvicted += 1
        remove(slot, .evicted)
    }

    /// Some records of a name: those among a sample of all. Where they are a small part of all,
    /// its last ones.
    private func sample(named name: HashedName, _ context: inout Context) -> [Int32] {
        let drawn = sample(&context).filter { entries[$0].record.name == name.name }
        guard drawn.count < Self.sampleSize / 8 else { return drawn }
        return drawn + slots(named: name, lastFirst: true).prefix(Self.sampleSize - drawn.count)
    }

    /// Some records, drawn at random: one source's follow each other in the slots.
    private func sample(_ context: inout Context) -> [Int32] {
        let slots = 0..<Int32(entries.slotCount)
        return (0..<Self.sampleSize).compactMap { _ in
            entries.handleIfUsed(at: .random(in: slots, using: &context.generator))?.index
        }
    }
}
