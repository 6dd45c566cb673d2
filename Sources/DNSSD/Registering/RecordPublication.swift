import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// Records that are published as they are: a conflict ends them, since only their owner knows
/// of another name.
struct RecordPublication: Sendable {
    private(set) var publication: PublicationID
    /// The name by which its state is reported: the first unique one, else the first.
    private(set) var name: DomainName
    private var interfaces: InterfaceSelection
    private var isEstablished = false
    private var failure = NamingFailure()
    private var reported: RegistrationStatus?

    init(publication: PublicationID, records: RecordRegistration) {
        self.publication = publication
        name = Self.name(of: records)
        interfaces = records.interfaces
    }

    var deadline: Instant? { failure.deadline }

    mutating func update(_ records: RecordRegistration) {
        name = Self.name(of: records)
        interfaces = records.interfaces
    }

    /// A name that is not established is being searched for, as long as there is an interface
    /// to probe on.
    mutating func updateFailure(_ engine: RoutedEngine, at now: Instant) {
        failure.update(
            isClaiming: !isEstablished && engine.runs(on: interfaces), at: now)
    }

    mutating func advance(at now: Instant) -> [RegistrationStatus] {
        failure.isDue(by: now) ? [.failing(name, attempts: 1)] : []
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

    /// Handles the status of the publication: the status to report, if it changed.
    mutating func handle(
        _ status: PublicationStatus, _ engine: RoutedEngine, at now: Instant
    ) -> RegistrationStatus? {
        let new: RegistrationStatus
        switch status {
        case .probing:
            isEstablished = false
            new = .probing(name)
        case .established:
            isEstablished = true
            new = .established(name)
        case .conflicted(let lost):
            new = .conflicted(lost)
        }
        updateFailure(engine, at: now)
        guard new != reported else { return nil }
        reported = new
        return new
    }
}
