public import DNSMessages
public import NetworkPrimitives

/// An event of a browse. Each instance is added once and removed once on each interface.
public enum BrowseEvent: Hashable, Sendable {
    /// It is there now.
    case added(ServiceInstance)
    /// What is known of it changed: more, less, or other data. Only in a browse that resolves.
    case changed(ServiceInstance)
    /// It is gone.
    case removed(ServiceInstance)
    /// There are more instances on the interface than are kept: some are not reported.
    case incomplete(InterfaceIndex)

    /// The instance that the event is about.
    public var instance: ServiceInstance? {
        switch self {
        case .added(let instance), .changed(let instance), .removed(let instance): instance
        case .incomplete: nil
        }
    }
}

/// What is known of a service on one interface: an event of its resolution, and the state that
/// an instance has in a browse that resolves.
public enum Resolution: Hashable, Sendable {
    /// Where the service is: host, port and at least one address.
    case resolved(ResolvedService)
    /// Only a part is known: no answer for the rest within two seconds, or a record expired.
    case partial(PartialService)
    /// The service is not offered: its SRV record has the root as target (RFC 2782), or a
    /// negative response says that it has no SRV record (RFC 6762 §6.1).
    case unavailable(ServiceInstanceName, InterfaceIndex)
    /// All that had been known has expired or was withdrawn.
    case lost(ServiceInstanceName, InterfaceIndex)

    /// The instance.
    public var name: ServiceInstanceName {
        switch self {
        case .resolved(let service): service.name
        case .partial(let service): service.name
        case .unavailable(let name, _), .lost(let name, _): name
        }
    }

    /// The interface on which it holds.
    public var interface: InterfaceIndex {
        switch self {
        case .resolved(let service): service.interface
        case .partial(let service): service.interface
        case .unavailable(_, let interface), .lost(_, let interface): interface
        }
    }
}

/// An event of a lookup of a host's addresses.
public enum AddressEvent: Hashable, Sendable {
    /// An address is there; `name` is the host asked for, or what it is an alias of.
    case added(IPAddress, name: DomainName, InterfaceIndex)
    /// An address is gone.
    case removed(IPAddress, name: DomainName, InterfaceIndex)
    /// The host has no address of that family, as its owner says (RFC 6762 §6.1).
    case absent(AddressFamily, InterfaceIndex)
}

/// An event of an enumeration of service types.
public enum TypeEvent: Hashable, Sendable {
    /// Some instance of that type is announced on that interface.
    case added(ServiceType, InterfaceIndex)
    /// No longer so.
    case removed(ServiceType, InterfaceIndex)
}

/// An event of a reverse lookup or of a domain enumeration.
public enum NameEvent: Hashable, Sendable {
    /// A name is there.
    case added(DomainName, InterfaceIndex)
    /// A name is gone.
    case removed(DomainName, InterfaceIndex)
    /// There is none, as the owner says (RFC 6762 §6.1).
    case absent(InterfaceIndex)
}

/// An event of a query for records.
public enum RecordEvent: Hashable, Sendable {
    /// A record is there.
    case added(ResourceRecord, InterfaceIndex)
    /// A record is gone.
    case removed(ResourceRecord, InterfaceIndex)
    /// There is none of that type, as the owner says (RFC 6762 §6.1).
    case absent(RecordType, InterfaceIndex)
    /// There are more records on the interface than are kept: some are not reported.
    case incomplete(InterfaceIndex)
}

/// Where a registration stands. Names of raw records are reported as they are.
public enum RegistrationStatus: Hashable, Sendable {
    /// Asking the link whether the name is free.
    case probing(DomainName)
    /// The name is ours, its records are announced and answered.
    case established(DomainName)
    /// The name was taken; the registration goes on with another (RFC 6762 §9).
    case renamed(from: DomainName, to: DomainName)
    /// The name of the host that the service is on, this one or a proxy, was taken; the host
    /// goes on under another (RFC 6762 §9).
    case hostRenamed(from: DomainName, to: DomainName)
    /// No free name was found for a minute, for the service or the host that it is on; the
    /// search goes on (RFC 6762 §9).
    case failing(DomainName, attempts: Int)
    /// It is established, but not everywhere: these failures keep it from being found on an
    /// interface, or over a family. Follows `established`, which comes again once they are over.
    case limited(DomainName, [InterfaceFailure])
    /// Nothing can be sent on any interface of the registration, so nobody can find it. Attempts
    /// go on: it is `established` once it could be probed for and announced.
    case blocked(DomainName, InterfaceFailure)
    /// The name is taken and no other is to be chosen: the registration has ended.
    case conflicted(DomainName)
}

/// Where this host's own name stands.
public enum HostNameStatus: Hashable, Sendable {
    /// Asking the links whether the name is free.
    case probing(DomainName)
    /// The name is ours on every interface that has an address.
    case established(DomainName)
    /// The name was taken on some link; it changed on all (RFC 6762 §14).
    case renamed(from: DomainName, to: DomainName)
    /// No free name was found for a minute; the search goes on (RFC 6762 §9).
    case failing(DomainName, attempts: Int)
}

/// The kinds of domains that can be asked for (RFC 6763 §11).
public enum DomainEnumeration: String, Hashable, Sendable, CaseIterable {
    /// Domains recommended for browsing.
    case browse = "b"
    /// The one domain recommended for browsing.
    case defaultBrowse = "db"
    /// Domains recommended for registering.
    case registration = "r"
    /// The one domain recommended for registering.
    case defaultRegistration = "dr"
    /// Domains browsed when the user names none: "legacy" or automatic browsing.
    case automaticBrowse = "lb"
}
