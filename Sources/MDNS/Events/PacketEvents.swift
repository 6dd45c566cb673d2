public import LinuxDiscovery

/// The packets of a node, as they are sent and received; a slow reader loses the oldest, and
/// `PacketEvent.missedBefore` says how many.
public typealias PacketEvents = EventSequence<PacketEvent>

/// The packets that a reader has not taken yet. What is missing is counted by the event that
/// follows it.
struct PacketBuffer: EventBuffer {
    private var ring: RingBuffer<PacketEvent>
    private var missed = 0

    init(capacity: Int) {
        ring = RingBuffer(capacity: capacity)
    }

    mutating func append(_ event: PacketEvent) {
        if let dropped = ring.append(event) { missed += 1 + dropped.missedBefore }
    }

    mutating func next() -> PacketEvent? {
        guard var event = ring.next() else { return nil }
        event.missedBefore += missed
        missed = 0
        return event
    }

    mutating func removeAll() { ring.removeAll() }
}
