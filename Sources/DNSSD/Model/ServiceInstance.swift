public import DNSMessages
public import NetworkPrimitives

/// A service instance that was found, on one interface.
public struct ServiceInstance: Hashable, Sendable {
    /// Its one name, the same in every event about it.
    public var name: ServiceInstanceName
    /// The interface it was found on.
    public var interface: InterfaceIndex
    /// What is known of it; `nil` before anything is, and in a browse that does not resolve.
    public var resolution: Resolution?

    /// An instance on that interface.
    public init(
        _ name: ServiceInstanceName, on interface: InterfaceIndex,
        resolution: Resolution? = nil
    ) {
        self.name = name
        self.interface = interface
        self.resolution = resolution
    }

    /// Where it is, while host, port and an address are known.
    public var service: ResolvedService? {
        if case .resolved(let service) = resolution { service } else { nil }
    }
}

/// A service of which only a part is known, on one interface.
public struct PartialService: Hashable, Sendable {
    /// The part that is missing.
    public enum Missing: Hashable, Sendable {
        /// Host and port: there is no SRV record.
        case location
        /// The host's addresses: nobody answers for it.
        case addresses
        /// The host's addresses: its name belongs to unicast DNS and is not asked for by
        /// multicast (RFC 6762 §13).
        case unicastAddresses
    }

    /// The instance.
    public var name: ServiceInstanceName
    /// The interface on which this holds.
    public var interface: InterfaceIndex
    /// The part that is missing.
    public var missing: Missing
    /// Host and port, if known.
    public var location: ServiceLocation?
    /// The first TXT record, if known.
    public var txt: TXTRecord?

    /// A service of which `missing` is missing.
    public init(
        name: ServiceInstanceName, interface: InterfaceIndex, missing: Missing,
        location: ServiceLocation? = nil, txt: TXTRecord? = nil
    ) {
        self.name = name
        self.interface = interface
        self.missing = missing
        self.location = location
        self.txt = txt
    }
}

/// Where a service is and what it says of itself, on one interface.
public struct ResolvedService: Hashable, Sendable {
    /// The instance.
    public var name: ServiceInstanceName
    /// The interface on which all of this holds.
    public var interface: InterfaceIndex
    /// Where it is: the SRV record that was picked.
    public var location: ServiceLocation
    /// Other places to try after that one, in order (RFC 2782); nearly always none.
    public var alternatives: [ServiceLocation]
    /// The first TXT record.
    public var txt: TXTRecord
    /// Further TXT records; only printers of the LPR protocol have some (RFC 6763 §6.8).
    public var furtherTexts: [TXTRecord]
    /// The addresses of the host that was picked, in order.
    public var addresses: [IPAddress]

    /// A resolved service.
    public init(
        name: ServiceInstanceName, interface: InterfaceIndex, location: ServiceLocation,
        alternatives: [ServiceLocation] = [], txt: TXTRecord = TXTRecord(),
        furtherTexts: [TXTRecord] = [], addresses: [IPAddress] = []
    ) {
        self.name = name
        self.interface = interface
        self.location = location
        self.alternatives = alternatives
        self.txt = txt
        self.furtherTexts = furtherTexts
        self.addresses = addresses
    }

    /// The host's name.
    public var host: DomainName { location.target }
    /// The port.
    public var port: UInt16 { location.port }
    /// Whether only the name is reserved, so that nothing can be reached (RFC 6763 §8).
    public var isReservedName: Bool { location.port == 0 }

    /// The addresses with the port, and the interface where an address needs one.
    public var socketAddresses: [SocketAddress] {
        addresses.map { address in
            let needsScope = address.family == .ipv6 && address.isLinkLocal
            return SocketAddress(address, port: port, scope: needsScope ? interface : nil)
        }
    }
}
