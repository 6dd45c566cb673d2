/// A hash table of slot numbers: four bytes an entry, the keys stay where the slots are.
///
/// Open addressing with linear probing; removal shifts back, so there are no tombstones.
struct SlotTable: Sendable {
    /// Slot number, or -1 for a free place. The count is a power of two.
    private var places: [Int32] = []
    private(set) var count = 0

    /// The first slot of that hash for which `matches` holds.
    func find(hash: Int, matches: (Int) -> Bool) -> Int? {
        guard !places.isEmpty else { return nil }
        let mask = places.count - 1
        var at = hash & mask
        while places[at] >= 0 {
            if matches(Int(places[at])) { return Int(places[at]) }
            at = (at + 1) & mask
        }
        return nil
    }

    /// Adds a slot that is not there yet; `hashOf` tells the hash of any slot in the table.
    mutating func insert(_ slot: Int, hash: Int, hashOf: (Int) -> Int) {
        if 4 * (count + 1) > 3 * places.count { grow(hashOf: hashOf) }
        place(slot, hash: hash)
        count += 1
    }

    /// Puts `slot` where `old` was, which has the same key.
    mutating func replace(_ old: Int, with slot: Int, hash: Int) {
        guard let at = position(of: old, hash: hash) else { return }
        places[at] = Int32(slot)
    }

    mutating func remove(_ slot: Int, hash: Int, hashOf: (Int) -> Int) {
        guard var hole = position(of: slot, hash: hash) else { return }
        let mask = places.count - 1
        count -= 1
        var at = hole
        while true {
            at = (at + 1) & mask
            guard places[at] >= 0 else { break }
            let home = hashOf(Int(places[at])) & mask
            // The entry may move into the hole unless its home lies between hole and entry.
            let homeIsBetween =
                hole <= at ? (hole < home && home <= at) : (hole < home || home <= at)
            if !homeIsBetween {
                places[hole] = places[at]
                hole = at
            }
        }
        places[hole] = -1
    }

    private func position(of slot: Int, hash: Int) -> Int? {
        guard !places.isEmpty else { return nil }
        let mask = places.count - 1
        var at = hash & mask
        while places[at] >= 0 {
            if places[at] == Int32(slot) { return at }
            at = (at + 1) & mask
        }
        return nil
    }

    private mutating func place(_ slot: Int, hash: Int) {
        let mask = places.count - 1
        var at = hash & mask
        while places[at] >= 0 { at = (at + 1) & mask }
        places[at] = Int32(slot)
    }

    private mutating func grow(hashOf: (Int) -> Int) {
        let old = places
        places = [Int32](repeating: -1, count: max(16, 2 * old.count))
        for slot in old where slot >= 0 { place(Int(slot), hash: hashOf(Int(slot))) }
    }
}
