public import NetworkPrimitives

/// Why datagrams can't be sent on an interface.
public struct SendFailure: Hashable, Sendable {
    /// The interface.
    public var interface: InterfaceIndex
    /// Over which family.
    public var family: AddressFamily
    /// The system's number for the reason (`errno`); nil if its queue has been full for too long.
    public var errorNumber: Int32?
    /// One sentence on what is wrong and what can be done about it.
    public var description: String

    /// A failure for the reason that `description` gives.
    public init(
        interface: InterfaceIndex, family: AddressFamily, errorNumber: Int32?,
        description: String
    ) {
        self.interface = interface
        self.family = family
        self.errorNumber = errorNumber
        self.description = description
    }
}
