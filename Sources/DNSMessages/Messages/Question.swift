/// What a query asks for.
public struct Question: Hashable, Sendable {
    /// The name asked about.
    public var name: DomainName
    /// The type asked for; `.any` for all.
    public var type: RecordType
    /// The class asked for; `.any` for all.
    public var recordClass: RecordClass
    /// Whether a unicast answer is preferred: the QU bit (RFC 6762 §5.4).
    public var prefersUnicast: Bool

    /// A question, by default of the Internet class and to be answered by multicast.
    public init(
        _ name: DomainName, _ type: RecordType, recordClass: RecordClass = .internet,
        prefersUnicast: Bool = false
    ) {
        self.name = name
        self.type = type
        self.recordClass = recordClass
        self.prefersUnicast = prefersUnicast
    }

    /// Whether a record of these answers the question: the names equal, type and class equal or
    /// asked for as ANY; an alias answers every type (RFC 6762 §6).
    public func matches(_ record: ResourceRecord) -> Bool {
        matches(type: record.type, recordClass: record.recordClass) && record.name == name
    }

    /// As `matches(_:)` where the names are known to be equal.
    package func matches(type: RecordType, recordClass: RecordClass) -> Bool {
        (self.type == type || self.type == .any || type == .cname)
            && (self.recordClass == recordClass || self.recordClass == .any)
    }
}
