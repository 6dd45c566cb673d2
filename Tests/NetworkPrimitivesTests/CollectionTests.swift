import NetworkPrimitives
import Testing

@Suite struct CollectionTests {
    @Test func aHandleNeverRefersToALaterElementOfItsSlot() {
        var map = SlotMap(vacant: "")
        let first = map.insert("first")
        let other = map.insert("other")
        map.remove(first)
        #expect(!map.contains(first))
        let second = map.insert("second")
        #expect(second.index == first.index)
        #expect(second != first)
        #expect(!map.contains(first))
        #expect(map[second] == "second")
        #expect(map[other] == "other")
        #expect(map.handles == [second, other])
        #expect(map.handle(at: second.index) == second)
        map[second] = "changed"
        #expect(map.remove(second) == "changed")
        #expect(map.count == 1)
        map.remove(other)
        #expect(map.isEmpty)
    }

    @Test func aHandleOfARemovedElementIsATrapNotAnotherElement() async {
        await #expect(processExitsWith: .failure) {
            var map = SlotMap(vacant: 0)
            let handle = map.insert(1)
            map.remove(handle)
            map.remove(handle)
        }
    }

    @Test func aQueueGivesBackInTheOrderOfArrival() {
        var queue = Queue<Int>()
        var next = 0
        var given = 0
        for round in 0..<500 {
            for _ in 0...(round % 7) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round % 5) {
                #expect(queue.first == given)
                #expect(queue.popFirst() == given)
                given += 1
            }
        }
        #expect(queue.count == next - given)
        queue.removeAll { $0 % 2 == 0 }
        var left: [Int] = []
        while let element = queue.popFirst() { left.append(element) }
        #expect(left == (given..<next).filter { $0 % 2 == 1 })
        #expect(queue.isEmpty && queue.first == nil && queue.popFirst() == nil)
    }

    @Test(arguments: 0..<12) func thePartitionIsWhereTheKeyWouldGo(key: Int) {
        let sorted = [1, 3, 3, 5, 7, 10]
        #expect(sorted.partitionIndex { $0 < key } == sorted.prefix { $0 < key }.count)
        #expect([Int]().partitionIndex { $0 < key } == 0)
    }

    @Test("an index finds each slot by its key, also where hashes are alike")
    func hashIndex() {
        var generator = SeededGenerator(seed: 3)
        var index = HashIndex()
        // Eight hashes for all keys: every look-up walks past slots of other keys.
        func hash(_ key: Int) -> Int { key % 8 &* 0x1E37_79B9_7F4A_7C15 }
        var keys: [Int32: Int] = [:]
        for round in 0..<4_000 {
            let slot = Int32.random(in: 0..<100, using: &generator)
            if let key = keys[slot] {
                if round % 3 == 0, keys[slot + 100] == nil {
                    index.replace(slot, with: slot + 100, hash: hash(key))
                    keys[slot + 100] = key
                } else {
                    index.remove(slot, hash: hash(key))
                }
                keys[slot] = nil
            } else if !keys.values.contains(round % 150) {
                index.insert(slot, hash: hash(round % 150))
                keys[slot] = round % 150
            }
            #expect(index.count == keys.count)
            let wanted = Int.random(in: 0..<150, using: &generator)
            let found = index.find(hash: hash(wanted)) { keys[$0] == wanted }
            #expect(found == keys.first { $0.value == wanted }?.key)
        }
    }

    @Test("groups keep the order of insertion, whichever slot leaves them")
    func slotGroups() {
        var generator = SeededGenerator(seed: 4)
        var groups = SlotGroups()
        var expected: [Int: [Int32]] = [:]
        func key(_ slot: Int32) -> Int { Int(slot) % 7 }
        for _ in 0..<3_000 {
            let slot = Int32.random(in: 0..<60, using: &generator)
            let first = groups.first(hash: key(slot)) { key($0) == key(slot) }
            #expect(first == expected[key(slot)]?.first)
            if let first, expected[key(slot), default: []].contains(slot) {
                groups.remove(slot, from: first, hash: key(slot))
                expected[key(slot)]?.removeAll { $0 == slot }
            } else {
                groups.insert(slot, after: first, hash: key(slot))
                expected[key(slot), default: []].append(slot)
            }
            let now = groups.first(hash: key(slot)) { key($0) == key(slot) }
            #expect(Array(groups.slots(from: now)) == expected[key(slot)])
            let reversed = groups.slots(from: now, lastFirst: true)
            #expect(Array(reversed) == expected[key(slot)]?.reversed())
            #expect(groups.count(from: now) == expected[key(slot)]?.count)
        }
    }

    @Test func whatWasNotedAMomentAgoIsKnownForItsLifetimeAlone() {
        func at(_ seconds: Int) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }
        var table = RecentTable<String, Int>(lifetime: .seconds(10))
        table.insert(1, for: "a", limit: 2, at: at(0))
        table.insert(2, for: "b", limit: 2, at: at(5))
        table.insert(3, for: "c", limit: 2, at: at(9))
        #expect(table.value(for: "a", at: at(9)) == 1)
        #expect(table.value(for: "a", at: at(10)) == nil)
        #expect(table.value(for: "c", at: at(9)) == nil)
        // The oldest makes room once it is forgotten; what was noted again counts anew.
        table.insert(4, for: "b", limit: 2, at: at(10))
        #expect(table.value(for: "b", at: at(15)) == 4)
        table.insert(5, for: "c", limit: 2, at: at(16))
        #expect(table.value(for: "b", at: at(19)) == 4)
        #expect(table.value(for: "b", at: at(20)) == nil)
        #expect(table.remove("b") == 4)
        #expect(table.remove("b") == nil)
    }
}
