/// A hash table of the slots of a `SlotMap`: eight bytes a place, the keys stay where the slots
/// are.
///
/// Open addressing with linear probing; removal shifts back, so there are no tombstones. Whoever
/// uses it for keys that others choose hashes them with a secret, as `Hasher` does.
public struct HashIndex: Sendable {
    @usableFromInline
    struct Place: Sendable {
        @usableFromInline var hash: UInt32 = 0
        /// -1 where the place is free.
        @usableFromInline var slot: Int32 = -1
    }

    /// Their count is a power of two.
    @usableFromInline var places: [Place] = []
    /// How many slots it holds.
    public private(set) var count = 0

    /// An index with nothing in it.
    public init() {}

    /// The first slot of that hash for which `matches` holds.
    @inlinable
    public func find(hash: Int, matches: (Int32) -> Bool) -> Int32? {
        guard !places.isEmpty else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        let mask = places.count - 1
        var at = Int(truncatingIfNeeded: hash) & mask
        while places[at].slot >= 0 {
            if places[at].hash == hash, matches(places[at].slot) { return places[at].slot }
            at = (at + 1) & mask
        }
        return nil
    }

    /// Adds a slot that is not there yet.
    public mutating func insert(_ slot: Int32, hash: Int) {
        if 4 * (count + 1) > 3 * places.count {
            let old = places
            places = [Place](repeating: Place(), count: max(16, 2 * old.count))
            for place in old where place.slot >= 0 { put(place) }
        }
        put(Place(hash: UInt32(truncatingIfNeeded: hash), slot: slot))
        count += 1
    }

    /// Puts `slot` where `old` was, which must be there and has the same key.
    public mutating func replace(_ old: Int32, with slot: Int32, hash: Int) {
        places[position(of: old, hash: hash)].slot = slot
    }

    /// Takes out a slot, which must be there.
    public mutating func remove(_ slot: Int32, hash: Int) {
        var hole = position(of: slot, hash: hash)
        let mask = places.count - 1
        count -= 1
        var at = hole
        while true {
            at = (at + 1) & mask
            guard places[at].slot >= 0 else { break }
            let home = Int(truncatingIfNeeded: places[at].hash) & mask
            // The entry may move into the hole unless its home lies between hole and entry.
            let homeIsBetween =
                hole <= at ? (hole < home && home <= at) : (hole < home || home <= at)
            if !homeIsBetween {
                places[hole] = places[at]
                hole = at
            }
        }
        places[hole] = Place()
    }

    private func position(of slot: Int32, hash: Int) -> Int {
        let mask = places.count - 1
        var at = hash & mask
        while places[at].slot != slot {
            precondition(places[at].slot >= 0, "a slot that is not in the index")
            at = (at + 1) & mask
        }
        return at
    }

    private mutating func put(_ place: Place) {
        let mask = places.count - 1
        var at = Int(truncatingIfNeeded: place.hash) & mask
        while places[at].slot >= 0 { at = (at + 1) & mask }
        places[at] = place
    }
}
