import DNSMessages
import NetworkPrimitives

typealias RecordHandle = SlotHandle<OwnRecord>
typealias OwnNameHandle = SlotHandle<OwnName>

/// One of our records on one interface.
struct OwnRecord: Sendable {
    /// The record with its true time to live and without the cache-flush bit.
    var record: ResourceRecord
    let ownership: RecordSet.Ownership
    /// The publications it belongs to; it goes when the last of them does.
    var holders: [PublicationID]
    /// The record's type, without a look at its data.
    let type: RecordType
    fileprivate(set) var name = OwnNameHandle.none
    fileprivate var target = OwnNameHandle.none
    /// Whether it may be answered with: one of its publications has claimed its names.
    fileprivate(set) var isActive = false
    /// A synthesized NSEC: says which types the name has (RFC 6762 §6.1).
    fileprivate(set) var isNegative = false
    /// When it was last multicast, by family.
    var lastMulticast = PerFamily<Instant?>(nil)
    /// Whether it was ever announced or answered with, so that a goodbye is due for it.
    var wasMulticast = false
    /// The multicast answer it is scheduled for: it stands in the list of these then.
    var pending: PendingAnswer?

    init(_ record: ResourceRecord, _ ownership: RecordSet.Ownership, holders: [PublicationID]) {
        self.record = record
        type = record.type
        self.ownership = ownership
        self.holders = holders
    }

    var isUnique: Bool { ownership != .shared }

    /// Whether it was last multicast by the family so long ago, or never (M6-21, M6-23).
    func mayLeave(by family: AddressFamily, after interval: Duration, at now: Instant) -> Bool {
        lastMulticast[family].map { $0.advanced(by: interval) <= now } ?? true
    }

    mutating func noteMulticast(by family: AddressFamily, at now: Instant) {
        lastMulticast[family] = now
        wasMulticast = true
        pending?.families.remove(FamilySet(family))
    }

    static let vacant = OwnRecord(
        ResourceRecord(.root, .unknown(.any, []), timeToLive: .goodbye), .shared, holders: [])
}

/// A name of own records.
struct OwnName: Sendable {
    let name: HashedName
    /// In the order they were added, without the NSEC.
    fileprivate(set) var records: [RecordHandle] = []
    /// The NSEC of the name, once it was needed.
    fileprivate(set) var negative: RecordHandle?
    fileprivate var activeUniqueCount = 0

    /// Whether the name is claimed: something unique of it may be answered with.
    var isClaimed: Bool { activeUniqueCount > 0 }
}

/// Our records on one interface, found by name and by identity.
struct OwnRecords: Sendable {
    private var records = SlotMap(vacant: OwnRecord.vacant)
    private var names = SlotMap(vacant: OwnName(name: HashedName(.root)))
    private var namesByName = HashIndex()
    private var identities = HashIndex()

    // Inlined, lest each look at a record copy all of it.
    subscript(handle: RecordHandle) -> OwnRecord {
        @inline(__always) _read { yield records[handle] }
        @inline(__always) _modify { yield &records[handle] }
    }

    subscript(handle: OwnNameHandle) -> OwnName {
        @inline(__always) _read { yield names[handle] }
    }

    func contains(_ handle: RecordHandle) -> Bool { records.contains(handle) }

    func handle(of name: DomainName) -> OwnNameHandle? {
        names.isEmpty ? nil : handle(of: HashedName(name))
    }

    func handle(of name: HashedName) -> OwnNameHandle? {
        namesByName.find(hash: name.hash) { names[$0].name.name == name.name }
            .map { names.handle(at: $0) }
    }

    /// The own name that a PTR or SRV leads to, which is looked up until it is found.
    mutating func target(of handle: RecordHandle) -> OwnNameHandle? {
        let known = records[handle].target
        if names.contains(known) { return known }
        guard let name = records[handle].record.data.target, let target = self.handle(of: name)
        else { return nil }
        records[handle].target = target
        return target
    }

    /// The same record.
    func handle(of record: ResourceRecord) -> RecordHandle? {
        handle(of: record.name).flatMap { handle(of: record, at: $0) }
    }

