/// Times and what is due then, the earliest first; equal times in the order of insertion.
///
/// Entries are not taken out: whoever put one in keeps the time of the one that counts, and
/// drops any other when it comes up. Public and inlinable, so that each room gets one compiled
/// for its own events: with `package` the compiler makes none, and a queue of any events takes
/// as long as all the rest of an engine.
public struct TimerQueue<Event: Sendable>: Sendable {
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

    /// A queue with nothing in it.
    @inlinable
    public init() {}

    /// How many entries there are, those included that count no more.
    @inlinable
    public var count: Int { heap.count }

    /// The earliest time.
    @inlinable
    public var earliest: Instant? { heap.first?.time }

    /// The earliest entry without taking it out.
    @inlinable
    public var first: (time: Instant, event: Event)? {
        heap.first.map { ($0.time, $0.event) }
    }

    /// Puts in an entry.
    @inlinable
    public mutating func insert(_ event: Event, at time: Instant) {
        let entry = Entry(time: time, sequence: sequence, event: event)
        sequence += 1
        heap.append(entry)
        // The hole at the end rises until the new entry fits into it.
        var hole = heap.count - 1
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard entry.precedes(heap[parent]) else { break }
            heap[hole] = heap[parent]
            hole = parent
        }
        heap[hole] = entry
    }

    /// Takes out the earliest entry if it is due by `now`.
    @inlinable
    public mutating func popDue(by now: Instant) -> (time: Instant, event: Event)? {
        guard let first = heap.first, first.time <= now else { return nil }
        dropFirst()
        return (first.time, first.event)
    }

    /// Takes out the earliest entry.
    @inlinable
    public mutating func dropFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        // The hole in front sinks until the last entry fits into it.
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(last) else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = last
    }

    /// A queue of those entries alone for which `isWanted` holds.
    public func filter(_ isWanted: (Instant, Event) -> Bool) -> TimerQueue {
        var kept = TimerQueue()
        for entry in heap.sorted(by: { $0.precedes($1) }) where isWanted(entry.time, entry.event) {
            kept.insert(entry.event, at: entry.time)
        }
        return kept
    }
}
