import DNSMessages
import NetworkPrimitives

/// One of our records on one interface.
struct OwnRecord: Sendable {
    /// The record with its true time to live and without the cache-flush bit.
    var record: ResourceRecord
    var ownership: RecordSet.Ownership
    /// The publications it belongs to; it goes when the last of them does.
    var holders: [PublicationID]
    /// Whether it may be answered with: one of its publications has won its names.
    var isActive = false
    /// Whether it was ever announced or answered with, so that a goodbye is due for it.
    var wasMulticast = false
    /// A synthesized NSEC: says which types the name has (RFC 6762 §6.1).
    var isNegative = false
    /// When it was last multicast, by family.
    var lastMulticast = PerFamily<Instant?>(nil)
    /// The multicast answer it is planned for.
    var pending: PendingAnswer?
    /// The last walk that met it, so that a walk takes it once.
    var mark: UInt32 = 0

    var isUnique: Bool { ownership != .shared }

    /// When it was last multicast by any of these families.
    func lastMulticast(by families: FamilySet) -> Instant? {
        var latest: Instant?
        for family in families.members {
            if let time = lastMulticast[family], latest.map({ $0 < time }) ?? true { latest = time }
        }
        return latest
    }
}

/// A value for each of the two families.
struct PerFamily<Value: Sendable>: Sendable {
    private var ipv4: Value
    private var ipv6: Value

    init(_ value: Value) {
        ipv4 = value
        ipv6 = value
    }

    subscript(family: AddressFamily) -> Value {
        get { family == .ipv4 ? ipv4 : ipv6 }
        set { if family == .ipv4 { ipv4 = newValue } else { ipv6 = newValue } }
    }
}

/// Some of the two families; always walked in the same order.
struct FamilySet: OptionSet, Hashable, Sendable {
    var rawValue: UInt8

    static let ipv4 = FamilySet(rawValue: 1)
    static let ipv6 = FamilySet(rawValue: 2)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ family: AddressFamily) {
        self = family == .ipv4 ? .ipv4 : .ipv6
    }

    var members: [AddressFamily] {
        switch rawValue & 3 {
        case 1: [.ipv4]
        case 2: [.ipv6]
        case 3: [.ipv4, .ipv6]
        default: []
        }
    }

    func contains(_ family: AddressFamily) -> Bool { contains(FamilySet(family)) }
}

/// Our records on one interface, found by name.
struct OwnRecords: Sendable {
    private var records: [OwnRecord] = []
    private var free: [Int] = []
    /// For look-up only, never walked.
    private var slotsByName: [DomainName: [Int]] = [:]
    /// For look-up only, never walked.
    private var slotsByIdentity: [RecordIdentity: Int] = [:]
    private var lastMark: UInt32 = 0

    subscript(slot: Int) -> OwnRecord {
        get { records[slot] }
        _modify { yield &records[slot] }
    }

    /// All slots of a name, in the order they were added.
    func slots(named name: DomainName) -> [Int] { slotsByName[name] ?? [] }

    func contains(name: DomainName) -> Bool { slotsByName[name] != nil }

    /// The slot of the same record.
    func slot(of record: ResourceRecord) -> Int? {
        slotsByIdentity[RecordIdentity(record)]
    }

    /// The same among the slots of the record's name; where these are few, as with most names,
    /// without a look at all of the data for its hash.
    func slot(of record: ResourceRecord, among named: [Int]) -> Int? {
        guard named.count <= 8 else { return slot(of: record) }
        return named.first {
            !records[$0].isNegative && records[$0].record.isSameRecord(as: record)
        }
    }

    /// Whether the name is ours alone and won: something unique of it is active (RFC 6762 §6.1).
    func ownsName(_ name: DomainName) -> Bool {
        slots(named: name).contains { self[$0].isActive && self[$0].isUnique }
    }

    mutating func add(_ record: OwnRecord) -> Int {
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            records[slot] = record
        } else {
            slot = records.count
            records.append(record)
        }
        slotsByName[record.record.name, default: []].append(slot)
        if !record.isNegative { slotsByIdentity[RecordIdentity(record.record)] = slot }
        return slot
    }

    mutating func remove(_ slot: Int) {
        let name = records[slot].record.name
        if !records[slot].isNegative {
            slotsByIdentity[RecordIdentity(records[slot].record)] = nil
        }
        slotsByName[name]?.removeAll { $0 == slot }
        if slotsByName[name]?.isEmpty ?? false { slotsByName[name] = nil }
        records[slot] = .blank
        free.append(slot)
    }

    /// Begins a walk that meets every record once.
    mutating func beginWalk() -> UInt32 {
        lastMark &+= 1
        return lastMark
    }

    /// Whether this walk meets the record for the first time.
    mutating func meets(_ slot: Int, in walk: UInt32) -> Bool {
        guard self[slot].mark != walk else { return false }
        self[slot].mark = walk
        return true
    }

    /// The slot of the name's NSEC, brought up to date, made if it is not there yet
    /// (RFC 6762 §6.1). The name must be owned.
    mutating func negativeSlot(for name: DomainName) -> Int {
        let slots = slots(named: name)
        var types: [RecordType] = []
        var timeToLive = TimeToLive.standard
        var negative: Int?
        var owner = name
        for slot in slots {
            let own = self[slot]
            if own.isNegative {
                negative = slot
            } else if own.isActive {
                // Only what is won is there (RFC 6762 §6.1, M6-24, M6-37).
                types.append(own.record.type)
                timeToLive = min(timeToLive, own.record.timeToLive)
                owner = own.record.name
            }
        }
        let record = ResourceRecord(
            owner, .nsec(NextSecure(nextName: owner, types: types)), timeToLive: timeToLive)
        if let negative {
            if self[negative].record != record { self[negative].record = record }
            return negative
        }
        var own = OwnRecord(record: record, ownership: .knownUnique, holders: [])
        own.isActive = true
        own.isNegative = true
        return add(own)
    }

    /// Takes the NSEC of a name away once nothing else of the name is left.
    mutating func takeOrphanedNegative(of name: DomainName) -> OwnRecord? {
        let slots = slots(named: name)
        guard let only = slots.first, slots.count == 1, self[only].isNegative else { return nil }
        let negative = self[only]
        remove(only)
        return negative
    }
}

extension OwnRecord {
    static let blank: OwnRecord = {
        OwnRecord(
            record: ResourceRecord(.root, .unknown(.any, []), timeToLive: .goodbye),
            ownership: .shared, holders: [])
    }()
}
