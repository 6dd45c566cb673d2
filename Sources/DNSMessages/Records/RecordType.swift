/// The type of a record or of what is asked for.
public struct RecordType: RawRepresentable, Hashable, Sendable, Comparable {
    /// The number on the wire.
    public var rawValue: UInt16

    /// The type with that number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// An IPv4 address (RFC 1035).
    public static let a = RecordType(rawValue: 1)
    /// A name server (RFC 1035).
    public static let ns = RecordType(rawValue: 2)
    /// An alias (RFC 1035).
    public static let cname = RecordType(rawValue: 5)
    /// The start of a zone (RFC 1035).
    public static let soa = RecordType(rawValue: 6)
    /// A pointer to another name (RFC 1035).
    public static let ptr = RecordType(rawValue: 12)
    /// Host information (RFC 1035).
    public static let hinfo = RecordType(rawValue: 13)
    /// A mail exchanger (RFC 1035).
    public static let mx = RecordType(rawValue: 15)
    /// Text strings (RFC 1035).
    public static let txt = RecordType(rawValue: 16)
    /// An IPv6 address (RFC 3596).
    public static let aaaa = RecordType(rawValue: 28)
    /// The place of a service (RFC 2782).
    public static let srv = RecordType(rawValue: 33)
    /// An alias of a whole subtree (RFC 6672).
    public static let dname = RecordType(rawValue: 39)
    /// The pseudo-record of the extensions (RFC 6891).
    public static let opt = RecordType(rawValue: 41)
    /// What types a name has (RFC 4034).
    public static let nsec = RecordType(rawValue: 47)
    /// A service binding (RFC 9460).
    public static let svcb = RecordType(rawValue: 64)
    /// A service binding for HTTPS (RFC 9460).
    public static let https = RecordType(rawValue: 65)
    /// Asks for every type; never a record's own type.
    public static let any = RecordType(rawValue: 255)

    /// Whether it can only be asked for: ANY, AXFR, IXFR, MAILA, MAILB, and 0.
    public var isQueryOnly: Bool { rawValue == 0 || (250...255).contains(rawValue) }

    public static func < (left: RecordType, right: RecordType) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension RecordType: CustomStringConvertible {
    private static let names: [(RecordType, String)] = [
        (.a, "A"), (.ns, "NS"), (.cname, "CNAME"), (.soa, "SOA"), (.ptr, "PTR"),
        (.hinfo, "HINFO"), (.mx, "MX"), (.txt, "TXT"), (.aaaa, "AAAA"), (.srv, "SRV"),
        (.dname, "DNAME"), (.opt, "OPT"), (.nsec, "NSEC"), (.svcb, "SVCB"), (.https, "HTTPS"),
        (.any, "ANY"),
    ]

    /// The mnemonic, or `TYPE123` for a type without one here (RFC 3597 §5).
    public var description: String {
        Self.names.first { $0.0 == self }?.1 ?? "TYPE\(rawValue)"
    }

    /// Reads a mnemonic in any case, `TYPE123`, or a plain number; `nil` for other text.
    public init?(_ text: String) {
        let upper = text.uppercased()
        if let known = Self.names.first(where: { $0.1 == upper }) {
            self = known.0
        } else if upper.hasPrefix("TYPE"), let number = UInt16(upper.dropFirst(4)) {
            self.init(rawValue: number)
        } else if let number = UInt16(upper) {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }
}
