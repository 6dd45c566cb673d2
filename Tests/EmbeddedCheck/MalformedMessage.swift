import DNSMessages

/// An item that is skipped.
struct Skipped: Hashable, Sendable {
    let section: MessageSection
    let index: Int
    let offset: Int
    let reason: SkippedItem.Reason

    init(_ section: MessageSection, _ index: Int, at offset: Int, _ reason: SkippedItem.Reason) {
        self.section = section
        self.index = index
        self.offset = offset
        self.reason = reason
    }
}

/// What we keep and skip of a damaged message, and why.
struct MalformedMessage: Sendable {
    let file: String
    /// Kept questions, answers, authorities and additionals.
    let kept: [Int]
    /// What is skipped, in order.
    let skipped: [Skipped]
    /// Whether the message as a whole is refused; what is kept of it is only shown then.
    var isRefused = false
    /// Why that is right, or why it differs from what the peer's own test wants.
    let reason: String

    /// Every file under `malformed/`. The policy is ARCHITECTURE.md §0 and conformance.md §5.
    static let all: [MalformedMessage] = [
        MalformedMessage(
            file: "ha-airplay-corrupt", kept: [0, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .dataCut)],
            reason: "as the peer: RDLENGTH is garbage, so the record has no known end (D-9)"),
        MalformedMessage(
            file: "ha-four-bytes", kept: [0, 0, 0, 0], skipped: [], isRefused: true,
            reason: "as the peer: shorter than a header (D-1)"),
        MalformedMessage(
            file: "jmdns-nmap-snmp-probe", kept: [0, 0, 0, 0],
            skipped: [Skipped(.question, 0, at: 12, .labelType)], isRefused: true,
            reason: "as the peer: the counts promise more than 51 bytes hold (D-11)"),
        MalformedMessage(
            file: "netxduo-bad-packet1", kept: [0, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .dataCut)],
            reason: "as the peer, record by record: nothing is left to use"),
        MalformedMessage(
            file: "netxduo-bad-packet2", kept: [0, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .dataCut)],
            reason: "as the peer, record by record: nothing is left to use"),
        MalformedMessage(
            file: "netxduo-bad-packet4", kept: [0, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .dataCut)],
            reason: "as the peer: a zero byte in front makes the owner the root, the rest is off"),
        MalformedMessage(
            file: "netxduo-invalid-data-1", kept: [0, 1, 0, 2],
            skipped: [Skipped(.additional, 2, at: 98, .pointerNotBackwards)],
            reason: "as the peer: three records, the last is invalid (D-4)"),
        MalformedMessage(
            file: "netxduo-invalid-data-2", kept: [0, 1, 0, 2],
            skipped: [Skipped(.additional, 2, at: 98, .pointerNotBackwards)],
            reason: "as the peer: three records, the last is invalid (D-4)"),
        MalformedMessage(
            file: "netxduo-invalid-data-4", kept: [0, 2, 0, 0],
            skipped: [Skipped(.answer, 2, at: 96, .nameCut)],
            reason: "as the peer: two records, the third is cut (D-5)"),
        MalformedMessage(
            file: "netxduo-invalid-data-6", kept: [0, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .dataCut)],
            reason: "as the peer: no record (D-9)"),
        MalformedMessage(
            file: "openscreen-missing-answer", kept: [1, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 31, .missing)],
            reason: "the peer rejects it; a query keeps the questions before the fault (D-10)"),
        MalformedMessage(
            file: "openscreen-seed-multi-answer", kept: [0, 4, 0, 0],
            skipped: [
                Skipped(.answer, 3, at: 210, .recordClass),
                Skipped(.answer, 5, at: 273, .recordClass),
            ],
            reason: "the peer only wants no crash; a record's class ANY is refused (D-18, D-19)"),
        MalformedMessage(
            file: "openscreen-seed-multi-question-as-text", kept: [0, 0, 0, 0],
            skipped: [Skipped(.question, 0, at: 12, .labelType)], isRefused: true,
            reason: "as the peer: text, not DNS (D-2, D-25)"),
        MalformedMessage(
            file: "openwrt-mdnsd-crash", kept: [0, 0, 0, 0],
            skipped: [
                Skipped(.answer, 0, at: 12, .timeToLive), Skipped(.answer, 1, at: 69, .missing),
            ], isRefused: true,
            reason: "as the peer: operation code and counts are garbage (D-2, D-11)"),
        MalformedMessage(
            file: "zeroconf-a-rdlength-overruns", kept: [0, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .dataCut)],
            reason: "as the peer: no address (D-9)"),
        MalformedMessage(
            file: "zeroconf-eufy-homebase-bad-nsec", kept: [0, 5, 0, 0],
            skipped: [Skipped(.answer, 1, at: 61, .pointerNotBackwards)],
            reason: "as the peer: the one NSEC is skipped, all else is kept (D-4, A-6)"),
        MalformedMessage(
            file: "zeroconf-field-garbage-1", kept: [0, 0, 0, 0],
            skipped: [Skipped(.question, 0, at: 12, .labelType)], isRefused: true,
            reason: "as the peer: random bytes (D-2, D-25)"),
        MalformedMessage(
            file: "zeroconf-label-count-attack", kept: [0, 0, 0, 1],
            skipped: [Skipped(.additional, 1, at: 31, .nameTooLong)],
            reason: "as the peer: one record, the second's name is over 255 bytes (D-7)"),
        MalformedMessage(
            file: "zeroconf-label-past-end", kept: [0, 0, 0, 1],
            skipped: [Skipped(.additional, 1, at: 40, .nameCut)],
            reason: "as the peer: one record (D-5)"),
        MalformedMessage(
            file: "zeroconf-nsec-bitmap-overruns", kept: [0, 1, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .typeBitmap)],
            reason: "as the peer: the NSEC goes, the PTR stays (D-15)"),
        MalformedMessage(
            file: "zeroconf-nsec-truncated-window", kept: [0, 1, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .typeBitmap)],
            reason: "as the peer: the NSEC goes, the PTR stays (D-15)"),
        MalformedMessage(
            file: "zeroconf-pointer-to-itself", kept: [0, 0, 0, 1],
            skipped: [Skipped(.additional, 1, at: 40, .pointerNotBackwards)],
            reason: "as the peer: one record, no endless loop (D-3)"),
        MalformedMessage(
            file: "zeroconf-truncated-third-authority", kept: [4, 0, 0, 0],
            skipped: [Skipped(.authority, 0, at: 236, .dataCut)],
            reason: "as the peer: the four questions are usable (D-10)"),
        MalformedMessage(
            file: "zeroconf-txt-rdlength-overruns", kept: [0, 0, 0, 0],
            skipped: [Skipped(.answer, 0, at: 12, .dataCut)],
            reason: "as the peer: no answer; the header alone is accepted (D-9)"),
    ]
}

extension MalformedMessage {
    /// What the decoder makes of the file's bytes that is not as it stands here.
    func faults(in bytes: [UInt8]) -> [String] {
        var faults: [String] = []
        let isRefusedNow: Bool
        do throws(MessageDecodingError) {
            _ = try Message.decode(bytes)
            isRefusedNow = false
        } catch {
            isRefusedNow = true
        }
        if isRefusedNow != isRefused { faults.append("refused: \(isRefusedNow)") }
        guard bytes.count >= 12 else { return faults }
        guard let shown = try? Message.inspect(bytes) else { return faults + ["it has no header"] }
        let keptNow = MessageSection.allCases.map { section in
            section == .question
                ? shown.message.questions.count : shown.message.records(in: section).count
        }
        if keptNow != kept { faults.append("kept: \(keptNow)") }
        let skippedNow = shown.skipped.map {
            Skipped($0.section, $0.index, at: $0.offset, $0.reason)
        }
        if skippedNow != skipped {
            let reasons = shown.skipped.map { "\($0.reason) at \($0.offset)" }
            faults.append("skipped: \(reasons.joined(separator: ", "))")
        }
        return faults
    }
}
