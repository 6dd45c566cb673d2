public import NetworkPrimitives

/// What a program can see of its own access to the local network at one moment.
///
/// All but `traffic` is read without sending anything.
public struct LocalNetworkFacts: Hashable, Sendable {
    /// The interfaces that the program means to use.
    public var selection: InterfaceSelection = .all
    /// The families that the program means to use.
    public var families: Set<AddressFamily> = [.ipv4, .ipv6]
    /// The interfaces that there are.
    public var interfaces: [InterfaceFacts] = []
    /// The system's number (`errno`) if it does not report changes of interfaces.
    public var interfaceReportsError: Int32?
    /// The calls that failed while the sockets were opened.
    public var refusals: [Refusal] = []
    /// The sockets of others on port 5353.
    public var portHolders: [PortHolder] = []
    /// What is known of the process.
    public var process = ProcessFacts()
    /// How many IPv4 groups a socket may join; `nil` where the system does not tell.
    public var membershipLimit: Int?
    /// The destinations of routes that matter here, by interface.
    public var routes: [RouteFacts] = []
    /// The hosts on the link that the kernel has exchanged packets with.
    public var neighbourCount = 0
    /// Another daemon of this host that answers for the host's plain name.
    public var hostNameDaemon: String?
    /// Whether the program uses the host's plain name, too.
    public var usesPlainHostName = false
    /// The boot and the network that this was seen in.
    public var network = NetworkIdentity()
    /// What sending to the group came to, once that was tried.
    public var traffic: [TrafficFacts] = []
    /// What the kernel counted while that was tried.
    public var counters = CounterFacts()

    /// Nothing seen.
    public init() {}

    /// Whether a request on the other facts has to begin anew on these: on another network, or
    /// with other interfaces that can be used.
    func differs(from other: LocalNetworkFacts) -> Bool {
        network != other.network || usableInterfaces != other.usableInterfaces
    }

    private var usableInterfaces: [InterfaceIndex] {
        interfaces.map { $0.interface }
            .filter { selection.isEligible($0, families: families) }.map { $0.index }
    }
}

/// What is known of an interface.
public struct InterfaceFacts: Hashable, Sendable {
    /// The system's word on it.
    public var interface: NetworkInterface
    /// The kernel's name for its kind: `veth`, `bridge`, `tun`; `nil` for hardware.
    public var kind: String?
    /// Whether its other end is in another network namespace.
    public var hasPeerElsewhere = false
    /// Whether IPv6 is switched off on it.
    public var isIPv6Disabled = false
    /// Addresses that another host has as well (RFC 4862 §5.4).
    public var duplicateAddresses: Set<IPAddress> = []

    /// Facts of an interface.
    public init(_ interface: NetworkInterface, kind: String? = nil) {
        self.interface = interface
        self.kind = kind
    }
}

/// A call that the system refused.
public struct Refusal: Hashable, Sendable {
    /// What was tried.
    public enum Operation: String, Hashable, Sendable {
        /// Opening a socket.
        case socket
        /// Taking port 5353.
        case bind
    }

    /// What was tried.
    public var operation: Operation
    /// The family.
    public var family: AddressFamily
    /// The system's number (`errno`).
    public var number: Int32

    /// A refused call.
    public init(_ operation: Operation, _ family: AddressFamily, number: Int32) {
        self.operation = operation
        self.family = family
        self.number = number
    }
}

/// A socket of another program on port 5353.
public struct PortHolder: Hashable, Sendable {
    /// The family.
    public var family: AddressFamily
    /// Its user's number.
    public var user: UInt32
    /// The program, where this one may see it.
    public var program: String?

    /// A socket of that user.
    public init(_ family: AddressFamily, user: UInt32, program: String? = nil) {
        self.family = family
        self.user = user
        self.program = program
    }
}

/// What is known of the process.
public struct ProcessFacts: Hashable, Sendable {
    /// Its user's number.
    public var user: UInt32 = 0
    /// Whether a seccomp filter is around it.
    public var hasSystemCallFilter = false
    /// How many files it may open; `nil` where that is unknown.
    public var openFileLimit: Int?
    /// How many it has open.
    public var openFileCount = 0
    /// Whether it, or the machine, stood still while the rest was seen.
    public var wasSuspended = false

