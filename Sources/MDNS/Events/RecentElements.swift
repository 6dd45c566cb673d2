/// A buffer of the most recent elements, for things that cannot be merged: packets, say.
///
/// When it is full the oldest goes, and the number of those lost is kept.
struct RecentElements<Element: Sendable>: EventBuffer {
    private let capacity: Int
    private var elements: [Element] = []
    private var start = 0
    /// How many were dropped because the reader was slow.
    private(set) var droppedCount = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    private var count: Int { elements.count - start }

    mutating func append(_ element: Element) {
        if count == capacity {
            start += 1
            droppedCount += 1
        }
        elements.append(element)
        compact()
    }

    mutating func next() -> Element? {
        guard count > 0 else { return nil }
        defer { compact() }
        start += 1
        return elements[start - 1]
    }

    mutating func removeAll() {
        elements = []
        start = 0
    }

    private mutating func compact() {
        if start == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 64)
            start = 0
        } else if start >= capacity {
            elements.removeFirst(start)
            start = 0
        }
    }
}
