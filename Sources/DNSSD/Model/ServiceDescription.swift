public import DNSMessages
public import NetworkPrimitives

/// A service that is to be registered.
public struct ServiceDescription: Hashable, Sendable {
    /// A host that the service runs on and that does not speak for itself (a proxy record).
    public struct ProxyHost: Hashable, Sendable {
        /// The host's name.
        public var name: DomainName
        /// Its addresses, published with the service; none if its name is published already.
        public var addresses: [IPAddress]
        /// Whether each address is published with its reverse mapping too (RFC 6762 §4), so that
        /// the name can be looked up by the address.
        public var publishesReverseMapping: Bool

        /// A host of that name and these addresses.
        public init(
            name: DomainName, addresses: [IPAddress] = [], publishesReverseMapping: Bool = true
        ) {
            self.name = name
            self.addresses = addresses
            self.publishesReverseMapping = publishesReverseMapping
        }
    }

    /// The instance name that the user reads; `nil` for the default (RFC 6763 §4.1.1).
    public var name: String?
    /// The service type.
    public var type: ServiceType
    /// The subtypes that the service can be found by as well.
    public var subtypes: [ServiceSubtype]
    /// The port; 0 only in a reserved name, or where `allowsPortZero` says so.
    public var port: UInt16
    /// The attributes.
    public var txt: TXTRecord
    /// The host that the service runs on; `nil` for this one.
    public var host: ProxyHost?
    /// The interfaces that the service is announced on.
    public var interfaces: InterfaceSelection
    /// The domain; multicast DNS answers for `local` (RFC 6762 §3).
    public var domain: DomainName
    /// Whether another name is chosen if this one is taken. If not, the registration ends.
    public var renamesOnConflict: Bool
    /// Whether only the name is to be held: an SRV record with port 0 and no PTR, for a device
    /// that has not the flagship protocol of its kind (RFC 6763 §8).
    public var reservesNameOnly: Bool
    /// Whether port 0 is intended: the service is listed by its PTR although nothing
    /// listens, such as the `_printer._tcp` of an IPP Everywhere printer without LPD
    /// (RFC 6763 §8) or a `_device-info._tcp`.
    public var allowsPortZero: Bool
    /// Whether a type that breaks the rules for service names (RFC 6335 §5.1) is published all
    /// the same, for devices and programs that know it by that name only;
    /// `ServiceType.checkRules` says which rule it breaks.
    public var isLenient: Bool

    /// A service of that type and port; everything else has a default.
    public init(
        name: String? = nil, type: ServiceType, port: UInt16, txt: TXTRecord = TXTRecord(),
        subtypes: [ServiceSubtype] = [], host: ProxyHost? = nil,
        interfaces: InterfaceSelection = .all, domain: DomainName = .local,
        renamesOnConflict: Bool = true, reservesNameOnly: Bool = false,
        allowsPortZero: Bool = false, isLenient: Bool = false
    ) {
        self.name = name
        self.type = type
        self.subtypes = subtypes
        self.port = port
        self.txt = txt
        self.host = host
        self.interfaces = interfaces
        self.domain = domain
        self.renamesOnConflict = renamesOnConflict
        self.reservesNameOnly = reservesNameOnly
        self.allowsPortZero = allowsPortZero
        self.isLenient = isLenient
    }
}

/// Records that are to be published as they are, beside any service.
public struct RecordRegistration: Hashable, Sendable {
    /// Whether others may have records of the same name and type (RFC 6762 §2).
    public enum Ownership: Hashable, Sendable {
        /// Others may have theirs; not probed.
        case shared
        /// Ours alone: probed, then defended.
        case unique
        /// Ours alone by its nature, as the reverse mapping of an own address: not probed.
        case knownUnique
    }

    /// A record and its ownership.
    public struct Member: Hashable, Sendable {
        /// The record with its time to live.
        public var record: ResourceRecord
        /// Whether it is ours alone.
        public var ownership: Ownership