    /// Nothing known.
    public init() {}
}

/// A route that matters to multicast DNS or shows a tunnel.
public struct RouteFacts: Hashable, Sendable {
    /// The interface's name.
    public var interface: String
    /// The destination.
    public var destination: NetworkPrefix
    /// The next hop, if there is one.
    public var gateway: IPAddress?

    /// A route.
    public init(_ destination: NetworkPrefix, interface: String, gateway: IPAddress? = nil) {
        self.destination = destination
        self.interface = interface
        self.gateway = gateway
    }

    /// Whether it leads everywhere.
    public var isDefault: Bool { destination.length == 0 }
}

/// What sending to the group came to on one interface over one family.
public struct TrafficFacts: Hashable, Sendable {
    /// The interface.
    public var interface: InterfaceIndex
    /// The family.
    public var family: AddressFamily
    /// Whether the group was joined.
    public var isJoined = false
    /// The system's number if it refused that.
    public var joinError: Int32?
    /// How many datagrams the kernel took.
    public var sentCount = 0
    /// The system's number if it refused the last one.
    public var sendError: Int32?
    /// Whether sending to this host itself is refused too.
    public var isLoopbackRefused = false
    /// How many of our own datagrams came back, as those to a group do.
    public var loopedBackCount = 0
    /// The hop limit they had then.
    public var loopedBackHopLimit: UInt8?
    /// How many datagrams of other hosts came to the group.
    public var receivedCount = 0
    /// How many of those were responses.
    public var answeredCount = 0
    /// Whether enough time went by for the copies to come back.
    public var isSettled = false

    /// Nothing tried yet.
    public init(_ interface: InterfaceIndex, _ family: AddressFamily) {
        self.interface = interface
        self.family = family
    }
}

/// What the kernel counted, for all programs of the network together; `nil` if unknown.
public struct CounterFacts: Hashable, Sendable {
    /// Multicast datagrams that reached IPv4, before the packet filter's input chain.
    public var multicastReceived: Int?
    /// The same over IPv6.
    public var multicastReceivedIPv6: Int?
    /// Datagrams dropped because the route back to their source leaves by another interface.
    public var reversePathDropped: Int?
    /// Datagrams to a port that nobody had.
    public var portUnreachable: Int?

    /// Nothing counted.
    public init() {}
}

/// A boot of the machine and the networks it was joined to then.
public struct NetworkIdentity: Hashable, Sendable {
    /// The kernel's random id of the boot; empty where there is none.
    public var bootID = ""
    /// The kernel's number of the network namespace; 0 where that is unknown.
    public var namespace: UInt64 = 0
    /// Each interface that can be used, as its name and its subnets.
    public var interfaces: [String] = []

    /// No network.
    public init() {}

    /// The boot and the subnets of these interfaces.
    public init(bootID: String, namespace: UInt64, interfaces: [NetworkInterface]) {
        self.bootID = bootID
        self.namespace = namespace
        self.interfaces = interfaces.filter { !$0.flags.contains(.loopback) && $0.isUsable }
            .map { Self.text($0) }.sorted()
    }

    /// `eth0 192.0.2.0/24 fe80::/64`: a new address in the same subnet changes nothing.
    private static func text(_ interface: NetworkInterface) -> String {
        let subnets = Set(
            interface.addresses.filter { !$0.isTentative }.map { $0.prefix.network })
        return ([interface.name] + subnets.sorted().map { $0.description })
            .joined(separator: " ")
    }
}

extension NetworkPrefix {
    /// The prefix without the host's part of the address.
    var network: NetworkPrefix {
        switch address {
        case .v4(let address):
            let mask: UInt32 = length == 0 ? 0 : ~0 << UInt32(32 - length)
            return NetworkPrefix(
                .v4(IPv4Address(rawValue: address.rawValue & mask)), length: length)
        case .v6(let address):
            let mask: UInt128 = length == 0 ? 0 : ~0 << UInt128(128 - length)
            return NetworkPrefix(
                .v6(IPv6Address(rawValue: address.rawValue & mask)), length: length)
        }
    }
}
