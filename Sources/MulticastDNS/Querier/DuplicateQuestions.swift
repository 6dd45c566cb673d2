import DNSMessages
import NetworkPrimitives

// Duplicate question suppression. Read RFC 6762 §7.3.

extension Querier {
    /// Another host asks the same, with no more known answers than ours would have: our query,
    /// if it is to come soon, counts as sent (RFC 6762 §7.3, M7-14). Reconfirmation takes our own
    /// (§10.4, M10-22).
    mutating func observe(
        _ question: Question, known: [ResourceRecord], _ family: AddressFamily,
        reading cache: RecordCache, _ families: FamilySet, _ context: inout Context
    ) {
        guard let handle = handle(of: question) else { return }
        let planned = questions[handle]
        guard planned.reconfirmsUntil == nil,
            context.now.duration(to: planned.due) <= planned.interval / 2
        else { return }
        let isCovered = known.allSatisfy { record in
            guard planned.question.matches(record) else { return true }
            return cache.entry(of: record)?.isKnownAnswer(at: context.now) ?? false
        }
        guard isCovered else { return }
        questions[handle].familiesAskedOver.insert(FamilySet(family))
        // Ours would have reached the hosts of either family; theirs must have, too.
        guard questions[handle].familiesAskedOver.isSuperset(of: families) else { return }
        questions[handle].familiesAskedOver = []
        context.statistics.suppressedByDuplicateQuestion += 1
        questions[handle].asksForUnicast = false
        questions[handle].lastSent = context.now
        questions[handle].due = context.now.advanced(by: planned.interval)
        questions[handle].lengthenInterval()
        schedule(handle)
    }
}
