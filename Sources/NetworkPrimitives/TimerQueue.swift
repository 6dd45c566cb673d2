/// Times and what is due then, the earliest first; equal times in the order of insertion.
///
/// Entries are not taken out: whoever put one in keeps the time of the one that counts, and
/// drops any other when it comes up. Inlinable, so that each room gets one for its own events.
package struct TimerQueue<Event: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let time: Instant
        @usableFromInline let sequence: UInt64
        @usableFromInline let event: Event

        @inlinable
        init(time: Instant, sequence: UInt64, event: Event) {
            self.time = time
            self.sequence = sequence
            self.event = event
        }

        @inlinable
        func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    @usableFromInline var heap: [Entry] = []
    @usableFromInline var sequence: UInt64 = 0

    @inlinable
    package init() {}

    /// How many entries there are, those included that count no more.
    @inlinable
    package var count: Int { heap.count }

    /// The earliest time.
    @inlinable
    package var earliest: Instant? { heap.first?.time }

    /// The earliest entry without taking it out.
    @inlinable
    package var first: (time: Instant, event: Event)? {
        heap.first.map { ($0.time, $0.event) }
    }

    /// Puts in an entry.
    @inlinable
    package mutating func insert(_ event: Event, at time: Instant) {
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

    /// Takes out the earliest entry if it is due by `now`.
    @inlinable
    package mutating func popDue(by now: Instant) -> (time: Instant, event: Event)? {
        guard let first = heap.first, first.time <= now else { return nil }
        dropFirst()
        return (first.time, first.event)
    }

    /// Takes out the earliest entry.
    @inlinable
    package mutating func dropFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            let left = 2 * parent + 1
            if left < heap.count, heap[left].precedes(heap[least]) { least = left }
            if left + 1 < heap.count, heap[left + 1].precedes(heap[least]) { least = left + 1 }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    /// A queue of those entries alone for which `isWanted` holds.
    package func filter(_ isWanted: (Instant, Event) -> Bool) -> TimerQueue {
        var kept = TimerQueue()
        for entry in heap.sorted(by: { $0.precedes($1) }) where isWanted(entry.time, entry.event) {
            kept.insert(entry.event, at: entry.time)
        }
        return kept
    }
}
