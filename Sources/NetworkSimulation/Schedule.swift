import NetworkPrimitives

/// What is to happen and when: the earliest first, equal times in the order of insertion.
struct Schedule<Event: Sendable>: Sendable {
    private struct Entry {
        let time: Instant
        let sequence: UInt64
        let event: Event

        func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    private var heap: [Entry] = []
    private var sequence: UInt64 = 0

    var count: Int { heap.count }
    var earliest: Instant? { heap.first?.time }

    mutating func insert(_ event: Event, at time: Instant) {
        heap.append(Entry(time: time, sequence: sequence, event: event))
        sequence += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the earliest event if it is due by `time`.
    mutating func popDue(by time: Instant) -> (time: Instant, event: Event)? {
        guard let first = heap.first, first.time <= time, let last = heap.popLast() else {
            return nil
        }
        guard !heap.isEmpty else { return (first.time, first.event) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            let left = 2 * parent + 1
            if left < heap.count, heap[left].precedes(heap[least]) { least = left }
            if left + 1 < heap.count, heap[left + 1].precedes(heap[least]) { least = left + 1 }
            if least == parent { return (first.time, first.event) }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
