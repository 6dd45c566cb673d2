/// A resource record.
public struct ResourceRecord: Hashable, Sendable {
    /// Whom the record is about: its owner name.
    public var name: DomainName
    /// The class, without the top bit.
    public var recordClass: RecordClass
    /// How long it may be kept.
    public var timeToLive: TimeToLive
    /// Type and data.
    public var data: RecordData
    /// The top bit of the class: the record belongs to a unique set, sent in whole, and
    /// older members are to be flushed (RFC 6762 §10.2).
    public var cacheFlush: Bool

    /// A record, by default of the Internet class and without the cache-flush bit.
    public init(
        _ name: DomainName, _ data: RecordData, timeToLive: TimeToLive,
        recordClass: RecordClass = .internet, cacheFlush: Bool = false
    ) {
        self.name = name
        self.recordClass = recordClass
        self.timeToLive = timeToLive
        self.data = data
        self.cacheFlush = cacheFlush
    }

    /// The type, as the data has it.
    public var type: RecordType { data.type }

    /// Whether both are the same record: name, type, class and data, whatever the time to live
    /// and the cache-flush bit (RFC 6762 §10.2).
    public func isSameRecord(as other: ResourceRecord) -> Bool {
        recordClass == other.recordClass && data == other.data && name == other.name
    }
}

/// What makes two records the same: name, class and data (RFC 6762 §10.2).
package struct RecordIdentity: Hashable, Sendable {
    let name: DomainName
    let recordClass: RecordClass
    let data: RecordData

    package init(_ record: ResourceRecord) {
        name = record.name
        recordClass = record.recordClass
        data = record.data
    }
}
