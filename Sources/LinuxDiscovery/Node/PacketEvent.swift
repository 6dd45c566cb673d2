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
