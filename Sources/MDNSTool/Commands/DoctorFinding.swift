import LocalNetworkAccess

/// Something that keeps multicast DNS, or a connection, from working, or may do so.
struct DoctorFinding: Hashable, Sendable {
    /// How much it hurts.
    typealias Severity = ConfigurationFinding.Severity

    /// What it is called, the same in all versions: `no-carrier`.
    var code: String
    var severity: Severity
    /// Whether it is sure to be the case.
    var isCertain: Bool
    /// What is wrong, without a full stop.
    var what: String
    /// What to do about it; empty if nothing has to be done.
    var fix: String
    /// What can't be known about it from this program; `nil` if nothing is left open.
    var unknown: String?

    /// Its place among the findings: what hurts most first, and what is certain before what is
    /// only possible.
    private var rank: Int {
        let order =
            switch severity {
            case .error: 0
            case .warning: 1
            case .hint: 2
            }
        return order * 2 + (isCertain ? 0 : 1)
    }

    /// The findings by their places; those of the same place stay in their order.
    static func ordered(_ findings: [DoctorFinding]) -> [DoctorFinding] {
        findings.enumerated().sorted { left, right in
            (left.element.rank, left.offset) < (right.element.rank, right.offset)
        }.map { $0.element }
    }
}

extension DoctorFinding {
    init(_ reason: LocalNetworkReason) {
        self.init(
            code: reason.name, severity: reason.severity, isCertain: reason.isCertain,
            what: reason.text, fix: reason.remedy, unknown: reason.unknown)
    }

    init(_ finding: ConfigurationFinding) {
        self.init(
            code: finding.code, severity: finding.severity, isCertain: true, what: finding.what,
            fix: finding.fix)
    }
}

extension LocalNetworkReason {
    /// How much it hurts: an error where a family on an interface certainly fails.
    fileprivate var severity: DoctorFinding.Severity {
        switch self {
        case .familyMissing, .ipv6Disabled, .interfacesPolled, .macvlan, .recorded,
            .recordedElsewhere, .recordDamaged, .recordNotStored:
            .hint
        case .mtuTooSmall, .reversePathFiltered, .portRedirected, .hopLimitChanged,
            .nothingReceived, .nobodyAnswered, .containerBridge, .userModeNetwork, .tunnel,
            .hostNameShared, .suspended:
            .warning
        default: .error
        }
    }

    /// What no program can know of it without the rights of the administrator, or from here.
    fileprivate var unknown: String? {
        switch self {
        case .noCarrier: "whether the cable, the switch or the Wi-Fi is the cause"
        case .portHeld(let holder) where holder?.program == nil: "which program that is"
        case .portHeldByOtherUser: "which options that program has set"
        case .socketsRefused: "who has set the filter"
        case .sendingRefused, .inputDropped: "which rule that is, without CAP_NET_ADMIN"
        case .outputDropped: "whether a queue or a rule at the device drops it"
        case .nothingReceived:
            "whether the network between or each of the other hosts drops packets; "
                + "'mdns doctor' on another host may say it"
        case .nobodyAnswered:
            "whether there is no other host or the network between drops packets; "
                + "'mdns doctor' on another host may say it"
        default: nil
        }
    }
}
