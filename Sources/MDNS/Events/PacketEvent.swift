public import NetworkPrimitives

/// A datagram that a node sent or received.
public struct PacketEvent: Sendable {
    /// Which way it went.
    public enum Direction: String, Hashable, Sendable {
        /// It came in. One's own multicasts do, too.
        case received
        /// It was handed to the kernel.
        case sent
    }

    /// Which way it went.
    public var direction: Direction
    /// When, on the clock that counts from boot.
    public var time: Instant
    /// Who sent it.
    public var source: SocketAddress
    /// Whom it was sent to.
    public var destination: SocketAddress
    /// The interface.
    public var interface: InterfaceIndex
    /// The DNS message.
    public var payload: [UInt8]
    /// How many packets between the previous event and this one are missing: the kernel had no
    /// room for them, or the reader was slow and its backlog was full.
    public var missedBefore = 0
}

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
