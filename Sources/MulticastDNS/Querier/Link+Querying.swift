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
        processEffects(&context)
    }

    mutating func unsubscribe(
        _ query: QueryID, from question: Question, _ context: inout Context
    ) {
        querier.unsubscribe(query, from: question)
        processEffects(&context)
    }

    /// Ends a query on this link alone.
    mutating func withdraw(
        _ query: QueryID, from question: Question, _ context: inout Context
    ) {
        querier.withdraw(query, from: question, reading: cache, on: index)
        processEffects(&context)
    }

    /// Everything known of the link goes with it (RFC 6762 §10.3).
    mutating func removeCached(_ context: inout Context) {
        cache.removeAll()
        processEffects(&context)
    }

    /// Keeps of a response what a running question asks for and what belongs to that.
    mutating func process(
        _ records: [ResourceRecord], from source: IPAddress, _ context: inout Context
    ) {
        let wanted = wantedRecords(records, context)
        context.statistics.unwantedRecords += records.count - wanted.count
        guard !wanted.isEmpty else { return }
        let isSolicited = wanted.contains {
            $0.isUsed && querier.isSolicited($0.record, $0.name, at: context.now)
        }
        for (record, name, isUsed) in wanted {
            cache.process(
                record, name, from: source, isUsed: isUsed, isSolicited: isSolicited, &context)
        }
        // Records and set together, whatever the section (RFC 6762 §10.2, M10-8); a goodbye
        // flushes nothing (M10-4).
        for (record, name, _) in wanted where record.cacheFlush && record.timeToLive > .goodbye {
            cache.flushOthers(than: record, name, from: source, context)
        }
        processEffects(&context)
    }

    /// The records to keep, those of a shared set without the cache-flush bit. The whole message
    /// is searched before anything is stored, so the order of its records does not matter: PTR
    /// leads to SRV and TXT, SRV to addresses, so three rounds reach all (M18-3, D-28).
    private func wantedRecords(
        _ records: [ResourceRecord], _ context: Context
    ) -> [(record: ResourceRecord, name: HashedName, isUsed: Bool)] {
        let keepsAll = context.configuration.cachesEverything
        if querier.isEmpty, cache.isEmpty, !keepsAll { return [] }
        var names: [HashedName] = []
        names.reserveCapacity(records.count)
        var asked: [Bool] = []
        var kept: [Bool] = []
        var isAnyKept = false
        for record in records {
            let name = HashedName(record.name)
            let isAsked = querier.isAskedFor(record, name)
            let isKept =
                keepsAll || isAsked
                || cache.count(named: name) > 0 && cache.handle(of: record, name) != nil
            names.append(name)
            asked.append(isAsked)
            kept.append(isKept)
            isAnyKept = isAnyKept || isKept
        }
        guard isAnyKept else { return [] }
        var related: Set<HashedName> = []
        var next = keepsAll ? [] : records.indices.filter { kept[$0] }
        for _ in 0..<2 where !next.isEmpty {
            for index in next {
                if let target = records[index].data.target { related.insert(HashedName(target)) }
            }
            next = records.indices.filter { !kept[$0] && related.contains(names[$0]) }
            for index in next { kept[index] = true }
        }
        return records.indices.filter { kept[$0] }.map { index in
            var record = records[index]
            if record.cacheFlush, record.type == .ptr, record.name.holdsSharedPointers {
                record.cacheFlush = false
            }
            return (record, names[index], asked[index])
        }
    }

    /// Another host asks: our own query may be needless, and a record that nobody answers with
    /// may be stale (RFC 6762 §7.3, §10.5).
    mutating func observe(_ message: Message, _ info: DatagramInfo, _ context: inout Context) {
        // Known answers that are still to come may hold more than we know (M7-14).
        guard !message.header.isTruncated else { return }
        // Answers to QU questions are not sent to all (M7-14, M10-25).
        for question in message.questions where !question.prefersUnicast {
            querier.observe(
                question, known: message.answers, info.family, reading: cache, families,
                &context)
            cache.observe(question, known: message.answers, info.family, context)
        }
    }

    /// Hands on what cache and querier did until neither has anything left.
    mutating func processEffects(_ context: inout Context) {
        while true {
            if let effect = cache.nextEffect() {
                querier.process(effect, reading: cache, on: index, &context)
                if case .superseded(let record) = effect {
                    reconfirmDependents(of: record, &context)
                }
            } else if let effect = querier.nextEffect() {
                switch effect {
                case .answer(let query, let change):
                    effects.append(.answer(query, change))
                case .transmit(let bytes, let family):
                    multicastQuery(bytes, family, at: context.now)
                case .interestChanged(let name):
                    let querier = querier
                    cache.updateUse(of: name, &context) { querier.isAskedFor($0, name) }
                }
            } else {
                return
            }
        }
    }
}

extension RecordData {
    /// The name that the record leads to.
    fileprivate var target: DomainName? {
        switch self {
        case .ptr(let target), .cname(let target): target
        case .srv(let location): location.target
        default: nil
        }
    }
}
