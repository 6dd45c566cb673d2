public import DNSMessages

/// A narrower kind within a service type: any label, with or without an underscore
/// (RFC 6763 §7.1). Compared without regard to the case of ASCII letters.
public struct ServiceSubtype: Hashable, Sendable {
    /// The label in front of `_sub`.
    public let label: Label

    /// A subtype of these bytes.
    public init(_ label: Label) {
        self.label = label
    }

    /// A subtype of that text, taken as it is but for Unicode composition.
    ///
    /// - Throws: `NameError` if it is empty or has more than 63 bytes.
    public init(_ text: String) throws(NameError) {
        label = try Label(text.composed)
    }

    /// `<subtype>._sub.<type>.<domain>`: the name that is browsed (RFC 6763 §7.1).
    ///
    /// - Throws: `NameError.nameTooLong`.
    public func domainName(
        of type: ServiceType, in domain: DomainName = .local
    ) throws(NameError) -> DomainName {
        let parent = try type.domainName(in: domain)
        return try parent.prepending(Label("_sub")).prepending(label)
    }
}

extension ServiceSubtype: CustomStringConvertible {
    /// The label in the text form of names.
    public var description: String { label.description }
}
