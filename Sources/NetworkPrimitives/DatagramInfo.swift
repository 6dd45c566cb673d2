/// What is known of a received datagram beside its bytes.
public struct DatagramInfo: Hashable, Sendable {
    /// Who sent it.
    public var source: SocketAddress
    /// The address it was sent to: a group or one of our own.
    public var destination: IPAddress
    /// The interface it came in on.
    public var interface: InterfaceIndex
    /// The hop limit or time to live of its IP header, where the kernel told it.
    public var hopLimit: UInt8?

    /// The facts of one datagram.
    public init(
        source: SocketAddress, destination: IPAddress, interface: InterfaceIndex,
        hopLimit: UInt8? = nil
    ) {
        self.source = source
        self.destination = destination
        self.interface = interface
        self.hopLimit = hopLimit
    }

    /// The family it travelled by.
    public var family: AddressFamily { destination.family }
    /// Whether it was sent to a group.
    public var isMulticast: Bool { destination.isMulticast }
}
