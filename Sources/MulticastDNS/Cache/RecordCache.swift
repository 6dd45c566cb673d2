import DNSMessages
import NetworkPrimitives

/// The records received on one interface, by identity and by name, and when each goes.
///
/// It stores records, bounds them and ends them. Which of them a query asks for, and what to do
/// when one comes, goes or has to be asked for again, is the querier's business: it learns of it
/// by changes (RFC 6762 §5.2, §10). Records are referred to by their slots; all tables change
/// together.
struct RecordCache: Sendable {
    var entries = SlotMap(vacant: CacheEntry.vacant)
    private var identities = HashIndex()
    private var names = SlotGroups()
    /// The unused records of each source.
    private(set) var unused = SlotGroups()
    var sources = SlotMap(vacant: CacheSource(address: .v4(.unspecified)))
    /// For look-up only.
    private(set) var sourcesByAddress: [IPAddress: Int32] = [:]
    private var timers = DeadlineQueue()
    private var changes = Queue<CacheChange>()

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var timerCount: Int { timers.count }
    /// The earliest refresh or end; `.never` if there is nothing to do.
    var deadline: Instant { timers.earliest }

    mutating func nextChange() -> CacheChange? { changes.popFirst() }

    // MARK: Look-up

    /// The same record: name, class and data; the cache-flush bit and the time to live do not
    /// matter (RFC 6762 §10.2).
    func slot(of record: ResourceRecord, _ name: HashedName) -> Int32? {
        identities.find(hash: name.hash(of: record.data)) {
            entries[$0].record.isSameRecord(as: record)
        }
    }

    func entry(of record: ResourceRecord) -> CacheEntry? {
        slot(of: record, HashedName(record.name)).map { entries[$0] }
    }

    func first(named name: HashedName) -> Int32? {
        names.first(hash: name.hash) { entries[$0].record.name == name.name }
    }

    /// All records of that name, in the order in which they came or the last one first.
    func slots(named name: HashedName, lastFirst: Bool = false) -> SlotGroups.Slots {
        names.slots(from: first(named: name), lastFirst: lastFirst)
    }

    func count(named name: HashedName) -> Int { names.count(from: first(named: name)) }

    func forEach(named name: HashedName, lastFirst: Bool = false, _ body: (CacheEntry) -> Void) {
        for slot in slots(named: name, lastFirst: lastFirst) { body(entries[slot]) }
    }

    func oldestUnused(of source: Int32) -> Int32? {
        unused.first(hash: Int(source)) { entries[$0].source == source }
    }

    // MARK: Change

    mutating func note(_ kind: CacheChange.Kind, _ record: ResourceRecord, _ name: HashedName) {
        changes.append(CacheChange(kind: kind, record: record, name: name))
    }

    mutating func insert(_ record: ResourceRecord, _ reception: Reception, at now: Instant) -> Int32
    {
        let name = reception.name
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
        let address = reception.source
        let source =
            sourcesByAddress[address] ?? sources.insert(CacheSource(address: address)).index
        sourcesByAddress[address] = source
        sources[source].count += 1
        let entry = CacheEntry(
            record: record, isUsed: reception.isUsed, received: now,
            expiry: now.advanced(by: record.timeToLive.duration), source: source,
            isConfirmed: reception.isSolicited, wasMulticast: reception.isMulticast)
        let slot = entries.insert(entry).index
        names.insert(slot, after: head, hash: name.hash)
        identities.insert(slot, hash: name.hash(of: record.data))
        if !entry.isUsed { noteUnused(slot) }
        return slot
    }

    /// Takes a record out, which is a change if it was used.
    mutating func remove(_ slot: Int32, _ kind: CacheChange.Kind) {
        if !entries[slot].isUsed { noteUsed(slot) }
        timers.set(slot, to: .never)
        let name = HashedName(entries[slot].record.name)
        names.remove(slot, from: first(named: name) ?? slot, hash: name.hash)
        let entry = entries.remove(entries.handle(at: slot))
        identities.remove(slot, hash: name.hash(of: entry.record.data))
        sources[entry.source].count -= 1
        if sources[entry.source].count == 0 {
            sourcesByAddress[sources.remove(sources.handle(at: entry.source)).address] = nil
        }
        if entry.isUsed { note(kind, entry.record, name) }
    }

    private mutating func noteUnused(_ slot: Int32) {
        let source = entries[slot].source
        unused.insert(slot, after: oldestUnused(of: source), hash: Int(source))
    }

    private mutating func noteUsed(_ slot: Int32) {
        let source = entries[slot].source
        unused.remove(slot, from: oldestUnused(of: source) ?? slot, hash: Int(source))
    }

    /// Notes for all records of a name whether a running query asks for them.
    mutating func updateUse(
        of name: HashedName, _ context: inout Context, isUsed: (ResourceRecord) -> Bool
    ) {
        for slot in slots(named: name) where entries[slot].isUsed != isUsed(entries[slot].record) {
            entries[slot].isUsed.toggle()
            if entries[slot].isUsed { noteUsed(slot) } else { noteUnused(slot) }
            entries[slot].planRefreshes(&context)
            schedule(slot)
        }
    }

    /// The link goes away: everything known of it does too (RFC 6762 §10.3).
    mutating func removeAll() {
        for handle in entries.handles { remove(handle.index, .removed) }
    }

    // MARK: Time

    mutating func schedule(_ slot: Int32) { timers.set(slot, to: entries[slot].due) }

    /// Asks again for records, and removes them, as their times come.
    mutating func advance(to now: Instant) {
        while let slot = timers.popDue(by: now) {
            if entries[slot].expiry <= now {
                remove(slot, .removed)
                continue
            }
            // Only what a local client is interested in (RFC 6762 §5.2, M5-10, M5-15).
            let record = entries[slot].record
            note(.refreshDue, record, HashedName(record.name))
            entries[slot].passRefreshes(now)
            schedule(slot)
        }
    }
}
