/// The data of an SRV record (RFC 2782).
public struct ServiceLocation: Hashable, Sendable {
    /// The host's name; the root says that the service is not offered.
    public var target: DomainName
    /// Lower is tried first.
    public var priority: UInt16
    /// Share among those of one priority.
    public var weight: UInt16
    /// The port; 0 where the name is only held, with no service behind it (RFC 6763 §8).
    public var port: UInt16

    /// A location; priority and weight are 0 where there is just one (RFC 6763 §5).
    public init(target: DomainName, port: UInt16, priority: UInt16 = 0, weight: UInt16 = 0) {
        self.target = target
        self.priority = priority
        self.weight = weight
        self.port = port
    }
}
