/// A buffer that keeps, for each key, what the reader got last and the current state.
///
/// What came and went between two reads is left out, and several changes arrive as one; so its
/// size is bounded by the number of keys present, and a slow reader always converges on the
/// current state.
struct CoalescingBuffer<Key: Hashable & Sendable, Value: Equatable & Sendable>: EventBuffer {
    /// A difference between what was delivered and what is.
    struct Element: Sendable {
        enum Kind: Sendable {
            case added
            case changed
            /// The value is the one that was delivered last.
            case removed
        }

        var kind: Kind
        var key: Key
        var value: Value
    }

    private enum Entry {
        /// The reader knows this.
        case delivered(Value)
        /// The reader knows of nothing.
        case new(Value)
        /// The reader knows something that is out of date.
        indirect case stale(delivered: Value, now: Value?)
    }

    private var entries: [Key: Entry] = [:]
    /// Keys with changes that were not delivered, oldest first.
    private var queue: [Key] = []
    private var queueStart = 0
    /// Places in the queue of what came and went undelivered.
    private var deadPlaces = 0

    init() {}

    /// Sets the current state of `key`; `nil` when it is gone.
    mutating func set(_ value: Value?, for key: Key) {
        switch entries[key] {
        case nil:
            guard let value else { break }
            entries[key] = .new(value)
            queue.append(key)
        case .new:
            entries[key] = value.map { .new($0) }
            if value == nil {
                deadPlaces += 1
                removeDeadPlaces()
            }
        case .delivered(let delivered):
            guard delivered != value else { break }
            entries[key] = .stale(delivered: delivered, now: value)
            queue.append(key)
        case .stale(let delivered, _):
            entries[key] = .stale(delivered: delivered, now: value)
        }
    }

    /// How many places the queue has: for the test of its bound.
    var queueLength: Int { queue.count - queueStart }

    mutating func next() -> Element? {
        while queueStart < queue.count {
            let key = queue[queueStart]
            queueStart += 1
            compactQueue()
            if let element = element(for: key) { return element }
        }
        return nil
    }

    mutating func removeAll() {
        self = CoalescingBuffer()
    }

    private mutating func element(for key: Key) -> Element? {
        switch entries[key] {
        case .new(let value):
            entries[key] = .delivered(value)
            return Element(kind: .added, key: key, value: value)
        case .stale(let delivered, let now?):
            entries[key] = .delivered(now)
            return delivered == now ? nil : Element(kind: .changed, key: key, value: now)
        case .stale(let delivered, nil):
            entries[key] = nil
            return Element(kind: .removed, key: key, value: delivered)
        case .delivered, nil:
            return nil
        }
    }

    // Without this a flood of things that come and go would fill the queue of a slow reader.
    private mutating func removeDeadPlaces() {
        guard deadPlaces > 64, deadPlaces * 2 > queueLength else { return }
        var seen: Set<Key> = []
        queue = queue[queueStart...].filter { key in
            switch entries[key] {
            case .new, .stale: seen.insert(key).inserted
            case .delivered, nil: false
            }
        }
        queueStart = 0
        deadPlaces = 0
    }

    private mutating func compactQueue() {
        if queueStart == queue.count {
            queue.removeAll(keepingCapacity: queue.capacity <= 64)
            queueStart = 0
        } else if queueStart >= 64, queueStart * 2 >= queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
    }
}
