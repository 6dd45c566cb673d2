public import NetworkPrimitives

/// The type of a record and its data.
public enum RecordData: Hashable, Sendable {
    /// A, an IPv4 address.
    case a(IPv4Address)
    /// AAAA, an IPv6 address.
    case aaaa(IPv6Address)
    /// PTR, another name.
    case ptr(DomainName)
    /// CNAME, the name that this one is an alias of.
    case cname(DomainName)
    /// SRV, where a service is.
    case srv(ServiceLocation)
    /// TXT, strings of bytes.
    case txt(TextStrings)
    /// NSEC, which types a name has.
    case nsec(NextSecure)
    /// HINFO, processor and operating system.
    case hinfo(HostInformation)
    /// OPT, the pseudo-record of the extensions.
    indirect case opt(ExtensionOptions)
    /// Any other type, its bytes with the names in them uncompressed (RFC 3597).
    case unknown(RecordType, [UInt8])

    /// The type.
    public var type: RecordType {
        switch self {
        case .a: .a
        case .aaaa: .aaaa
        case .ptr: .ptr
        case .cname: .cname
        case .srv: .srv
        case .txt: .txt
        case .nsec: .nsec
        case .hinfo: .hinfo
        case .opt: .opt
        case .unknown(let type, _): type
        }
    }

    /// An A or AAAA of that address.
    public init(_ address: IPAddress) {
        switch address {
        case .v4(let address): self = .a(address)
        case .v6(let address): self = .aaaa(address)
        }
    }

    /// The address of an A or AAAA; `nil` for other types.
    public var address: IPAddress? {
        switch self {
        case .a(let address): .v4(address)
        case .aaaa(let address): .v6(address)
        default: nil
        }
    }

    /// The name that a PTR, CNAME or SRV leads to; `nil` for other types.
    package var target: DomainName? {
        switch self {
        case .ptr(let target), .cname(let target): target
        case .srv(let location): location.target
        default: nil
        }
    }
}

extension RecordData {
    /// About how many bytes the data takes in a message.
    package var wireSizeEstimate: Int {
        switch self {
        case .ptr(let name), .cname(let name): name.byteCount
        case .srv(let location): 6 + location.target.byteCount
        case .txt(let strings): strings.wireBytes.count
        case .unknown(_, let bytes): bytes.count
        default: 16
        }
    }

    /// The data with names and strings that have bytes of their own, so that it keeps no message
    /// alive.
    package var compacted: RecordData {
        switch self {
        case .ptr(let name): .ptr(name.compacted)
        case .cname(let name): .cname(name.compacted)
        case .srv(let location):
            .srv(
                ServiceLocation(
                    target: location.target.compacted, port: location.port,
                    priority: location.priority, weight: location.weight))
        case .nsec(let next):
            .nsec(
                NextSecure(nextName: next.nextName.compacted, uncheckedBitmap: next.bitmap))
        case .txt(let strings): .txt(strings.compacted)
        case .a, .aaaa, .hinfo, .opt, .unknown: self
        }
    }
}
