import DNSMessages
import NetworkPrimitives

// Asking: which questions run on a link and when they are sent.
// Read RFC 6762 §5.2 (continuous queries), §5.4 (QU), §7.1 and §7.2 (known answers).

extension Link {
    /// Lets `query` have the answers to a question, those in the cache at once.
    mutating func subscribe(
        _ query: QueryID, to question: Question, _ context: inout Context
    ) {
        if let slot = questions.slot(of: question) {
            questions[slot].subscribers.append(query)
            deliverCached(to: query, question, &context)
            return
        }
        var active = ActiveQuestion(question: question)
        active.question.prefersUnicast = false
        active.subscribers = [query]
        // Only the first batch after a link came up asks for unicast (RFC 6762 §5.4, M5-22,
        // M5-26), and only where the answer reaches us (§15.1, M15-2).
        let linkIsNew = opened.duration(to: context.now) <= Timing.activationWindow
        active.asksForUnicast = linkIsNew && context.configuration.mayAskForUnicast
        active.due = firstQueryTime(&context)
        let slot = questions.add(active)
        takeInterest(inRecordsOf: slot, &context)
        deliverCached(to: query, question, &context)
        settleFromCache(slot)
        schedule(question: slot)
    }

    /// A random 20 to 120 ms from now (RFC 6762 §5.2), one draw for all questions of a moment.
    private mutating func firstQueryTime(_ context: inout Context) -> Instant {
        if let batch = questionBatch, batch.created == context.now { return batch.due }
        let delay = context.generator.duration(in: Timing.firstQueryDelay)
        let due = context.now.advanced(by: delay)
        questionBatch = (context.now, due)
        return due
    }

    mutating func unsubscribe(_ query: QueryID, from question: Question) {
        guard let slot = questions.slot(of: question) else { return }
        questions[slot].subscribers.removeAll { $0 == query }
        dropIfUnwanted(slot)
    }

    mutating func dropIfUnwanted(_ slot: Int) {
        guard questions[slot].subscribers.isEmpty, questions[slot].keptUntil == nil else { return }
        let name = questions[slot].question.name
        questions.remove(slot)
        for entry in cache.slots(named: name) {
            cache.setUsed(entry, isAskedFor(cache[entry].record))
        }
    }

    /// Whether a running question asks for the record; an NSEC answers every question about its
    /// name.
    func isAskedFor(_ record: ResourceRecord) -> Bool {
        questions.slots(named: record.name).contains {
            record.type == .nsec
                || questions[$0].question.matches(
                    type: record.type, recordClass: record.recordClass)
        }
    }

    private mutating func takeInterest(inRecordsOf slot: Int, _ context: inout Context) {
        for entry in cache.slots(named: questions[slot].question.name)
        where isAskedFor(cache[entry].record) {
            cache.setUsed(entry, true)
            planRefresh(entry, &context)
            schedule(entry: entry)
        }
    }

    private mutating func deliverCached(
        to query: QueryID, _ question: Question, _ context: inout Context
    ) {
        for slot in cache.slots(named: question.name) {
            let record = cache[slot].record
            if question.matches(type: record.type, recordClass: record.recordClass) {
                emit(.added(record, index), to: query)
            } else if denies(record, question) {
                emit(.absent(question.type, index), to: query)
            }
        }
    }

    /// Whether the record is an NSEC that says the name has nothing of the type asked for.
    /// Its next name does not matter (RFC 6762 §6.1).
    func denies(_ record: ResourceRecord, _ question: Question) -> Bool {
        // It speaks of its own class (RFC 6762 §12, M12-3, M6-27).
        guard case .nsec(let next) = record.data,
            question.recordClass == record.recordClass || question.recordClass == .any
        else { return false }
        // What has an alias has something of every type (M6-3, M12-3).
        return !next.contains(question.type) && !next.contains(.cname)
    }

    /// A unique answer, or the owner's word that there is none, ends the series of queries; what
    /// is in the cache is asked for again when its time comes (RFC 6762 §5.2).
    mutating func settle(_ slot: Int, with entrySlot: Int) {
        let entry = cache[entrySlot]
        // Shared answers leave others to be found; a doubted one is none (M5-17, M7-5).
        guard entry.record.cacheFlush, !entry.isDoubted else { return }
        let question = questions[slot].question
        // ANY may have more to find, and other types are not answered (M5-17).
        guard question.type != .any,
            question.matches(type: entry.record.type, recordClass: entry.record.recordClass)
                || denies(entry.record, question)
        else { return }
        questions[slot].due = .never
    }

