import DNSMessages
import NetworkPrimitives

// Hearing: what a response does to the cache. Read RFC 6762 §5.2 (refresh), §10.1 (goodbye),
// §10.2 (cache flush), §10.4 and §10.5 (doubt).

extension Link {
    /// Takes from a response what a running question asked for and what belongs to that.
    mutating func hear(
        _ records: [ResourceRecord], from source: IPAddress, _ context: inout Context
    ) {
        if questions.isEmpty, cache.count == 0, !context.configuration.cachesEverything {
            context.statistics.unwantedRecords += records.count
            return
        }
        let wanted = wantedRecords(records, everything: context.configuration.cachesEverything)
        context.statistics.unwantedRecords += records.count - wanted.count
        for index in wanted {
            take(records[index], from: source, &context)
        }
        // Records and set together, whatever the section (RFC 6762 §10.2, M10-8); a goodbye
        // flushes nothing (M10-4).
        for index in wanted where records[index].cacheFlush && records[index].timeToLive > .goodbye
        {
            flushOthers(than: records[index], from: source, context)
        }
    }

    /// The indices of the records to keep. The whole message is searched before anything is
    /// resolved, so the order of its records does not matter.
    private func wantedRecords(_ records: [ResourceRecord], everything: Bool) -> [Int] {
        if everything { return Array(records.indices) }
        var kept = [Bool](repeating: false, count: records.count)
        var belonging: Set<DomainName> = []
        // PTR leads to SRV and TXT, SRV to addresses: three rounds reach all.
        for round in 0..<3 {
            var foundMore = false
            for (index, record) in records.enumerated() where !kept[index] {
                // Asked for, there already, or belonging to what was asked for (M18-3, D-28).
                let isWanted =
                    (round == 0 && (isAskedFor(record) || cache.slot(of: record) != nil))
                    || belonging.contains(record.name)
                guard isWanted else { continue }
                kept[index] = true
                switch record.data {
                case .ptr(let target), .cname(let target):
                    foundMore = belonging.insert(target).inserted || foundMore
                case .srv(let location):
                    foundMore = belonging.insert(location.target).inserted || foundMore
                default: break
                }
            }
            if !foundMore { break }
        }
        return records.indices.filter { kept[$0] }
    }

    private mutating func take(
        _ record: ResourceRecord, from source: IPAddress, _ context: inout Context
    ) {
        if let slot = cache.slot(of: record) {
            // One second for another holder to save it (RFC 6762 §10.1, M10-4).
            if record.timeToLive == .goodbye {
                let rescue = earliestRescue(of: slot, from: source, context.now)
                shorten(slot, to: rescue.advanced(by: Timing.goodbyeGrace))
            } else {
                renew(slot, with: record, from: source, &context)
            }
            return
        }
        // A goodbye of something unknown is no news (M10-4); nor has OPT a lifetime (§10.2,
        // M10-18).
        guard record.timeToLive > .goodbye else { return }
        let isUsed = isAskedFor(record)
        var evicted: CacheEntry?
        let storing = cache.store(
            record, from: source, isUsed: isUsed, at: context.now, limits: context.limits
        ) { evicted = $0 }
        if evicted != nil { context.statistics.cacheEvicted += 1 }
        guard case .stored(let slot) = storing else {
            context.statistics.cacheRefused += 1
            return
        }
        if isUsed {
            planRefresh(slot, &context)
            announceArrival(of: slot, &context)
        }
        schedule(entry: slot)
    }

    /// When the second begins that a goodbye leaves: now if it comes from the record's own
    /// source. A goodbye of anybody else, mistaken or forged, leaves that second from when the
    /// source may multicast the record again (RFC 6762 §6), or no source could ever save it.
    private func earliestRescue(
        of slot: Int, from source: IPAddress, _ now: Instant
    ) -> Instant {
        // (RFC 6762 §10.1, M10-4, M10-5)
        guard cache[slot].source != source else { return now }
        return max(now, cache[slot].received.advanced(by: Timing.multicastInterval))
    }

    private mutating func renew(
        _ slot: Int, with record: ResourceRecord, from source: IPAddress,
        _ context: inout Context
    ) {
        var expiry = context.now.advanced(by: record.timeToLive.duration)
        // (RFC 6762 §10.1, M10-4; §10.2, M10-17)
        if cache[slot].source == source {
            cache[slot].record.cacheFlush = record.cacheFlush
        } else {
            // Somebody else gives it a second or two: as with a goodbye (RFC 6762 §6.6).
            let rescue = earliestRescue(of: slot, from: source, context.now)
            expiry = max(
                expiry, min(cache[slot].expiry, rescue.advanced(by: Timing.goodbyeGrace)))
        }
        cache[slot].record.timeToLive = record.timeToLive
        // The lifetime starts anew (RFC 6762 §5.2, M5-13), and so does the age that a flush
        // looks at (§10.2, M10-8).
        cache[slot].received = context.now
        cache[slot].expiry = expiry
        cache[slot].refreshStage = 0
        // Who is heard of lives (RFC 6762 §10.4, §10.5, M10-23, M10-25).
        cache[slot].unansweredQueries = 0
        cache[slot].isDoubted = false
        planRefresh(slot, &context)
        schedule(entry: slot)
        for question in questions.slots(named: record.name) {
            stopDoubting(question, at: context.now)
            settle(question, with: slot)
        }
    }

