import DNSMessages
import NetworkPrimitives

/// The records heard on one interface: by identity and by name.
///
/// It holds records and bounds them; what is wanted and when to ask again is the querier's
/// business (RFC 6762 §5.2, §10).
struct RecordCache: Sendable {
    private(set) var entries: [CacheEntry] = []
    private var free: [Int32] = []
    private var identities = SlotTable()
    private var names = SlotTable()
    private var holdings: [IPAddress: Holding] = [:]
    /// Unused entries, oldest first, some of them used or gone by now.
    private var unused: [(slot: Int32, stamp: UInt32)] = []
    private var unusedHead = 0
    private var stamp: UInt32 = 0

    /// How much one source has in the cache.
    private struct Holding: Sendable {
        var total = 0
        var unused = 0
    }

    /// What became of a record that was to be stored.
    enum Storing: Equatable {
        case stored(Int)
        case refused
    }

    var count: Int { identities.count }

    subscript(slot: Int) -> CacheEntry {
        get { entries[slot] }
        _modify { yield &entries[slot] }
    }

    // MARK: Look-up

    /// The slot of the same record: name, class and data; the cache-flush bit and the time to
    /// live don't matter (RFC 6762 §10.2).
    func slot(of record: ResourceRecord) -> Int? {
        identities.find(hash: Self.hash(record)) { entries[$0].record.isSameRecord(as: record) }
    }

    /// The first slot of that name. Walk on with `slot(after:)`; the walk holds no copy of the
    /// entries, so they may be changed on the way.
    func firstSlot(named name: DomainName) -> Int? { head(of: name) }

    /// The next slot of the same name.
    func slot(after slot: Int) -> Int? {
        let next = entries[slot].next
        return next < 0 ? nil : Int(next)
    }

    /// The slots of all records of that name, in a fixed order.
    func slots(named name: DomainName) -> [Int] {
        var slots: [Int] = []
        var at = firstSlot(named: name)
        while let slot = at {
            slots.append(slot)
            at = self.slot(after: slot)
        }
        return slots
    }

    /// How many records of that name are cached.
    func count(named name: DomainName) -> Int {
        head(of: name).map { Int(entries[$0].chainLength) } ?? 0
    }

    /// All slots in use, in order of their numbers.
    var liveSlots: [Int] { entries.indices.filter { entries[$0].isLive } }

    private func head(of name: DomainName) -> Int? {
        names.find(hash: name.hashValue) { entries[$0].record.name == name }
    }

    private static func hash(_ record: ResourceRecord) -> Int {
        var hasher = Hasher()
        hasher.combine(record.name)
        hasher.combine(record.data)
        return hasher.finalize()
    }

    // MARK: Change

    /// Stores a record that is not there yet, if the limits allow; room is made at the expense
    /// of records that no running query uses.
    ///
    /// `evicting` gets every record that has to go.
    mutating func store(
        _ record: ResourceRecord, from source: IPAddress, isUsed: Bool, at now: Instant,
        limits: Limits, evicting: (CacheEntry) -> Void
    ) -> Storing {
        let holding = holdings[source] ?? Holding()
        // One source has its share, whatever it sends (D-28).
        guard holding.total < limits.cachedRecordsPerSource,
            isUsed || holding.unused < limits.unusedRecordsPerSource
        else { return .refused }
        let head = head(of: record.name)
        // One name has its share (D-28).
        if let head, entries[head].chainLength >= limits.cachedRecordsPerName { return .refused }
        // What nobody asked for makes room, the oldest first; what is in use stays (D-28).
        if count >= limits.cachedRecords {
            guard let victim = oldestUnused() else { return .refused }
            evicting(entries[victim])
            remove(victim)
        }
        return .stored(insert(record, from: source, isUsed: isUsed, at: now))
    }

