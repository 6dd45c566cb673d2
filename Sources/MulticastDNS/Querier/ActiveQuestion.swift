import DNSMessages
import NetworkPrimitives

/// A question that runs on a link: who wants it and when it is asked next (RFC 6762 §5.2).
struct ActiveQuestion: Sendable {
    let question: Question
    var subscribers: [QueryID] = []
    /// The next query of the series; `.never` while a unique answer serves (RFC 6762 §5.2).
    var due = Instant.never
    /// A query beside the series, after an answer was removed.
    var confirmationDue = Instant.never
    /// A query beside the series, for an answer whose lifetime is running out.
    var refreshDue = Instant.never
    /// The interval after the next query of the series.
    private var interval = Timing.initialQueryInterval
    private(set) var lastSent: Instant?
    /// The families over which another host has asked the same since (RFC 6762 §7.3).
    private var familiesAskedOver: FamilySet = []
    /// Whether the next query asks for unicast: the first after the link came up
    /// (RFC 6762 §5.4).
    var asksForUnicast = false
    /// Kept without a subscriber until then, to reconfirm a record (RFC 6762 §10.4).
    var reconfirmsUntil: Instant?
    /// Whether not all of its answers found room in the cache, as was reported to its subscribers.
    private(set) var isIncomplete = false
    /// Whether an answer found no room since the last query.
    private var lacksRoom = false

    init(_ question: Question) {
        self.question = question
    }

    var nextDue: Instant { min(min(due, confirmationDue), refreshDue) }
    var isWanted: Bool { !subscribers.isEmpty || reconfirmsUntil != nil }

    // MARK: Answers

    func matches(_ record: ResourceRecord) -> Bool {
        question.matches(type: record.type, recordClass: record.recordClass)
    }

    /// Whether the record, of the question's name, is an NSEC that says the name has nothing of
    /// the type asked for. Its next name does not matter (RFC 6762 §6.1).
    func isNegativeResponse(_ record: ResourceRecord) -> Bool {
        // It speaks of its own class (RFC 6762 §12, M12-3, M6-27).
        guard case .nsec(let next) = record.data,
            question.recordClass == record.recordClass || question.recordClass == .any
        else { return false }
        // What has an alias has something of every type (M6-3, M12-3), and nobody owns a set
        // that is shared by definition.
        return !next.contains(question.type) && !next.contains(.cname)
            && !(question.type == .ptr && question.name.holdsSharedPointers)
    }

    /// Whether the record, of the question's name, is an answer, be it a negative one.
    func isAnswered(by record: ResourceRecord) -> Bool {
        matches(record) || isNegativeResponse(record)
    }

    /// Whether the record answers a query that was sent a short time ago (RFC 6762 §6, M6-19).
    func isSolicited(_ record: ResourceRecord, at now: Instant) -> Bool {
        guard let lastSent, lastSent.duration(to: now) <= Timing.answerWindow else { return false }
        return isAnswered(by: record)
    }

    /// An answer found no room; true if that is to be reported: once until all fit again.
    mutating func noteLackOfRoom() -> Bool {
        lacksRoom = true
        defer { isIncomplete = true }
        return !isIncomplete
    }

    // MARK: The series of queries

    /// The series begins, or begins anew.
    mutating func restart(at due: Instant) {
        interval = Timing.initialQueryInterval
        self.due = due
    }

    /// A unique answer, or its owner's word that there is none, ends the series of queries; what
    /// is in the cache is asked for again when its time comes (RFC 6762 §5.2). Shared answers
    /// leave others to be found, and so does ANY (M5-17).
    mutating func endSeries(with record: ResourceRecord) {
        if record.cacheFlush, question.type != .any, isAnswered(by: record) { due = .never }
    }

    /// When it may be asked again, whatever asks for it: tiny lifetimes make no storm (§5.2,
    /// M5-4, A-18), and what does not fit into the cache is not asked for to keep a part of it.
    var earliestQuery: Instant {
        guard let lastSent else { return .zero }
        let last = isIncomplete ? min(interval / 2, Timing.longestQueryInterval) : .zero
        return lastSent.advanced(by: max(last, Timing.minimumQueryInterval))
    }

    /// Whether it may be asked now, when it is due. Two queries for one question are a second
    /// apart at least; one of a series that is due sooner waits, a refresh is as good as asked.
    mutating func mayBeAsked(at now: Instant) -> Bool {
        if let until = reconfirmsUntil, until <= now { reconfirmsUntil = nil }
        let earliest = earliestQuery
        guard isWanted, earliest > now else { return isWanted }
        if due <= now { due = earliest }
        if confirmationDue <= now { confirmationDue = earliest }
        refreshDue = .never
        return false
    }

    mutating func noteSent(at now: Instant) {
        lastSent = now
        familiesAskedOver = []
        confirmationDue = .never
        refreshDue = .never
        // A retransmission is an ordinary question (RFC 6762 §5.4, M5-23, M5-24).
        asksForUnicast = false
        // All that answered the last query fitted.
        if !lacksRoom { isIncomplete = false }
        lacksRoom = false
        // A refresh does not disturb the series (RFC 6762 §5.2, M5-12, M5-17).
        if due <= now { continueSeries(now) }
    }

    /// Whether the next query is needless if another host asks the same: if it is to come soon.
    /// Reconfirmation takes our own (RFC 6762 §7.3, §10.4, M7-14, M10-22).
    func mayBeDuplicated(at now: Instant) -> Bool {
        reconfirmsUntil == nil && now.duration(to: due) <= interval / 2
    }

    /// Another host has asked the same over that family; true if that counts as our own query,
    /// which would have reached the hosts of either family: theirs must have, too.
    mutating func noteDuplicate(
        _ family: AddressFamily, of families: FamilySet, at now: Instant
    ) -> Bool {
        familiesAskedOver.insert(FamilySet(family))
        guard familiesAskedOver.isSuperset(of: families) else { return false }
        familiesAskedOver = []
        asksForUnicast = false
        lastSent = now
        continueSeries(now)
        return true
    }

    /// The next interval: twice the last, up to an hour (RFC 6762 §5.2, M5-5). Answers that find
    /// no room are asked for ever more rarely.
    private mutating func continueSeries(_ now: Instant) {
        due = now.advanced(by: interval)
        let longest =
            isIncomplete ? Timing.longestIncompleteInterval : Timing.longestQueryInterval
        interval = min(interval * 2, longest)
    }
}
