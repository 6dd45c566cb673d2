import MDNS

/// What is known so far of each record that `mdns reconfirm` asks for.
struct Reconfirmation {
    /// What became of a record.
    enum Verdict: String, Hashable, Sendable {
        /// Its owner has answered.
        case confirmed
        /// Its owner says that there is none of that type.
        case absent
        /// Nobody answered.
        case gone
    }

    /// What comes of a question.
    enum Sign: Sendable {
        case answered(RecordEvent)
        /// The time in which a record has to prove itself has passed.
        case timedOut
    }

    /// A line of the output.
    struct Finding: Hashable, Sendable {
        var verdict: Verdict
        var name: DomainName
        var type: RecordType
        /// The record that was received; `nil` for one that is gone.
        var record: ResourceRecord?
        /// The data that was asked for or received.
        var data: RecordData?
        var interface: InterfaceIndex?
    }

    let target: ReconfirmTarget
    /// Of each check; `nil` as long as nothing is known.
    private var verdicts: [Verdict?]
    private var reported: Set<Finding> = []

    init(_ target: ReconfirmTarget) {
        self.target = target
        verdicts = target.checks.map { _ in nil }
    }

    /// Whether an event answers a check, so that it need not be asked for much longer.
    static func settles(_ event: RecordEvent, _ check: ReconfirmTarget.Check) -> Bool {
        switch event {
        case .added(let record, _):
            !check.isShared && (check.data.map { $0 == record.data } ?? true)
        case .absent: !check.isShared
        case .removed, .incomplete: false
        }
    }

    /// Handles a sign of the check of that number.
    ///
    /// - Returns: What is to be reported, once; `nil` if it is about something else.
    mutating func handle(_ sign: Sign, of number: Int) -> Finding? {
        let check = target.checks[number]
        let finding: Finding
        switch sign {
        case .answered(.added(let record, let interface)):
            guard check.data.map({ $0 == record.data }) ?? true else { return nil }
            verdicts[number] = .confirmed
            finding = Finding(
                verdict: .confirmed, name: record.name, type: record.type, record: record,
                data: record.data, interface: interface)
        case .answered(.absent(let type, let interface)):
            if verdicts[number] != .confirmed { verdicts[number] = .absent }
            finding = Finding(
                verdict: .absent, name: check.name, type: type, interface: interface)
        case .answered(.removed), .answered(.incomplete):
            // A goodbye: it was there, and says itself that it is not any more.
            return nil
        case .timedOut:
            guard verdicts[number] == nil else { return nil }
            verdicts[number] = .gone
            finding = Finding(
                verdict: .gone, name: check.name, type: check.type, data: check.data)
        }
        // A second question has what the first one had.
        var key = finding
        key.record = nil
        return reported.insert(key).inserted ? finding : nil
    }

    /// Whether the target is there as asked for.
    var isConfirmed: Bool {
        target.oneIsEnough
            ? verdicts.contains(.confirmed) : verdicts.allSatisfy { $0 == .confirmed }
    }

    /// Whether there is no sign of the target at all.
    var isGone: Bool { verdicts.allSatisfy { $0 == .gone } }
}
