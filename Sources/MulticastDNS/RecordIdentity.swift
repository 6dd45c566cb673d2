import DNSMessages

/// What makes two records the same: name, class and data (RFC 6762 §10.2).
struct RecordIdentity: Hashable, Sendable {
    let name: DomainName
    let recordClass: RecordClass
    let data: RecordData

    init(_ record: ResourceRecord) {
        name = record.name
        recordClass = record.recordClass
        data = record.data
    }
}
