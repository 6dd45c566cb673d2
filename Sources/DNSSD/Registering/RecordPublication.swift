import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// Records that are published as they are: a conflict ends them, since only their owner knows
/// of another name.
struct RecordPublication: Sendable {
    private(set) var publication: PublicationID
    /// The name by which its state is reported: the first unique one, else the first.
    private(set) var name: DomainName
    private var reported: RegistrationStatus?

    init(publication: PublicationID, records: RecordRegistration) {
        self.publication = publication
        name = Self.name(of: records)
    }

    mutating func update(_ records: RecordRegistration) {
        name = Self.name(of: records)
    }

    private static func name(of records: RecordRegistration) -> DomainName {
        let unique = records.members.first { $0.ownership == .unique }
        return (unique ?? records.members.first)?.record.name ?? .root
    }

    /// The records as the engine takes them.
    static func recordSet(
        _ records: RecordRegistration
    ) throws(RegistrationError) -> RecordSet {
        guard !records.members.isEmpty,
            !records.members.contains(where: { $0.record.type.isQueryOnly })
        else { throw .noRecord }
        for member in records.members { try check(member.record) }
        let members = records.members.map { member in
            let ownership: RecordSet.Ownership =
                switch member.ownership {
                case .shared: .shared
                case .unique: .unique
                case .knownUnique: .knownUnique
                }
            return RecordSet.Member(member.record, ownership)
        }
        return RecordSet(members, on: records.interfaces)
    }

    /// Refuses what can't be announced: a record without an owner, one whose TTL of 0 is a
    /// goodbye (RFC 6762 §10.1), one that no packet holds (RFC 6762 §17).
    private static func check(_ record: ResourceRecord) throws(RegistrationError) {
        if record.name.isRoot { throw .rootOwner(record.type) }
        if record.timeToLive == .goodbye { throw .zeroTimeToLive(record.name, record.type) }
        try checkSize(
            of: record.name, record.type, dataBytes: record.data.uncompressedBytes.count)
    }

    static func checkSize(
        of name: DomainName, _ type: RecordType, dataBytes: Int
    ) throws(RegistrationError) {
        // The name's final zero, type, class, TTL and the length of the data.
        let bytes = name.byteCount + 11 + dataBytes
        guard bytes <= DiscoveryLimits.recordBytes else {
            throw .recordTooLarge(name, type, bytes: bytes)
        }
    }

    mutating func take(_ status: PublicationStatus) -> RegistrationStatus? {
        let news: RegistrationStatus =
            switch status {
            case .probing: .probing(name)
            case .established: .established(name)
            case .conflicted(let lost): .conflicted(lost)
            }
        guard news != reported else { return nil }
        reported = news
        return news
    }
}