    /// Once all records that a question was to make sure of have been heard, it has done its work.
    private mutating func stopDoubting(_ question: Int, at now: Instant) {
        guard questions[question].keptUntil != nil else { return }
        let asked = questions[question].question
        let isDoubtLeft = cache.slots(named: asked.name).contains {
            cache[$0].isDoubted
                && asked.matches(
                    type: cache[$0].record.type, recordClass: cache[$0].record.recordClass)
        }
        // It asks twice or more before it is given up (RFC 6762 §10.4, M10-22).
        guard !isDoubtLeft else { return }
        questions[question].keptUntil = nil
        dropIfUnwanted(question)
    }

    /// Brings the end of a record forward, without asking for it again on the way.
    mutating func shorten(_ slot: Int, to expiry: Instant) {
        // Repeated goodbyes do not put the end off (RFC 6762 §10.1, M10-4), no queries of ours
        // ask after what others failed to hear (§10.5, M10-26), nor is it listed as known.
        cache[slot].expiry = min(cache[slot].expiry, expiry)
        cache[slot].refresh = .never
        cache[slot].isDoubted = true
        schedule(entry: slot)
    }

    /// Members of the same set that are older than a second go in a second; younger ones, and
    /// those of exactly a second, may be part of the same answer (RFC 6762 §10.2). All cached
    /// records are of one class: others are not read (D-18).
    ///
    /// What another source shares with others is no part of this one's set: a device that sets
    /// the bit on its PTR, as some do, would hide everyone else of its type (§10.2 forbids it).
    private mutating func flushOthers(
        than record: ResourceRecord, from source: IPAddress, _ context: Context
    ) {
        let now = context.now
        // Bounded work (D-28).
        guard cache.count(named: record.name) <= context.limits.flushedSetSize else { return }
        var at = cache.firstSlot(named: record.name)
        while let slot = at {
            at = cache.slot(after: slot)
            let entry = cache[slot]
            // (RFC 6762 §10.2, M10-8, A-9)
            guard entry.record.type == record.type,
                entry.record.cacheFlush || entry.source == source,
                entry.received.duration(to: now) > Timing.flushGrace
            else { continue }
            shorten(slot, to: now.advanced(by: Timing.flushGrace))
        }
    }

    private mutating func announceArrival(of slot: Int, _ context: inout Context) {
        let record = cache[slot].record
        for questionSlot in questions.slots(named: record.name) {
            let question = questions[questionSlot].question
            if question.matches(type: record.type, recordClass: record.recordClass) {
                for query in questions[questionSlot].subscribers {
                    emit(.added(record, index), to: query)
                }
            } else if denies(record, question) {
                // The owner's word that there is nothing (RFC 6762 §6.1, M6-27, M12-3).
                for query in questions[questionSlot].subscribers {
                    emit(.absent(question.type, index), to: query)
                }
            }
            settle(questionSlot, with: slot)
        }
    }

    /// Plans the next of the four refreshes: at 80, 85, 90 and 95 percent of the lifetime and up
    /// to 2 percent more (RFC 6762 §5.2).
    mutating func planRefresh(_ slot: Int, _ context: inout Context) {
        cache[slot].refresh = .never
        let entry = cache[slot]
        // Only for who is interested (RFC 6762 §5.2, M5-15), and not what is doubted: that has
        // its queries, or may have none (§10.5, M10-26).
        guard entry.isUsed, !entry.isDoubted else { return }
        let percent = entry.lifetime.wholeNanoseconds / 100
        var stage = Int(entry.refreshStage)
        while stage < Timing.refreshPercentages.count {
            let extra = Int64.random(
                in: 0...percent * Timing.refreshJitterPercent, using: &context.generator)
            let wait = Duration.nanoseconds(percent * Timing.refreshPercentages[stage] + extra)
            let time = entry.received.advanced(by: wait)
            if time > context.now {
                cache[slot].refresh = time
                break
            }
            stage += 1
        }
        cache[slot].refreshStage = UInt8(stage)
    }

    /// A record's time has come: it is asked for again, or it goes.
    mutating func entryIsDue(
        _ slot: Int, asking dueQuestions: inout [Int], _ context: inout Context
    ) {
        let entry = cache[slot]
        guard entry.isLive else { return }
        if entry.expiry <= context.now {
            drop(slot, &context)
            return
        }
        if entry.refresh <= context.now {
            // Only what a local client is interested in (RFC 6762 §5.2, M5-10, M5-15).
            for question in questions.slots(named: entry.record.name)
            where questions[question].question.matches(
                type: entry.record.type, recordClass: entry.record.recordClass)
            {
                dueQuestions.append(question)
            }
            // The next of the four (RFC 6762 §5.2, M5-12).
            cache[slot].refreshStage += 1
            planRefresh(slot, &context)
        }
        schedule(entry: slot)
    }

    /// Takes a record out of the cache and tells those who had it.
    mutating func drop(_ slot: Int, _ context: inout Context) {
        let record = cache[slot].record
        cache.remove(slot)
        for questionSlot in questions.slots(named: record.name) {
            if questions[questionSlot].question.matches(
                type: record.type, recordClass: record.recordClass)
            {
                for query in questions[questionSlot].subscribers {
                    emit(.removed(record, index), to: query)
                }
            }
            resumeIfUnanswered(questionSlot, &context)
        }
    }

    /// The link goes away: everything known of it does too (RFC 6762 §10.3).
    mutating func dropAll(_ context: inout Context) {
        for slot in cache.liveSlots { drop(slot, &context) }
    }
}
