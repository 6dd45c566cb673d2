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
