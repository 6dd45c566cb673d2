import DNSMessages
import NetworkPrimitives

// What goes into a query. Read RFC 6762 §7.1 and §7.2.

extension Querier {
    mutating func send(
        _ asked: [QuestionHandle], reading cache: RecordCache, on interface: ActiveInterface,
        _ context: inout Context
    ) {
        let queries = asked.map { handle in
            var question = questions[handle].question
            question.prefersUnicast = questions[handle].asksForUnicast
            return question
        }
        let known = knownAnswers(for: asked, reading: cache, context)
        for family in interface.families.members {
            let limit = interface.messageLimit(family, context.limits)
            for bytes in QueryAssembly.packets(queries, known: known, limit: limit) {
                effects.append(.transmit(bytes, family))
            }
        }
    }

    /// The records that answer these questions, each with the lifetime that it has left (M7-1),
    /// never with the cache-flush bit (RFC 6762 §10.2, M10-14).
    ///
    /// There is a bound on their bytes. A list that says little of what there is, because that
    /// found no room in the cache or finds none in the query, is left out: it costs as much as
    /// the answers that it spares (D-28).
    private func knownAnswers(
        for asked: [QuestionHandle], reading cache: RecordCache, _ context: Context
    ) -> [ResourceRecord] {
        var known: [ResourceRecord] = []
        var listed: Set<HashedName> = []
        var left = context.limits.knownAnswerBytes
        for handle in asked where !questions[handle].isIncomplete {
            let name = HashedName(questions[handle].question.name)
            // Questions about one name are walked together.
            guard listed.insert(name).inserted else { continue }
            let others = asked.filter { questions[$0].question.name == name.name }
            var omitted = 0
            let before = known.count
            cache.forEach(named: name) { entry in
                guard entry.isKnownAnswer(at: context.now),
                    others.contains(where: { questions[$0].matches(entry.record) })
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

extension RecordData {
    /// About how many bytes the data takes in a message.
    fileprivate var wireSizeEstimate: Int {
        switch self {
        case .ptr(let name), .cname(let name): name.byteCount
        case .srv(let location): 6 + location.target.byteCount
        case .txt(let strings): strings.wireBytes.count
        case .unknown(_, let bytes): bytes.count
        default: 16
        }
    }
}
