public import DNSMessages

/// A service's name and transport, `_http._tcp` (RFC 6763 §4.1.2, §7).
///
/// Types compare without regard to the case of ASCII letters; the case as given is kept.
public struct ServiceType: Hashable, Sendable {
    /// What the service runs over; everything but TCP is `_udp` (RFC 6763 §7).
    public enum Transport: Hashable, Sendable, CaseIterable {
        /// TCP.
        case tcp
        /// UDP, and every transport that is not TCP.
        case udp

        /// `_tcp` or `_udp`.
        public var text: String {
            switch self {
            case .tcp: "_tcp"
            case .udp: "_udp"
            }
        }
    }

    /// The first label, underscore included.
    public let nameLabel: Label
    /// The second label as given: `_tcp` or `_udp` in any case.
    public let transportLabel: Label

    /// The service name without its underscore, `http`.
    public var name: String {
        String(decoding: nameLabel.bytes.dropFirst(), as: UTF8.self)
    }

    /// What the service runs over.
    public var transport: Transport {
        Self.transport(of: transportLabel) ?? .udp
    }

    /// Reads `_http._tcp`, a final dot allowed, by the rules for service names that one may
    /// register (RFC 6335 §5.1).
    ///
    /// - Throws: `ServiceTypeError`, which says which rule and where.
    public init(_ text: String) throws(ServiceTypeError) {
        let type = try ServiceType(lenient: text)
        try type.checkRules()
        self = type
    }

    /// Reads a type that is only looked for: names that devices use against the rules, over
    /// 15 characters or with inner underscores, are taken too.
    ///
    /// - Throws: `ServiceTypeError` if the text has not the shape `_name._tcp` or `_name._udp`.
    public init(lenient text: String) throws(ServiceTypeError) {
        let trimmed = text.hasSuffix(".") ? String(text.dropLast()) : text
        let parts = trimmed.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.first, first.hasPrefix("_") else {
            throw .missingUnderscore(String(parts.first ?? ""))
        }
        guard parts.count > 1 else { throw .missingTransport(trimmed) }
        let transport = parts.dropFirst().joined(separator: ".")
        guard parts.count == 2, let second = try? Label(transport),
            Self.transport(of: second) != nil
        else { throw .unknownTransport(transport) }
        guard first.utf8.count > 1 else { throw .emptyName }
        guard let label = try? Label(String(first)) else {
            throw .tooLong(name: String(first.dropFirst()), bytes: first.utf8.count - 1)
        }
        self.init(nameLabel: label, transportLabel: second)
    }

    /// A type from two labels of a name on the wire; `nil` if they have not its shape.
    public init?(_ name: Label, _ transport: Label) {
        guard name.bytes.first == UInt8(ascii: "_"), name.bytes.count > 1,
            Self.transport(of: transport) != nil
        else { return nil }
        self.init(nameLabel: name, transportLabel: transport)
    }

    init(nameLabel: Label, transportLabel: Label) {
        self.nameLabel = nameLabel
        self.transportLabel = transportLabel
    }

    /// Checks the rules for service names (RFC 6335 §5.1, RFC 6763 §7, S7-2), which registering
    /// asks for and browsing does not.
    ///
    /// - Throws: `ServiceTypeError`, which says which rule and where.
    public func checkRules() throws(ServiceTypeError) {
        let bytes = Array(nameLabel.bytes.dropFirst())
        for (position, byte) in bytes.enumerated() where !Self.isAllowed(byte) {
            let rest = String(decoding: bytes[position...], as: UTF8.self)
            throw .badCharacter(rest.first ?? "\u{FFFD}", name: name, position: position + 1)
        }
        guard bytes.count <= DiscoveryLimits.serviceNameBytes else {
            throw .tooLong(name: name, bytes: bytes.count)
        }
        let hyphen = UInt8(ascii: "-")
        if bytes.first == hyphen { throw .hyphenAtStart(name) }
        if bytes.last == hyphen { throw .hyphenAtEnd(name) }
        for position in bytes.indices.dropFirst()
        where bytes[position] == hyphen && bytes[position - 1] == hyphen {
            throw .adjacentHyphens(name, position: position + 1)
        }
        guard bytes.contains(where: Self.isLetter) else { throw .noLetter(name) }
    }

    /// The two labels under `domain`, `_http._tcp.local`: the name that is browsed.
    ///
    /// - Throws: `NameError.nameTooLong`.
    public func domainName(in domain: DomainName = .local) throws(NameError) -> DomainName {
        try domain.prepending(transportLabel).prepending(nameLabel)
    }

    private static func transport(of label: Label) -> Transport? {
        Transport.allCases.first { $0.text == label.text.lowercased() }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
    }
}

extension ServiceType: CustomStringConvertible {
    /// The text form of the two labels, `_http._tcp`.
    public var description: String { "\(nameLabel).\(transportLabel)" }
}

extension ServiceType: Comparable {
    /// An order by text, the case of ASCII letters left out.
    public static func < (left: ServiceType, right: ServiceType) -> Bool {
        left.description.lowercased() < right.description.lowercased()
    }
}
