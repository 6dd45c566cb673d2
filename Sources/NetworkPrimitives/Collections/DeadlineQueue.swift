/// When the slots of a `SlotMap` are due, at most one time for each, the earliest first; of equal
/// times the lowest slot.
///
/// A heap that knows where each slot stands in it, so that a time is moved or taken out at once.
public struct DeadlineQueue: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let time: Instant
        @usableFromInline let slot: Int32

        func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : slot < other.slot
        }
    }

    @usableFromInline var heap: [Entry] = []
    /// By slot; -1 for one that is not in the heap.
    private var positions: [Int32] = []

    /// A queue with nothing in it.
    public init() {}

    /// How many slots have a time.
    @inlinable
    public var count: Int { heap.count }

    /// The earliest time; `.never` if there is none.
    @inlinable
    public var earliest: Instant { heap.isEmpty ? .never : heap[0].time }

    /// Sets the time of a slot, in place of the one that it had. At `.never` it has none.
    public mutating func set(_ slot: Int32, to time: Instant) {
        while positions.count <= Int(slot) { positions.append(-1) }
        let known = Int(positions[Int(slot)])
        if time == .never {
            if known >= 0 { remove(at: known) }
        } else if known >= 0 {
            place(Entry(time: time, slot: slot), at: known)
        } else {
            heap.append(Entry(time: time, slot: slot))
            place(Entry(time: time, slot: slot), at: heap.count - 1)
        }
    }

    /// Takes out the slot with the earliest time if it is due by `now`.
    public mutating func popDue(by now: Instant) -> Int32? {
        guard let first = heap.first, first.time <= now else { return nil }
        remove(at: 0)
        return first.slot
    }

    private mutating func remove(at position: Int) {
        positions[Int(heap[position].slot)] = -1
        let last = heap.removeLast()
        if position < heap.count { place(last, at: position) }
    }

    /// Puts an entry where there is a hole, which rises or sinks until the entry fits into it.
    private mutating func place(_ entry: Entry, at position: Int) {
        var hole = position
        while hole > 0, entry.precedes(heap[(hole - 1) / 2]) {
            move(from: (hole - 1) / 2, to: hole)
            hole = (hole - 1) / 2
        }
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(entry) else { break }
            move(from: child, to: hole)
            hole = child
        }
        heap[hole] = entry
        positions[Int(entry.slot)] = Int32(hole)
    }

    private mutating func move(from source: Int, to hole: Int) {
        heap[hole] = heap[source]
        positions[Int(heap[hole].slot)] = Int32(hole)
    }
}
