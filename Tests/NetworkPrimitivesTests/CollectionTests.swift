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
}