        /// A record of that ownership.
        public init(_ record: ResourceRecord, _ ownership: Ownership) {
            self.record = record
            self.ownership = ownership
        }
    }

    /// The records: established, announced and withdrawn as one.
    public var members: [Member]
    /// The interfaces that they are valid on.
    public var interfaces: InterfaceSelection

    /// Records for these interfaces.
    public init(_ members: [Member], on interfaces: InterfaceSelection = .all) {
        self.members = members
        self.interfaces = interfaces
    }
}

/// Why something can't be registered.
public enum RegistrationError: Error, Hashable, Sendable {
    /// The service type breaks a rule.
    case type(ServiceTypeError)
    /// The instance name breaks a rule.
    case instance(InstanceNameError)
    /// A subtype's, host's or record's name breaks a rule.
    case name(NameError)
    /// The TXT record breaks a rule.
    case txt(TXTRecordError)
    /// Port 0, neither in a reserved name nor where it is intended.
    case portMissing
    /// A subtype occurs twice.
    case repeatedSubtype(ServiceSubtype)
    /// The domain, or the proxy host's, is not `local`.
    case notLocal(DomainName)
    /// A proxy host's address that no host can have: a group's, or unspecified.
    case badAddress(IPAddress)
    /// This process publishes that host with other addresses, or as its own.
    case hostInUse(DomainName)
    /// The service runs on this host, whose name is not published by choice.
    case hostNotPublished
    /// This process holds that name already, and another is not to be chosen.
    case nameInUse(ServiceInstanceName)
    /// There is no record, or one of a type that can only be asked for.
    case noRecord
    /// The record of that name and type is too large to be sent (RFC 6762 §17).
    case recordTooLarge(DomainName, RecordType, bytes: Int)
    /// The record of that name and type has TTL 0, which means goodbye (RFC 6762 §10.1).
    case zeroTimeToLive(DomainName, RecordType)
    /// A record of that type is owned by the root, which nobody on the link may claim.
    case rootOwner(RecordType)
    /// That control character stands in a host name, at that byte of its label, counted from 1.
    case controlCharacterInHostName(DomainName, UInt8, position: Int)
    /// There is no such registration, or it has ended.
    case unknownRegistration
}

extension RegistrationError: CustomStringConvertible {
    /// The reason as a sentence with what to do.
    public var description: String {
        switch self {
        case .type(let error): error.description
        case .instance(let error): error.description
        case .name(let error): error.description
        case .txt(let error): error.description
        case .portMissing:
            "port 0 can't be reached: give a port from 1 to 65535, or set allowsPortZero for a "
                + "service that is only listed (RFC 6763 §8)"
        case .repeatedSubtype(let subtype):
            "the subtype '\(subtype)' occurs twice"
        case .notLocal(let name):
            "'\(name)' is not in the domain 'local', the only one that multicast DNS serves"
        case .badAddress(let address):
            "\(address) can't be the address of a host"
        case .hostInUse(let name):
            "the host '\(name)' is published with other addresses by this process"
        case .hostNotPublished:
            "this host's own name is not published: name a host for the service"
        case .nameInUse(let name):
            "'\(name)' is registered by this process already"
        case .noRecord:
            "there is no record to publish"
        case .recordTooLarge(let name, let type, let bytes):
            "the \(type) record of '\(name)' takes \(bytes) bytes: at most "
                + "\(DiscoveryLimits.recordBytes) fit in a packet, shorten it (RFC 6762 §17)"
        case .zeroTimeToLive(let name, let type):
            "the \(type) record of '\(name)' has TTL 0, which means that it is gone: give it at "
                + "least 1 second, or withdraw its registration (RFC 6762 §10.1)"
        case .rootOwner(let type):
            "a \(type) record of the root '.' can't be published: give the record a name, "
                + "under 'local' as a rule"
        case .controlCharacterInHostName(let name, let byte, let position):
            "the host name '\(name)' has the control character 0x"
                + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                + " at byte \(position) of a label: leave it out"
        case .unknownRegistration:
            "there is no such registration, or it has ended"
        }
    }
}