    /// The same record; where the name has few, without a look at all of the data for its hash.
    func handle(of record: ResourceRecord, at name: OwnNameHandle) -> RecordHandle? {
        guard names[name].records.count > 8 else {
            return names[name].records.first { records[$0].record.isSameRecord(as: record) }
        }
        return identities.find(hash: names[name].name.hash(of: record.data)) {
            records[$0].record.isSameRecord(as: record)
        }.map { records.handle(at: $0) }
    }

    /// The unique records of a name, in the order they were added.
    func unique(named name: DomainName) -> [RecordHandle] {
        handle(of: name).map { names[$0].records.filter { records[$0].isUnique } } ?? []
    }

    /// The unique set of that name and type.
    func unique(_ type: RecordType, named name: DomainName) -> [RecordHandle] {
        unique(named: name).filter { records[$0].type == type }
    }

    /// Whether we answer with a unique record of that type.
    func hasUnique(_ type: RecordType, named name: DomainName) -> Bool {
        unique(type, named: name).contains { records[$0].isActive }
    }

    /// All records that are probed for under one name (M8-20).
    func proposed(named name: DomainName) -> [ResourceRecord] {
        unique(named: name).map { records[$0].record }
    }

    // MARK: Change

    /// Adds a record that is not there yet.
    mutating func insert(_ record: OwnRecord) -> RecordHandle {
        let hashed = HashedName(record.record.name)
        let name = handle(of: hashed) ?? names.insert(OwnName(name: hashed))
        if names[name].records.isEmpty { namesByName.insert(name.index, hash: hashed.hash) }
        let handle = records.insert(record)
        records[handle].name = name
        names[name].records.append(handle)
        identities.insert(handle.index, hash: hashed.hash(of: record.record.data))
        return handle
    }

    /// Takes out a record, and with the last one of a name its NSEC.
    mutating func remove(_ handle: RecordHandle) -> [OwnRecord] {
        setActive(handle, false)
        let record = records.remove(handle)
        let name = record.name
        let hashed = names[name].name
        identities.remove(handle.index, hash: hashed.hash(of: record.record.data))
        if let place = names[name].records.firstIndex(of: handle) {
            names[name].records.remove(at: place)
        }
        guard names[name].records.isEmpty else { return [record] }
        namesByName.remove(name.index, hash: hashed.hash)
        return [record] + (names.remove(name).negative.map { [records.remove($0)] } ?? [])
    }

    /// Lets a record be answered with, or no longer; the name's NSEC follows, also where it is
    /// scheduled already (M6-24, M6-37).
    mutating func setActive(_ handle: RecordHandle, _ isActive: Bool) {
        guard records[handle].isActive != isActive else { return }
        records[handle].isActive = isActive
        let name = records[handle].name
        if records[handle].isUnique { names[name].activeUniqueCount += isActive ? 1 : -1 }
        if let negative = names[name].negative {
            records[negative].record = negativeRecord(of: name)
            records[negative].isActive = names[name].isClaimed
        }
    }
}

// Negative responses: read RFC 6762 §6.1.
extension OwnRecords {
    /// The NSEC of a claimed name, made when it is first needed and kept up to date from then on.
    mutating func negativeHandle(of name: OwnNameHandle) -> RecordHandle {
        if let negative = names[name].negative { return negative }
        var negative = OwnRecord(negativeRecord(of: name), .knownUnique, holders: [])
        negative.name = name
        negative.isNegative = true
        negative.isActive = names[name].isClaimed
        let handle = records.insert(negative)
        names[name].negative = handle
        return handle
    }

    /// The types of all records that may be answered with, and the least of their times to live.
    private func negativeRecord(of name: OwnNameHandle) -> ResourceRecord {
        let active = names[name].records.lazy.map { records[$0] }.filter { $0.isActive }
        let types = active.map { $0.type }
        let timeToLive = active.map { $0.record.timeToLive }.min() ?? .standard
        let owner = names[name].name.name
        return ResourceRecord(
            owner, .nsec(NextSecure(nextName: owner, types: types)),
            timeToLive: min(timeToLive, .standard))
    }
}
