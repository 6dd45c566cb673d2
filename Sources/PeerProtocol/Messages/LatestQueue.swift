import NetworkPrimitives

/// First in, first out, with one element for each key: a later one takes the place of the former.
struct LatestQueue<Element: Sendable>: Sendable {
    private var keys = Queue<UInt64>()
    private var elements: [UInt64: Element] = [:]

    var count: Int { elements.count }

    var isEmpty: Bool { elements.isEmpty }

    var first: Element? { keys.first.flatMap { elements[$0] } }

    /// The element with that key.
    subscript(key: UInt64) -> Element? { elements[key] }

    /// Adds one, or puts it where the one with the same key is.
    ///
    /// - Returns: The one that was replaced.
    @discardableResult
    mutating func put(_ element: Element, for key: UInt64) -> Element? {
        let former = elements.updateValue(element, forKey: key)
        if former == nil { keys.append(key) }
        return former
    }

    mutating func popFirst() -> Element? {
        guard let key = keys.popFirst() else { return nil }
        return elements.removeValue(forKey: key)
    }
}
