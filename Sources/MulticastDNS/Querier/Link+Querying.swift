import DNSMessages
import NetworkPrimitives

// The link between cache and querier: each gets to know what the other did.

extension Link {
    mutating func subscribe(
        _ query: QueryID, to question: Question, _ context: inout Context
    ) {
        // Only the first batch after a link came up asks for unicast (RFC 6762 §5.4, M5-22,
        // M5-26), and only where the answer reaches us (§15.1, M15-2).
        let isNew = opened.duration(to: context.now) <= Timing.activationWindow
        querier.subscribe(
            query, to: question, reading: cache,
            asksForUnicast: isNew && context.configuration.mayAskForUnicast, on: index, &context)
        processChanges(&context)
    }

    mutating func unsubscribe(
        _ query: QueryID, from question: Question, _ context: inout Context
    ) {
        querier.unsubscribe(query, from: question, reading: cache, on: index)
        processChanges(&context)
    }

    /// Keeps of a response what a running question asks for and what belongs to that; of a shared
    /// set without the cache-flush bit.
    mutating func process(
        _ records: [ResourceRecord], _ names: [HashedName], _ info: DatagramInfo,
        _ context: inout Context
    ) {
        let wanted = wantedRecords(records, names, context)
        context.statistics.unwantedRecords += records.count - wanted.count
        guard !wanted.isEmpty else { return }
        let source = info.source.address
        let isSolicited = wanted.contains {
            $0.isUsed && querier.isSolicited(records[$0.index], names[$0.index], at: context.now)
        }
        for found in wanted {
            var record = records[found.index]
            record.cacheFlush = record.isOfUniqueSet
            let reception = Reception(
                name: names[found.index], source: source, isMulticast: info.isMulticast,
                isUsed: found.isUsed, isSolicited: isSolicited)
            cache.process(record, reception, &context)
        }
        // Records and set together, whatever the section (RFC 6762 §10.2, M10-8); a goodbye
        // flushes nothing (M10-4).
        for found in wanted
        where records[found.index].isOfUniqueSet && records[found.index].timeToLive > .goodbye {
            cache.flushOthers(
                than: records[found.index], names[found.index], from: source, context)
        }
        processChanges(&context)
    }

    private typealias FoundRecord = (index: Int, isUsed: Bool, isWanted: Bool)

    /// The records to keep. The whole message is searched before anything is stored, so the order
    /// of its records does not matter: PTR leads to SRV and TXT, SRV to addresses, so three rounds
    /// reach all (M18-3, D-28).
    private func wantedRecords(
        _ records: [ResourceRecord], _ names: [HashedName], _ context: Context
    ) -> [FoundRecord] {
        let keepsAll = context.configuration.cachesEverything
        if querier.isEmpty, cache.isEmpty, !keepsAll { return [] }
        var found: [FoundRecord] = []
        found.reserveCapacity(records.count)
        for index in records.indices {
            let name = names[index]
            let isUsed = querier.asks(about: name) && querier.isAskedFor(records[index], name)
            let isCached = cache.count(named: name) > 0
            let isWanted =
                keepsAll || isUsed || isCached && cache.slot(of: records[index], name) != nil
            found.append((index, isUsed, isWanted))
        }
        var last = found.filter { $0.isWanted }
        if last.isEmpty { return [] }
        for _ in 0..<2 where last.count < found.count {
            var related: Set<Int> = []
            for found in last {
                if let target = records[found.index].data.target {
                    related.insert(target.hashValue)
                }
            }
            last = []
            for at in found.indices
            where !found[at].isWanted && related.contains(names[found[at].index].hash) {
                found[at].isWanted = true
                last.append(found[at])
            }
        }
        found.removeAll { !$0.isWanted }
        return found
    }

    /// Another host asks: our own query may be needless, and a record that nobody answers with
    /// may be stale (RFC 6762 §7.3, §10.5).
    mutating func observe(_ message: Message, _ info: DatagramInfo, _ context: inout Context) {
        // Known answers that are still to come may hold more than we know (M7-14).
        guard !message.header.isTruncated else { return }
        // Answers to QU questions are not sent to all (M7-14, M10-25).
        for question in message.questions where !question.prefersUnicast {
            let name = HashedName(question.name)
            querier.observe(
                question, name, known: message.answers, info.family, reading: cache, families,
                &context)
            let uncertain = cache.observe(
                question, name, known: message.answers, info.family, context)
            for record in uncertain { reconfirm(record, &context) }
        }
    }

    /// Lets cache and querier know of each other's changes until neither has any left.
    mutating func processChanges(_ context: inout Context) {
        while true {
            if let change = cache.nextChange() {
                querier.process(change, reading: cache, on: index, &context)
                if change.kind == .superseded { reconfirmDependents(of: change.record, &context) }
            } else if let name = querier.nextChangedName() {
                let querier = querier
                cache.updateUse(of: name, &context) { querier.isAskedFor($0, name) }
            } else {
                break
            }
        }
        while let effect = querier.nextEffect() { effects.append(effect) }
    }
}

extension ResourceRecord {
    /// Whether it is a member of a unique set: with the cache-flush bit, and not of a set that is
    /// shared by its definition.
    fileprivate var isOfUniqueSet: Bool {
        cacheFlush && !(type == .ptr && name.holdsSharedPointers)
    }
}
