import DNSMessages
import NetworkPrimitives

/// The records received on one interface, by identity and by name, and when each goes.
///
/// It stores records, bounds them and ends them. Which of them a query asks for, and what to do
/// when one comes, goes or has to be asked for again, is the querier's business: it learns of it
/// by effects (RFC 6762 §5.2, §10).
struct RecordCache: Sendable {
    var entries = SlotMap(vacant: CacheEntry.vacant)
    private var identities = HashIndex()
    private var names = HashIndex()
    var sources = SlotMap(vacant: CacheSource(address: .v4(.unspecified)))
    /// For look-up only.
    var sourcesByAddress: [IPAddress: SlotHandle<CacheSource>] = [:]
    private var timers = TimerQueue<CacheHandle>()
    var effects = Queue<CacheEffect>()

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var timerCount: Int { timers.count }

    mutating func nextEffect() -> CacheEffect? { effects.popFirst() }

    // MARK: Look-up

    /// The same record: name, class and data; the cache-flush bit and the time to live do not
    /// matter (RFC 6762 §10.2).
    func handle(of record: ResourceRecord, _ name: HashedName) -> CacheHandle? {
        identities.find(hash: Self.hash(record, name)) {
            entries[entries.handle(at: $0)].record.isSameRecord(as: record)
        }.map { entries.handle(at: $0) }
    }

    func entry(of record: ResourceRecord) -> CacheEntry? {
        handle(of: record, HashedName(record.name)).map { entries[$0] }
    }

    /// The first record of that name. Walk on with `handle(after:)`; the walk holds no copy of
    /// the entries, so they may be changed on the way.
    func first(named name: HashedName) -> CacheHandle? {
        names.find(hash: name.hash) { entries[entries.handle(at: $0)].record.name == name.name }
            .map { entries.handle(at: $0) }
    }

    /// The next record of the same name.
    func handle(after handle: CacheHandle) -> CacheHandle? {
        let next = entries[handle].next
        return next < 0 ? nil : entries.handle(at: next)
    }

    /// Shows all records of that name, in a fixed order.
    func forEach(named name: HashedName, _ body: (CacheEntry) -> Void) {
        var at = first(named: name)
        while let handle = at {
            at = self.handle(after: handle)
            body(entries[handle])
        }
    }

    /// How many records of that name are cached.
    func count(named name: HashedName) -> Int {
        first(named: name).map { Int(entries[$0].nameCount) } ?? 0
    }

    private static func hash(_ record: ResourceRecord, _ name: HashedName) -> Int {
        var hasher = Hasher()
        hasher.combine(name.hash)
        hasher.combine(record.data)
        return hasher.finalize()
    }

    // MARK: Change

    mutating func insert(
        _ record: ResourceRecord, _ name: HashedName, from address: IPAddress, isUsed: Bool,
        isConfirmed: Bool, at now: Instant
    ) -> CacheHandle {
        let head = first(named: name)
        var record = record
        // One copy of a name serves all of its records.
        record.name = head.map { entries[$0].record.name } ?? record.name.compacted
        if case .ptr(let target) = record.data {
            let known = first(named: HashedName(target)).map { entries[$0].record.name }
            record.data = .ptr(known ?? target.compacted)
        } else {
            record.data = record.data.compacted
        }
        let source =
            sourcesByAddress[address] ?? sources.insert(CacheSource(address: address))
        sourcesByAddress[address] = source
        sources[source].count += 1
        let handle = entries.insert(
            CacheEntry(
                record, from: source, isUsed: isUsed, isConfirmed: isConfirmed, at: now))
        if let head {
            // Behind the head of its name's list: a place that is found at once.
            let next = entries[head].next
            entries[head].nameCount += 1
            entries[handle].previous = head.index
            entries[handle].next = next
            entries[head].next = handle.index
            if next >= 0 { entries[entries.handle(at: next)].previous = handle.index }
        } else {
            names.insert(handle.index, hash: name.hash)
        }
        identities.insert(handle.index, hash: Self.hash(record, name))
        if !isUsed { noteUnused(handle) }
        return handle
    }

    /// Takes a record out.
    @discardableResult
    mutating func remove(_ handle: CacheHandle) -> CacheEntry {
        let entry = entries[handle]
        let name = HashedName(entry.record.name)
        identities.remove(handle.index, hash: Self.hash(entry.record, name))
        let next = entry.next >= 0 ? entries.handle(at: entry.next) : nil
        if entry.previous >= 0 {
            if let head = first(named: name) { entries[head].nameCount -= 1 }
            entries[entries.handle(at: entry.previous)].next = entry.next
        } else if let next {
            entries[next].nameCount = entry.nameCount - 1
            names.replace(handle.index, with: next.index, hash: name.hash)
        } else {
            names.remove(handle.index, hash: name.hash)
        }
        if let next { entries[next].previous = entry.previous }
        sources[entry.source].count -= 1
        if !entry.isUsed { sources[entry.source].unusedCount -= 1 }
        if sources[entry.source].count == 0 {
            sourcesByAddress[sources.remove(entry.source).address] = nil
        }
        entries.remove(handle)
        return entry
    }

