public import DNSMessages
public import DNSSD
import LinuxNetworking
public import NetworkPrimitives

/// How a node stands with the system: what is bound, joined, refused.
public struct NodeStatus: Hashable, Sendable {
    /// Where the suffix of the host's name came from.
    public enum HostNameOrigin: String, Hashable, Sendable {
        /// The user of the node.
        case given
        /// The machine's id.
        case machineID
        /// A hardware address.
        case hardwareAddress
        /// Chance: it will be another at the next start.
        case chance
    }

    /// How things stand on one interface in one family.
    public enum Reach: Hashable, Sendable {
        /// The group is joined, packets go in and out.
        case joined
        /// The system refused, for this reason.
        case refused(String)
    }

    /// One interface that the node works on.
    public struct Interface: Hashable, Sendable {
        /// The system's word on it.
        public var interface: NetworkInterface
        /// How things stand in each family that it has an address of.
        public var reach: [AddressFamily: Reach]
        /// What became of the datagrams sent on it, in each family that was tried.
        public var sends: [AddressFamily: Sends]
    }

    /// What became of the datagrams sent on an interface since it came up.
    public struct Sends: Hashable, Sendable {
        /// How many the kernel took.
        public var sentCount: Int
        /// How many it did not.
        public var failedCount: Int
        /// Why it did not take the last of those.
        public var lastFailure: InterfaceFailure?
        /// Whether none gets through now.
        public var isBlocked: Bool
    }

    /// How a node learns of changes of interfaces.
    public enum InterfaceUpdates: Hashable, Sendable {
        /// The kernel reports each at once.
        case reported
        /// The kernel does not, for this reason: they are looked up every two seconds, and a link
        /// that is lost for less than that is not noticed.
        case polled(reason: String)
    }

    /// This host's name, as it is or would be published.
    public var hostName: DomainName
    /// Where its suffix came from.
    public var hostNameOrigin: HostNameOrigin
    /// The families that port 5353 is open in.
    public var families: Set<AddressFamily>
    /// Whether another program is on the port now: then unicast answers may reach that one, and
    /// none are asked for (RFC 6762 §15.1).
    public var sharesPort: Bool
    /// Whether the node receives unicast. Beside another program it leaves that to it as long as
    /// it offers nothing.
    public var receivesUnicast: Bool
    /// The interfaces that the node works on now.
    public var interfaces: [Interface]
    /// What does not work there, and which interfaces can't be used that were used before or are
    /// named.
    public var failures: [InterfaceFailure]
    /// How the node learns of changes of interfaces.
    public var interfaceUpdates: InterfaceUpdates
    /// How many datagrams were lost because the kernel had no room for them: the node was not
    /// given the processor in time, or the link is flooded.
    public var lostDatagramCount: Int
}

extension NodeStatus.InterfaceUpdates {
    init(pollingReason: SystemError?) {
        self =
            pollingReason.map {
                .polled(reason: "\($0); allow AF_NETLINK sockets, so that changes are seen at once")
            } ?? .reported
    }
}
