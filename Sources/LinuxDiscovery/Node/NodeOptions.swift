package import LinuxNetworking
public import NetworkPrimitives

/// What a user of a node may choose.
public struct NodeOptions: Hashable, Sendable {
    /// How this host is called on the network.
    public enum HostName: Hashable, Sendable {
        /// The system's name and a short suffix that stays the same between starts, as in
        /// `printer-3f2a`: another responder on this machine may own the bare name.
        ///
        /// The suffix is the one given, else made of the machine's id, else of its first
        /// hardware address, else drawn by chance.
        case automatic(suffix: String? = nil)
        /// Exactly that label, without `.local`; changed only if another host has it.
        case label(String)
    }

    /// The interfaces to work on. The loopback is used only where it is named.
    public var interfaces: InterfaceSelection
    /// The families to work over.
    public var families: Set<AddressFamily>
    /// How this host is called.
    public var hostName: HostName
    /// Whether unicast answers have a budget: 16 kB for each source and then ten bytes for each
    /// byte of its queries, 256 kB in all to begin with. Without it a forged source can have its
    /// victim flooded.
    public var limitsAmplification: Bool
    /// Whether every record received is cached, asked for or not, to watch the link.
    public var cachesEverything: Bool
    /// Whether the node starts without any interface that it can use, and waits for one to
    /// come. If not, that is an error.
    public var waitsForInterface: Bool
    /// Whether names outside the link-local domains (`local` and the reverse names of link-local
    /// addresses) are asked for by multicast too, for links without a server. Anyone on the link
    /// can answer for any name then, such as that of a bank (RFC 6762 §13, §21).
    public var multicastsAnyName: Bool
    /// Whether the first questions may ask for unicast answers (RFC 6762 §5.4), which other
    /// hosts do not receive.
    package var mayAskForUnicast = true
    /// Has the node behave as if the system refused netlink for this reason.
    package var netlinkRefusal: SystemError?

    /// The usual choices: all interfaces but the loopback, both families.
    public init(
        interfaces: InterfaceSelection = .all, families: Set<AddressFamily> = [.ipv4, .ipv6],
        hostName: HostName = .automatic(), limitsAmplification: Bool = true,
        cachesEverything: Bool = false, waitsForInterface: Bool = false,
        multicastsAnyName: Bool = false
    ) {
        self.interfaces = interfaces
        self.families = families
        self.hostName = hostName
        self.limitsAmplification = limitsAmplification
        self.cachesEverything = cachesEverything
        self.waitsForInterface = waitsForInterface
        self.multicastsAnyName = multicastsAnyName
    }
}
