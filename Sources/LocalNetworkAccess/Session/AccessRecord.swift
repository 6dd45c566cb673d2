import NetworkPrimitives

/// A status as it is stored: what was found, and the boot and the interfaces it is true for.
struct AccessRecord: Hashable, Sendable {
    var status: LocalNetworkAccessStatus
    var network: NetworkIdentity
    var reasons: [RecordedReason]

    /// The longest text of a record.
    static let maximumBytes = 1 << 16
    private static let heading = "vicinity local network access 1"
    private static let maximumLines = 256

    /// What is worth storing of an assessment: an answer, and only where it holds.
    ///
    /// - Parameter working: The interfaces that it worked on, for a status of allowed.
    init?(_ assessment: LocalNetworkAssessment, working: Set<String> = []) {
        var network = assessment.network
        switch assessment.status {
        case .allowed:
            network.interfaces = network.interfaces.filter { line in
                line.split(separator: " ").first.map { working.contains(String($0)) } ?? false
            }
        case .denied: break
        case .notDetermined, .notRequired, .unknown: return nil
        }
        status = assessment.status
        self.network = network
        reasons = assessment.reasons.map {
            RecordedReason(name: $0.name, text: $0.text, remedy: $0.remedy)
        }
    }

    /// Whether it holds on that network: in the same boot, with its interfaces there as they
    /// were. A denial holds only where there is no other interface, which might work.
    func holds(on other: NetworkIdentity) -> Bool {
        guard network.bootID == other.bootID, network.namespace == other.namespace,
            !network.bootID.isEmpty, !network.interfaces.isEmpty
        else { return false }
        return status == .denied
            ? network.interfaces == other.interfaces
            : Set(network.interfaces).isSubset(of: other.interfaces)
    }

    /// The record as text.
    var encoded: [UInt8] {
        var lines = [
            Self.heading, "status \(status.rawValue)", "boot \(network.bootID)",
            "namespace \(network.namespace)",
        ]
        lines += network.interfaces.map { "interface \($0)" }
        lines += reasons.map { reason in
            "reason " + [reason.name, reason.text, reason.remedy].joined(separator: "\t")
        }
        // A line is a line whatever a name has in it.
        let text = lines.prefix(Self.maximumLines).map { line in
            String(line.map { $0.isNewline ? " " : $0 })
        }
        return Array((text + ["end", ""]).joined(separator: "\n").utf8)
    }

    /// Reads a record; what is wrong with one that is damaged.
    static func decode(_ bytes: [UInt8]) throws(AccessRecordError) -> AccessRecord {
        guard bytes.count <= maximumBytes else { throw .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popFirst() == heading[...] else { throw .unknownForm }
        guard lines.popLast() == "", lines.popLast() == "end" else { throw .incomplete }
        var record = AccessRecord()
        var hasStatus = false
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .badLine }
            let value = String(parts[1])
            switch parts[0] {
            case "status":
                guard let status = LocalNetworkAccessStatus(rawValue: value), !hasStatus,
                    status == .allowed || status == .denied
                else { throw .badLine }
                record.status = status
                hasStatus = true
            case "boot": record.network.bootID = value
            case "namespace":
                guard let number = UInt64(value) else { throw .badLine }
                record.network.namespace = number
            case "interface": record.network.interfaces.append(value)
            case "reason":
                let fields = value.split(separator: "\t", omittingEmptySubsequences: false)
                guard fields.count == 3 else { throw .badLine }
                record.reasons.append(
                    RecordedReason(
                        name: String(fields[0]), text: String(fields[1]),
                        remedy: String(fields[2])))
            default: throw .badLine
            }
        }
        guard hasStatus else { throw .incomplete }
        return record
    }

    private init() {
        status = .notDetermined
        network = NetworkIdentity()
        reasons = []
    }
}

/// What is wrong with a stored status.
enum AccessRecordError: Error, Hashable, Sendable {
    case tooLong
    case notText
    case unknownForm
    case incomplete
    case badLine

    /// In words.
    var text: String {
        switch self {
        case .tooLong: "it is too long"
        case .notText: "it is no text"
        case .unknownForm: "its form is unknown"
        case .incomplete: "it is incomplete"
        case .badLine: "a line can't be read"
        }
    }
}
