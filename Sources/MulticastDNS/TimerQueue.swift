import NetworkPrimitives

/// Times and what is due then, the earliest first; equal times in the order of insertion.
///
/// Entries are not taken out: whoever put one in keeps the time of the one that counts, and
/// drops any other when it comes up.
struct TimerQueue<Event: Sendable & Hashable>: Sendable {
    private struct Entry {
        let time: Instant
        let sequence: UInt32
        let event: Event

        func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    private var heap: [Entry] = []
    private var sequence: UInt32 = 0

    var count: Int { heap.count }
    var earliest: Instant? { heap.first?.time }

    mutating func insert(_ event: Event, at time: Instant) {
        heap.append(Entry(time: time, sequence: sequence, event: event))
        sequence &+= 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the earliest entry if it is due by `now`.
    mutating func popDue(by now: Instant) -> (time: Instant, event: Event)? {
        guard let first = heap.first, first.time <= now else { return nil }
        return (first.time, removeFirst(first))
    }

    /// The earliest entry without taking it out.
    var first: (time: Instant, event: Event)? {
        heap.first.map { ($0.time, $0.event) }
    }

    mutating func dropFirst() {
        if let first = heap.first { _ = removeFirst(first) }
    }

    private mutating func removeFirst(_ first: Entry) -> Event {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.event }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            let left = 2 * parent + 1
            if left < heap.count, heap[left].precedes(heap[least]) { least = left }
            if left + 1 < heap.count, heap[left + 1].precedes(heap[least]) { least = left + 1 }
            if least == parent { return first.event }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    /// A queue of those entries alone for which `isWanted` holds.
    func filter(_ isWanted: (Instant, Event) -> Bool) -> TimerQueue {
        var kept = TimerQueue()
        for entry in heap.sorted(by: { $0.precedes($1) }) where isWanted(entry.time, entry.event) {
            kept.insert(entry.event, at: entry.time)
        }
        return kept
    }
}
