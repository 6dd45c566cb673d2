/// What the system says of one network interface: a snapshot.
public struct NetworkInterface: Hashable, Sendable {
    /// What the kernel tells of an interface in yes and no.
    public struct Flags: OptionSet, Hashable, Sendable {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Switched on by the administrator.
        public static let up = Flags(rawValue: 1)
        /// Able to pass packets: there is a carrier.
        public static let running = Flags(rawValue: 2)
        /// The loopback.
        public static let loopback = Flags(rawValue: 4)
        /// Able to send to groups.
        public static let multicast = Flags(rawValue: 8)
        /// A line with one other end.
        public static let pointToPoint = Flags(rawValue: 16)
    }

    /// One address of an interface.
    public struct Address: Hashable, Sendable, Comparable {
        /// Address and prefix length.
        public var prefix: NetworkPrefix
        /// Still under duplicate address detection, or found to be a duplicate: not to be used.
        public var isTentative: Bool
        /// Past its preferred lifetime: not to be advertised.
        public var isDeprecated: Bool
        /// A privacy address, which changes by itself.
        public var isTemporary: Bool

        /// An address in good standing unless said otherwise.
        public init(
            _ prefix: NetworkPrefix, isTentative: Bool = false, isDeprecated: Bool = false,
            isTemporary: Bool = false
        ) {
            self.prefix = prefix
            self.isTentative = isTentative
            self.isDeprecated = isDeprecated
            self.isTemporary = isTemporary
        }

        /// The address itself.
        public var address: IPAddress { prefix.address }
        /// Whether it can be advertised: neither tentative nor deprecated.
        public var isUsable: Bool { !isTentative && !isDeprecated }

        public static func < (left: Address, right: Address) -> Bool {
            left.prefix < right.prefix
        }
    }

    /// The interface's name, `eth0`.
    public var name: String
    /// The kernel's number.
    public var index: InterfaceIndex
    /// State and kind.
    public var flags: Flags
    /// The largest packet in bytes, IP header included.
    public var maximumTransmissionUnit: Int
    /// The link-layer address, where there is one of 48 bits.
    public var hardwareAddress: HardwareAddress?
    /// All addresses, in a stable order.
    public var addresses: [Address]

    /// A snapshot; the addresses are put in order.
    public init(
        name: String, index: InterfaceIndex, flags: Flags, maximumTransmissionUnit: Int = 1500,
        hardwareAddress: HardwareAddress? = nil, addresses: [Address] = []
    ) {
        self.name = name
        self.index = index
        self.flags = flags
        self.maximumTransmissionUnit = maximumTransmissionUnit
        self.hardwareAddress = hardwareAddress
        self.addresses = addresses.sorted()
    }

    /// Whether packets can be exchanged over it now: up, with a carrier.
    public var isUsable: Bool { flags.isSuperset(of: [.up, .running]) }
    /// Whether groups can be used on it. Linux leaves the flag off `lo`, which can all the same.
    public var canMulticast: Bool { flags.contains(.multicast) || flags.contains(.loopback) }

    /// Whether a selection of all interfaces leaves it out: nobody else is on the loopback, and a
    /// point-to-point line leads to another network.
    public var isUsedOnlyWhenNamed: Bool {
        !flags.isDisjoint(with: [.loopback, .pointToPoint])
    }

    /// Whether `address` lies in a subnet of this interface (RFC 6762 §11).
    public func isOnLink(_ address: IPAddress) -> Bool {
        if case .v6(let six) = address, six.isLinkLocal { return true }
        return addresses.contains { $0.prefix.contains(address) }
    }

    /// Whether `address` is one of the interface's own.
    public func owns(_ address: IPAddress) -> Bool {
        addresses.contains { $0.address == address }
    }

    /// Whether it has an address of that family.
    public func has(_ family: AddressFamily) -> Bool {
        addresses.contains { $0.address.family == family }
    }
}
