import DNSMessages
import NetworkPrimitives

// What goes into a query. Read RFC 6762 §7.1 and §7.2.

extension Querier {
    /// The packets of a query that asks all of this, by family.
    func queries(
        _ asked: [Int32], reading cache: RecordCache, on interface: ActiveInterface,
        _ context: Context
    ) -> [(bytes: [UInt8], family: AddressFamily)] {
        let queries = asked.map { slot in
            var question = questions[slot].question
            question.prefersUnicast = questions[slot].asksForUnicast
            return question
        }
        let known = knownAnswers(for: asked, reading: cache, context)
        return interface.families.members.flatMap { family in
            let limit = interface.messageLimit(family, context.limits)
            return QueryAssembly.packets(queries, known: known, limit: limit)
                .map { (bytes: $0, family: family) }
        }
    }

    /// The records that answer these questions, each with the lifetime that it has left (M7-1),
    /// never with the cache-flush bit (RFC 6762 §10.2, M10-14).
    ///
    /// There is a bound on their bytes. A list that says little of what there is, because that
    /// found no room in the cache or finds none in the query, is left out: it costs as much as
    /// the answers that it spares (D-28).
    private func knownAnswers(
        for asked: [Int32], reading cache: RecordCache, _ context: Context
    ) -> [ResourceRecord] {
        var known: [ResourceRecord] = []
        let isAsked = Set(asked)
        var listed: Set<Int32> = []
        var left = context.limits.knownAnswerBytes
        for slot in asked where !questions[slot].isIncomplete && !listed.contains(slot) {
            // Questions about one name are walked together.
            let name = HashedName(questions[slot].question.name)
            let namesakes = slots(named: name).filter { isAsked.contains($0) }
            listed.formUnion(namesakes)
            var omitted = 0
            let before = known.count
            // The last ones, which have most of their lives left, if not all.
            cache.forEach(named: name, lastFirst: true) { entry in
                guard entry.isKnownAnswer(at: context.now),
                    namesakes.contains(where: { questions[$0].matches(entry.record) })
                else { return }
                // The owner's name is written once.
                left -= 12 + entry.record.data.wireSizeEstimate
                guard left >= 0 else {
                    omitted += 1
                    return
                }
                var record = entry.record
                record.timeToLive = entry.remaining(at: context.now)
                record.cacheFlush = false
                known.append(record)
            }
            if omitted > known.count - before { known.removeLast(known.count - before) }
        }
        return known
    }
}
