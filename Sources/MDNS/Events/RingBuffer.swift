import NetworkPrimitives

/// A buffer of the most recent elements, for things that cannot be merged: packets, say.
///
/// When it is full the oldest goes, and the number of those lost is kept.
struct RingBuffer<Element: Sendable>: EventBuffer {
    private let capacity: Int
    private var elements = Queue<Element>()
    /// How many were dropped because the reader was slow.
    private(set) var droppedCount = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    mutating func append(_ element: Element) {
        if elements.count == capacity {
            _ = elements.popFirst()
            droppedCount += 1
        }
        elements.append(element)
    }

    mutating func next() -> Element? { elements.popFirst() }

    mutating func removeAll() {
        elements = Queue()
    }
}