    private mutating func insert(
        _ record: ResourceRecord, from source: IPAddress, isUsed: Bool, at now: Instant
    ) -> Int {
        // Looked up again: the eviction may have emptied the list of this very name.
        let head = head(of: record.name)
        var record = record
        // One copy of a name serves all of its records.
        record.name = head.map { entries[$0].record.name } ?? record.name.compacted
        if case .ptr(let target) = record.data {
            record.data = .ptr(
                self.head(of: target).map { entries[$0].record.name } ?? target.compacted)
        } else {
            record.data = record.data.compacted
        }
        stamp &+= 1
        var entry = CacheEntry(
            record: record, received: now, expiry: now.advanced(by: record.timeToLive.duration),
            source: source, stamp: stamp)
        entry.isUsed = isUsed
        let slot: Int
        if let reused = free.popLast() {
            slot = Int(reused)
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
        }
        link(slot, behind: head)
        identities.insert(slot, hash: Self.hash(record)) { [entries] in
            Self.hash(entries[$0].record)
        }
        holdings[source, default: Holding()].total += 1
        if !isUsed { noteUnused(slot) }
        return slot
    }

    /// New records go behind the head of their name's list: a place that is found at once.
    private mutating func link(_ slot: Int, behind head: Int?) {
        guard let head else {
            names.insert(slot, hash: entries[slot].record.name.hashValue) { [entries] in
                entries[$0].record.name.hashValue
            }
            return
        }
        let next = entries[head].next
        entries[head].chainLength += 1
        entries[slot].previous = Int32(head)
        entries[slot].next = next
        entries[head].next = Int32(slot)
        if next >= 0 { entries[Int(next)].previous = Int32(slot) }
    }

    /// Takes a record out.
    mutating func remove(_ slot: Int) {
        let entry = entries[slot]
        guard entry.isLive else { return }
        identities.remove(slot, hash: Self.hash(entry.record)) { [entries] in
            Self.hash(entries[$0].record)
        }
        if entry.previous >= 0 {
            if let head = head(of: entry.record.name) { entries[head].chainLength -= 1 }
            entries[Int(entry.previous)].next = entry.next
        } else if entry.next >= 0 {
            entries[Int(entry.next)].chainLength = entry.chainLength - 1
            names.replace(slot, with: Int(entry.next), hash: entry.record.name.hashValue)
        } else {
            names.remove(slot, hash: entry.record.name.hashValue) { [entries] in
                entries[$0].record.name.hashValue
            }
        }
        if entry.next >= 0 { entries[Int(entry.next)].previous = entry.previous }
        release(entry)
        entries[slot] = .blank
        free.append(Int32(slot))
    }

    private mutating func release(_ entry: CacheEntry) {
        guard var holding = holdings[entry.source] else { return }
        holding.total -= 1
        if !entry.isUsed { holding.unused -= 1 }
        holdings[entry.source] = holding.total > 0 ? holding : nil
    }

    /// Notes whether a running query uses the record.
    mutating func setUsed(_ slot: Int, _ isUsed: Bool) {
        guard entries[slot].isUsed != isUsed else { return }
        entries[slot].isUsed = isUsed
        if isUsed {
            holdings[entries[slot].source]?.unused -= 1
        } else {
            noteUnused(slot)
        }
    }

    private mutating func noteUnused(_ slot: Int) {
        holdings[entries[slot].source]?.unused += 1
        if unused.count - unusedHead > 2 * count + 64 || unusedHead > unused.count / 2 + 64 {
            compactUnused()
        }
        unused.append((Int32(slot), entries[slot].stamp))
    }

    private mutating func compactUnused() {
        unused = unused[unusedHead...].filter { isUnused($0.slot, $0.stamp) }
        unusedHead = 0
    }

    private mutating func oldestUnused() -> Int? {
        while unusedHead < unused.count {
            let (slot, stamp) = unused[unusedHead]
            unusedHead += 1
            if isUnused(slot, stamp) { return Int(slot) }
        }
        return nil
    }

    private func isUnused(_ slot: Int32, _ stamp: UInt32) -> Bool {
        let entry = entries[Int(slot)]
        return entry.isLive && entry.stamp == stamp && !entry.isUsed
    }
}

extension CacheEntry {
    /// What an empty slot holds.
    static let blank: CacheEntry = {
        var entry = CacheEntry(
            record: ResourceRecord(.root, .unknown(.any, []), timeToLive: .goodbye),
            received: .zero, expiry: .never, source: .v4(.unspecified), stamp: 0)
        entry.isLive = false
        return entry
    }()
}
