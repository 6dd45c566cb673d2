import DNSMessages
import NetworkPrimitives

// Doubt: what others ask tells what is no longer true, and what they ask need not be asked
// twice. Read RFC 6762 §7.3, §10.4 and §10.5.

extension Link {
    /// Makes sure of a record: two queries or more, and it is gone in ten seconds if nobody
    /// answers (RFC 6762 §10.4).
    mutating func reconfirm(_ record: ResourceRecord, _ context: inout Context) {
        guard let slot = cache.slot(of: record) else { return }
        let end = context.now.advanced(by: Timing.reconfirmationTimeout)
        shorten(slot, to: end)
        let question = Question(record.name, record.type, recordClass: record.recordClass)
        let questionSlot: Int
        if let running = questions.slot(of: question) {
            questionSlot = running
        } else {
            questionSlot = questions.add(ActiveQuestion(question: question))
            cache.setUsed(slot, true)
        }
        // Two queries or more within the ten seconds, whatever runs already (M10-22).
        questions[questionSlot].keptUntil = end
        questions[questionSlot].gap = Timing.initialQueryInterval
        let delay = context.generator.duration(in: Timing.firstQueryDelay)
        questions[questionSlot].due = context.now.advanced(by: delay)
        schedule(question: questionSlot)
    }

    /// Another asks: our own query may be needless, and a record that nobody answers with may be
    /// dead.
    mutating func observe(_ message: Message, _ info: DatagramInfo, _ context: inout Context) {
        // Known answers that are still to come may hold more than we know (RFC 6762 §7.3, M7-14).
        guard !message.header.isTruncated else { return }
        // Answers to QU questions are not for all to hear (M7-14, M10-25).
        for question in message.questions where !question.prefersUnicast {
            if let slot = questions.slot(of: question) {
                countAsSent(slot, known: message.answers, info.family, &context)
            }
            doubtUnanswered(question, known: message.answers, info.family, context)
        }
    }

    /// The same question with no more known answers than ours would have: ours, if it is to come
    /// soon, counts as sent (RFC 6762 §7.3).
    private mutating func countAsSent(
        _ slot: Int, known: [ResourceRecord], _ family: AddressFamily, _ context: inout Context
    ) {
        let planned = questions[slot]
        // Only a planned query of a series (M7-14); making sure of a record takes our own
        // (RFC 6762 §10.4, M10-22).
        guard planned.keptUntil == nil,
            context.now.duration(to: planned.due) <= planned.gap / 2
        else { return }
        let isCovered = known.allSatisfy { record in
            guard planned.question.matches(record) else { return true }
            guard let entry = cache.slot(of: record) else { return false }
            return isListedAsKnown(cache[entry], context.now)
        }
        // Nothing is known to them that is not to us (M7-14).
        guard isCovered else { return }
        questions[slot].heardOver.insert(FamilySet(family))
        // Ours would have reached the hosts of either family; theirs must have, too (M7-14).
        guard questions[slot].heardOver.isSuperset(of: families) else { return }
        questions[slot].heardOver = []
        context.statistics.suppressedByDuplicateQuestion += 1
        questions[slot].asksForUnicast = false
        questions[slot].lastSent = context.now
        questions[slot].due = context.now.advanced(by: planned.gap)
        questions[slot].lengthenGap()
        schedule(question: slot)
    }

    /// Two queries of others without an answer cast doubt on a record: it is gone ten seconds
    /// later unless somebody answers; we ask nothing ourselves (RFC 6762 §10.5).
    private mutating func doubtUnanswered(
        _ question: Question, known: [ResourceRecord], _ family: AddressFamily,
        _ context: Context
    ) {
        let now = context.now
        // Bounded work (D-28).
        guard cache.count(named: question.name) <= context.limits.observedSetSize else { return }
        for slot in cache.slots(named: question.name) {
            let entry = cache[slot]
            // A question that the owner heard and had to answer (M10-25).
            guard question.matches(type: entry.record.type, recordClass: entry.record.recordClass),
                // An owner that spoke over the other family may not have heard the question,
                // and a host that asks over both asks once.
                entry.source.family == family,
                // Its owner need not repeat what it multicast within the last second, nor what
                // the querier knows.
                entry.received.duration(to: now) > Timing.multicastInterval,
                !known.contains(where: { $0.isSameRecord(as: entry.record) })
            else { continue }
            let count = entry.unansweredQueries &+ 1
            cache[slot].unansweredQueries = min(count, UInt8(Timing.unansweredQueryCount))
            // The second such query (M10-25).
            if count == UInt8(Timing.unansweredQueryCount) {
                shorten(slot, to: now.advanced(by: Timing.reconfirmationTimeout))
            }
        }
    }

    /// After sleep or a change of the network, cached records have ten seconds to be heard
    /// again (RFC 6762 §10.3).
    mutating func doubtEverything(_ context: inout Context) {
        let end = context.now.advanced(by: Timing.reconfirmationTimeout)
        for slot in cache.liveSlots { shorten(slot, to: end) }
    }
}
