import DNSMessages
import NetworkPrimitives

// When questions are asked. Read RFC 6762 §5.2 (continuous queries) and §5.4 (QU).

extension Querier {
    /// The earliest query of a series or beside it.
    var deadline: Instant? { timers.earliest }

    mutating func schedule(_ handle: QuestionHandle) {
        let due = questions[handle].nextDue
        guard due < questions[handle].timer else { return }
        questions[handle].timer = due
        timers.insert(handle, at: due)
    }

    private func counts(_ handle: QuestionHandle, at time: Instant) -> Bool {
        questions.contains(handle) && questions[handle].timer == time
    }

    /// Drops timers that nobody waits for any more: those in front, so that nothing is woken
    /// for them, and those behind when they are many.
    mutating func pruneTimers() {
        while let (time, handle) = timers.first, !counts(handle, at: time) { timers.dropFirst() }
        if timers.count > 4 * (64 + count) { timers = timers.filter { counts($1, at: $0) } }
    }

    /// A random 20 to 120 ms from now (RFC 6762 §5.2), one draw for all questions of a moment.
    mutating func firstQueryTime(_ context: inout Context) -> Instant {
        if let batch, batch.created == context.now { return batch.due }
        let delay = context.generator.duration(in: Timing.firstQueryDelay)
        let due = context.now.advanced(by: delay)
        batch = (context.now, due)
        return due
    }

    /// A unique answer, or its owner's word that there is none, ends the series of queries; what
    /// is in the cache is asked for again when its time comes (RFC 6762 §5.2). Shared answers
    /// leave others to be found, and so does ANY (M5-17).
    mutating func endSeries(_ handle: QuestionHandle, with record: ResourceRecord) {
        let active = questions[handle]
        guard record.cacheFlush, active.question.type != .any,
            active.matches(record) || active.isNegativeResponse(record)
        else { return }
        questions[handle].due = .never
    }

    /// As `endSeries` for whatever the cache has of the name; what is being reconfirmed is no
    /// answer (M5-17, M7-5).
    mutating func endSeriesIfAnswered(_ handle: QuestionHandle, reading cache: RecordCache) {
        cache.forEach(named: HashedName(questions[handle].question.name)) {
            if !$0.needsReconfirmation { endSeries(handle, with: $0.record) }
        }
    }

    /// An answer is gone: a series that it had ended begins anew, and one that runs is joined by
    /// a single query, lest a forged goodbye hide a record until the next.
    mutating func resume(
        _ handle: QuestionHandle, after record: ResourceRecord, reading cache: RecordCache,
        _ context: inout Context
    ) {
        guard !questions[handle].subscribers.isEmpty else { return }
        if questions[handle].due == .never {
            questions[handle].interval = Timing.initialQueryInterval
            questions[handle].due = firstQueryTime(&context)
            endSeriesIfAnswered(handle, reading: cache)
        }
        if questions[handle].matches(record) {
            questions[handle].confirmationDue = min(
                questions[handle].confirmationDue,
                max(firstQueryTime(&context), questions[handle].earliestQuery))
        }
        schedule(handle)
    }

    /// Begins all series anew: the link has come up, or the machine slept (RFC 6762 §5.4,
    /// M5-22).
    mutating func restart(_ context: inout Context) {
        for handle in questions.handles {
            questions[handle].interval = Timing.initialQueryInterval
            questions[handle].asksForUnicast = context.configuration.mayAskForUnicast
            questions[handle].due = firstQueryTime(&context)
            schedule(handle)
        }
    }

    /// Asks what is due, all in as few packets as it takes.
    mutating func advance(
        reading cache: RecordCache, on interface: ActiveInterface, _ context: inout Context
    ) {
        var due = refreshed
        refreshed = []
        while let (time, handle) = timers.popDue(by: context.now) {
            guard counts(handle, at: time) else { continue }
            questions[handle].timer = .never
            if questions[handle].nextDue <= context.now {
                due.append(handle)
            } else {
                schedule(handle)
            }
        }
        var asked: [QuestionHandle] = []
        var seen: Set<QuestionHandle> = []
        for handle in due where questions.contains(handle) && seen.insert(handle).inserted {
            if mayAsk(handle, context.now) { asked.append(handle) }
        }
        guard !asked.isEmpty else { return }
        send(asked, reading: cache, on: interface, &context)
        for handle in asked { noteSent(handle, context.now) }
    }

    /// Two queries for one question are a second apart at least; one of a series that is due
    /// sooner waits, a refresh is as good as asked.
    private mutating func mayAsk(_ handle: QuestionHandle, _ now: Instant) -> Bool {
        if let until = questions[handle].reconfirmsUntil, until <= now {
            questions[handle].reconfirmsUntil = nil
            removeIfUnwanted(handle)
            guard questions.contains(handle) else { return false }
        }
        let earliest = questions[handle].earliestQuery
        guard earliest > now else { return true }
        if questions[handle].due <= now { questions[handle].due = earliest }
        if questions[handle].confirmationDue <= now {
            questions[handle].confirmationDue = earliest
        }
        schedule(handle)
        return false
    }

    private mutating func noteSent(_ handle: QuestionHandle, _ now: Instant) {
        questions[handle].lastSent = now
        questions[handle].familiesAskedOver = []
        questions[handle].confirmationDue = .never
        // A retransmission is an ordinary question (RFC 6762 §5.4, M5-23, M5-24).
        questions[handle].asksForUnicast = false
        // All that answered the last query fitted.
        if !questions[handle].lacksRoom { questions[handle].isIncomplete = false }
        questions[handle].lacksRoom = false
        // A refresh does not disturb the series (RFC 6762 §5.2, M5-12, M5-17).
        if questions[handle].due <= now {
            questions[handle].due = now.advanced(by: questions[handle].interval)
            questions[handle].lengthenInterval()
        }
        schedule(handle)
    }
}
