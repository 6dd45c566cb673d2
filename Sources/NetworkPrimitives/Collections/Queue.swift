/// First in, first out. Taking out costs the same however many wait.
///
/// Public and inlinable for the reason that `TimerQueue` gives.
public struct Queue<Element: Sendable>: Sendable {
    @usableFromInline var elements: [Element] = []
    /// Where the first is; what was before it is gone.
    @usableFromInline var head = 0

    /// A queue with nothing in it.
    @inlinable
    public init() {}

    /// How many wait.
    @inlinable
    public var count: Int { elements.count - head }

    /// Whether nothing waits.
    @inlinable
    public var isEmpty: Bool { head == elements.count }

    /// The one that came first.
    @inlinable
    public var first: Element? { isEmpty ? nil : elements[head] }

    /// Adds one behind all others.
    @inlinable
    public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Takes out the one that came first.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        if head == elements.count - 1 {
            // Moved out, not copied; most queues hold one at a time.
            let element = elements.removeLast()
            // What many have used is kept for the next as long as it is small.
            elements.removeAll(keepingCapacity: elements.capacity <= 1024)
            head = 0
            return element
        }
        let element = elements[head]
        head += 1
        if head >= 64, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes out all for which `isUnwanted` holds.
    @inlinable
    public mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        elements.removeFirst(head)
        head = 0
        elements.removeAll(where: isUnwanted)
    }
}

extension Array {
    /// The first index of a sorted array whose element does not come before; found in
    /// logarithmic time. `comesBefore` holds for a first part of the array and for no other.
    @inlinable
    public func partitionIndex(_ comesBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
