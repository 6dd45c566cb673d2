import DNSMessages
import NetworkPrimitives

typealias QuestionHandle = SlotHandle<ActiveQuestion>

/// A question that runs on a link: who wants it and when it is asked next (RFC 6762 §5.2).
struct ActiveQuestion: Sendable {
    var question: Question
    var subscribers: [QueryID] = []
    /// The next query of the series; `.never` while a unique answer serves (RFC 6762 §5.2).
    var due = Instant.never
    /// A query beside the series, after an answer was removed.
    var confirmationDue = Instant.never
    /// The time of the timer that counts for this question.
    var timer = Instant.never
    /// The interval after the next query of the series.
    var interval = Timing.initialQueryInterval
    var lastSent: Instant?
    /// The families over which another host has asked the same since (RFC 6762 §7.3).
    var familiesAskedOver: FamilySet = []
    /// Whether the next query asks for unicast: the first after the link came up
    /// (RFC 6762 §5.4).
    var asksForUnicast = false
    /// Kept without a subscriber until then, to reconfirm a record (RFC 6762 §10.4).
    var reconfirmsUntil: Instant?
    /// Whether not all of its answers found room in the cache, as was reported to its subscribers.
    var isIncomplete = false
    /// Whether an answer found no room since the last query.
    var lacksRoom = false

    var nextDue: Instant { min(due, confirmationDue) }

    /// The next interval: twice the last, up to an hour (RFC 6762 §5.2, M5-5). Answers that find
    /// no room are asked for ever more rarely.
    mutating func lengthenInterval() {
        let longest =
            isIncomplete ? Timing.longestIncompleteInterval : Timing.longestQueryInterval
        interval = min(interval * 2, longest)
    }

    /// When it may be asked again, whatever asks for it: tiny lifetimes make no storm (§5.2,
    /// M5-4, A-18), and what does not fit into the cache is not asked for to keep a part of it.
    var earliestQuery: Instant {
        guard let lastSent else { return .zero }
        let last = isIncomplete ? min(interval / 2, Timing.longestQueryInterval) : .zero
        return lastSent.advanced(by: max(last, Timing.minimumQueryInterval))
    }

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
}
