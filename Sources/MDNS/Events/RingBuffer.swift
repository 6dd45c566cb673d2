import NetworkPrimitives

/// A buffer of the most recent elements, for things that cannot be merged: packets, say.
///
/// When it is full the oldest goes.
package struct RingBuffer<Element: Sendable>: EventBuffer {
    private let capacity: Int
    private var elements = Queue<Element>()

    /// With room for so many elements, one at least.
    package init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// - Returns: The element that made room for this one, if it was full.
    @discardableResult
    package mutating func append(_ element: Element) -> Element? {
        let dropped = elements.count == capacity ? elements.popFirst() : nil
        elements.append(element)
        return dropped
    }

    package mutating func next() -> Element? { elements.popFirst() }

    package mutating func removeAll() {
        elements = Queue()
    }
}
