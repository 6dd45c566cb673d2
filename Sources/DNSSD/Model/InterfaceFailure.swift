public import NetworkPrimitives

/// Why multicast DNS does not work on an interface.
public struct InterfaceFailure: Hashable, Sendable {
    /// What does not work.
    public enum Kind: String, Hashable, Sendable {
        /// The system refuses or drops what is to be sent.
        case sending
        /// Nothing that is sent to the group arrives, not even what was sent from here.
        case receiving
        /// The interface was used, or named, and is down, without a carrier or an address.
        case unusable
    }

    /// What does not work.
    public var kind: Kind
    /// The interface.
    public var interface: InterfaceIndex
    /// Over which families.
    public var families: Set<AddressFamily>
    /// The system's number for the reason (`errno`), where it gave one.
    public var errorNumber: Int32?
    /// One sentence on what is wrong and what can be done about it.
    public var description: String

    /// A failure for the reason that `description` gives.
    public init(
        _ kind: Kind, on interface: InterfaceIndex, over families: Set<AddressFamily>,
        errorNumber: Int32?, description: String
    ) {
        self.kind = kind
        self.interface = interface
        self.families = families
        self.errorNumber = errorNumber
        self.description = description
    }
}