    /// As `settle(_:with:)` for whatever the cache has of the name.
    private mutating func settleFromCache(_ slot: Int) {
        for entry in cache.slots(named: questions[slot].question.name) {
            settle(slot, with: entry)
        }
    }

    /// Begins the series anew after an answer was lost.
    mutating func resumeIfUnanswered(_ slot: Int, _ context: inout Context) {
        guard questions[slot].due == .never else { return }
        questions[slot].gap = Timing.initialQueryInterval
        questions[slot].due = firstQueryTime(&context)
        settleFromCache(slot)
        schedule(question: slot)
    }

    /// Begins all series anew: the link has come up, or the machine slept (RFC 6762 §5.4).
    mutating func restartQuestions(_ context: inout Context) {
        for slot in questions.liveSlots {
            // (M5-22)
            questions[slot].gap = Timing.initialQueryInterval
            questions[slot].asksForUnicast = context.configuration.mayAskForUnicast
            questions[slot].due = firstQueryTime(&context)
            schedule(question: slot)
        }
    }

    /// Asks what is due, all in as few packets as it takes.
    mutating func ask(_ due: [Int], _ context: inout Context) {
        var asked: [Int] = []
        var seen: Set<Int> = []
        for slot in due where questions[slot].isLive && seen.insert(slot).inserted {
            if let until = questions[slot].keptUntil, until <= context.now {
                questions[slot].keptUntil = nil
                dropIfUnwanted(slot)
                guard questions[slot].isLive else { continue }
            }
            asked.append(slot)
        }
        asked = asked.filter { mayAskNow($0, context.now) }
        guard !asked.isEmpty else { return }
        let queries = asked.map { slot in
            var question = questions[slot].question
            question.prefersUnicast = questions[slot].asksForUnicast
            return question
        }
        let known = knownAnswers(for: asked, context.now)
        for family in families.members {
            let limit = active.messageLimit(family, context.limits)
            for bytes in QueryAssembly.packets(queries, known: known, limit: limit) {
                multicastQuery(bytes, family, at: context.now)
            }
        }
        for slot in asked { noteAsked(slot, &context) }
    }

    /// Two queries for one question are a second apart at least; one that is due sooner waits.
    private mutating func mayAskNow(_ slot: Int, _ now: Instant) -> Bool {
        // Tiny times to live make no storm (A-18, M5-4).
        guard let last = questions[slot].lastSent,
            last.duration(to: now) < Timing.minimumQueryInterval
        else { return true }
        if questions[slot].due <= now {
            questions[slot].due = last.advanced(by: Timing.minimumQueryInterval)
            schedule(question: slot)
        }
        return false
    }

    private mutating func noteAsked(_ slot: Int, _ context: inout Context) {
        questions[slot].lastSent = context.now
        questions[slot].heardOver = []
        if questions[slot].asksForUnicast {
            questions[slot].lastAskedForUnicast = context.now
            // A retransmission is an ordinary question (RFC 6762 §5.4, M5-23, M5-24).
            questions[slot].asksForUnicast = false
        }
        // A refresh does not disturb the series (RFC 6762 §5.2, M5-12, M5-17).
        guard questions[slot].due <= context.now else { return }
        questions[slot].due = context.now.advanced(by: questions[slot].gap)
        questions[slot].lengthenGap()
        schedule(question: slot)
    }

    /// The records that answer these questions and are listed as known: with half of their
    /// lifetime left at least (RFC 6762 §7.1), never with the cache-flush bit (§10.2).
    private func knownAnswers(for slots: [Int], _ now: Instant) -> [ResourceRecord] {
        var known: [ResourceRecord] = []
        var listed: Set<Int> = []
        for slot in slots {
            let question = questions[slot].question
            var at = cache.firstSlot(named: question.name)
            while let entrySlot = at {
                at = cache.slot(after: entrySlot)
                let entry = cache[entrySlot]
                guard
                    question.matches(
                        type: entry.record.type, recordClass: entry.record.recordClass),
                    isListedAsKnown(entry, now), listed.insert(entrySlot).inserted
                else { continue }
                var record = entry.record
                // As much life as it has left (RFC 6762 §7.1, M7-1).
                record.timeToLive = entry.remaining(at: now)
                // (RFC 6762 §10.2, M10-14)
                record.cacheFlush = false
                known.append(record)
            }
        }
        return known
    }

    func isListedAsKnown(_ entry: CacheEntry, _ now: Instant) -> Bool {
        // Half of its life left (RFC 6762 §7.1, M7-5), not being made sure of (M10-22), and no
        // denial, which is no answer (M7-1).
        entry.isFresh(at: now) && !entry.isDoubted && entry.remaining(at: now) > .goodbye
            && entry.record.type != .nsec
    }
}