    private mutating func noteUnused(_ handle: CacheHandle) {
        let source = entries[handle].source
        sources[source].unusedCount += 1
        sources[source].unused.append(handle)
        guard sources[source].unused.count > 2 * sources[source].unusedCount + 64 else { return }
        // What is used or gone by now only takes up room.
        let entries = entries
        sources[source].unused.removeAll { !entries.contains($0) || entries[$0].isUsed }
    }

    /// Notes for all records of a name whether a running query asks for them.
    mutating func updateUse(
        of name: HashedName, _ context: inout Context, isUsed: (ResourceRecord) -> Bool
    ) {
        var at = first(named: name)
        while let handle = at {
            at = self.handle(after: handle)
            let isUsed = isUsed(entries[handle].record)
            guard entries[handle].isUsed != isUsed else { continue }
            entries[handle].isUsed = isUsed
            if isUsed {
                sources[entries[handle].source].unusedCount -= 1
            } else {
                noteUnused(handle)
            }
            planRefresh(handle, &context)
            schedule(handle)
        }
    }

    /// The link goes away: everything known of it does too (RFC 6762 §10.3).
    mutating func removeAll() {
        for handle in entries.handles {
            let entry = remove(handle)
            if entry.isUsed { effects.append(.removed(entry.record)) }
        }
    }
}

// MARK: - Time

extension RecordCache {
    /// The earliest refresh or end.
    var deadline: Instant? { timers.earliest }

    mutating func schedule(_ handle: CacheHandle) {
        let due = entries[handle].due
        guard due < entries[handle].timer else { return }
        entries[handle].timer = due
        timers.insert(handle, at: due)
    }

    private func counts(_ handle: CacheHandle, at time: Instant) -> Bool {
        entries.contains(handle) && entries[handle].timer == time
    }

    /// Drops timers that nobody waits for any more: those in front, so that nothing is woken
    /// for them, and those behind when they are many.
    mutating func pruneTimers() {
        while let (time, handle) = timers.first, !counts(handle, at: time) { timers.dropFirst() }
        if timers.count > 4 * (64 + count) { timers = timers.filter { counts($1, at: $0) } }
    }

    /// Asks again for records, and removes them, as their times come.
    mutating func advance(_ context: inout Context) {
        while let (time, handle) = timers.popDue(by: context.now) {
            guard counts(handle, at: time) else { continue }
            entries[handle].timer = .never
            let entry = entries[handle]
            if entry.expiry <= context.now {
                remove(handle)
                if entry.isUsed { effects.append(.removed(entry.record)) }
                continue
            }
            if entry.refresh <= context.now {
                // Only what a local client is interested in (RFC 6762 §5.2, M5-10, M5-15).
                effects.append(.refreshDue(entry.record))
                entries[handle].refreshStage += 1
                planRefresh(handle, &context)
            }
            schedule(handle)
        }
    }

    /// Plans the next of the four refreshes: at 80, 85, 90 and 95 percent of the lifetime and up
    /// to 2 percent more (RFC 6762 §5.2, M5-12). All four of a lifetime share one random extra,
    /// so that those of a record of 20 s are a whole second apart.
    mutating func planRefresh(_ handle: CacheHandle, _ context: inout Context) {
        let entry = entries[handle]
        entries[handle].refresh = .never
        // Only for who is interested (RFC 6762 §5.2, M5-15), and not what is being reconfirmed:
        // that has its queries, or may have none (§10.5, M10-26).
        guard entry.isUsed, !entry.needsReconfirmation else { return }
        let percent = entry.lifetime.wholeNanoseconds / 100
        var stage = Int(entry.refreshStage)
        var extra: Int64?
        if entry.refresh != .never, stage > 0 {
            let last = percent * Timing.refreshPercentages[stage - 1]
            extra = entry.received.duration(to: entry.refresh).wholeNanoseconds - last
        }
        while stage < Timing.refreshPercentages.count {
            let extra =
                extra
                ?? .random(
                    in: 0...percent * Timing.refreshJitterPercent, using: &context.generator)
            let wait = Duration.nanoseconds(percent * Timing.refreshPercentages[stage] + extra)
            let time = entry.received.advanced(by: wait)
            if time > context.now {
                entries[handle].refresh = time
                break
            }
            stage += 1
        }
        entries[handle].refreshStage = UInt8(stage)
    }
}
