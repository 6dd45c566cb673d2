import NetworkPrimitives

/// The keys that were decided about, in the order of their bytes.
public struct TrustStore: Hashable, Sendable {
    /// The most keys. When they are reached, decisions hold for their connection only.
    public static let maximumEntries = 4096

    /// All entries, in the order of their keys.
    public private(set) var entries: [TrustEntry] = []

    /// Whether there is no file to keep it in, so that all is forgotten when the program ends.
    public let isEphemeral: Bool

    /// With nothing in it.
    public init(isEphemeral: Bool = false) {
        self.isEphemeral = isEphemeral
    }

    /// What is known of a key.
    public subscript(key: DeviceKey) -> TrustEntry? {
        let index = index(of: key)
        return index < entries.count && entries[index].key == key ? entries[index] : nil
    }

    /// The keys that are trusted or pinned and were seen under a name, now or before.
    ///
    /// Former names count: otherwise a trusted peer could take over the name that another one
    /// gave up, and be dialled under it.
    public func trustedKeys(named name: PeerName) -> [DeviceKey] {
        entries.filter { $0.level != .blocked && $0.names.contains(name) }.map { $0.key }
    }

    /// Sets the level of a key, and what it is based on.
    ///
    /// - Returns: Whether there was room for it.
    @discardableResult
    public mutating func set(
        _ level: TrustLevel, for key: DeviceKey, basis: TrustBasis, at seconds: Int64
    ) -> Bool {
        let index = index(of: key)
        if index < entries.count, entries[index].key == key {
            entries[index].level = level
            entries[index].basis = basis
            return true
        }
        guard entries.count < Self.maximumEntries else { return false }
        entries.insert(
            TrustEntry(key: key, level: level, basis: basis, at: seconds), at: index)
        return true
    }

    /// Notes that a peer proved its key just now: its name, its number and the time.
    ///
    /// - Returns: Whether the key is in the store.
    @discardableResult
    public mutating func note(_ peer: PeerDescription, at seconds: Int64) -> Bool {
        let index = index(of: peer.identity.key)
        guard index < entries.count, entries[index].key == peer.identity.key else { return false }
        entries[index].note(peer, at: seconds)
        return true
    }

    /// Removes a key: it is a stranger's from now on.
    ///
    /// - Returns: What was known of it.
    @discardableResult
    public mutating func forget(_ key: DeviceKey) -> TrustEntry? {
        let index = index(of: key)
        guard index < entries.count, entries[index].key == key else { return nil }
        return entries.remove(at: index)
    }

    /// Adds an entry that comes behind all others.
    ///
    /// - Returns: Whether it did, and there was room.
    mutating func append(_ entry: TrustEntry) -> Bool {
        if let last = entries.last, last.key >= entry.key { return false }
        guard entries.count < Self.maximumEntries else { return false }
        entries.append(entry)
        return true
    }

    private func index(of key: DeviceKey) -> Int {
        entries.partitionIndex { $0.key < key }
    }
}
