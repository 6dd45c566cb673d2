import DNSMessages
import NetworkPrimitives

// What came in. Read RFC 6762 §6 (ports), §11 (sources) and §18 (header).

extension Link {
    mutating func process(
        _ message: Message, _ info: DatagramInfo, byteCount: Int, isEcho: Bool,
        _ context: inout Context
    ) {
        if message.header.isResponse {
            context.statistics.responsesReceived += 1
            process(response: message, info, &context)
        } else {
            context.statistics.queriesReceived += 1
            let query = ReceivedQuery(message, info, byteCount: byteCount, on: active)
            process(query, isEcho: isEcho, &context)
        }
        carryOut(&context)
    }

    private mutating func process(
        _ query: ReceivedQuery, isEcho: Bool, _ context: inout Context
    ) {
        guard query.isAcceptable else {
            context.statistics.offLink += 1
            return
        }
        if !query.message.questions.isEmpty {
            reportRivals(in: query.message)
            // Only what everybody receives and everybody receives the answer to, and what we have
            // not asked ourselves (M7-14, M10-24, M10-25).
            if !query.isLegacy, query.info.isMulticast, !isEcho {
                observe(query.message, query.info, &context)
            }
        }
        responder.process(query, on: active, &context)
    }

    /// An echo of our own probe is no rival (A-20, M8-29); whether it comes from another link of
    /// ours is not known here.
    private mutating func reportRivals(in message: Message) {
        let foreign = message.authorities.filter { responder.ownRecords.handle(of: $0) == nil }
        guard !foreign.isEmpty else { return }
        for question in message.questions
        where responder.ownRecords.handle(of: question.name) != nil
            && foreign.contains(where: { $0.name == question.name })
        {
            let theirs = message.authorities.filter { $0.name == question.name }
            effects.append(.rivalProbe(question.name, theirs))
        }
    }

    /// Nothing else speaks for a responder than port 5353 (M6-16). What was sent to the group came
    /// from the link, whatever its source (M11-2, M11-3); unicast could have come from anywhere
    /// (M11-4) and is accepted only if it answers a question that runs, asked with QU or not, since
    /// some responders never multicast, or contradicts a name that is being probed for (M6-19,
    /// M6-20). Records are used from every section; questions in a response are not looked at
    /// (M6-8, A-21).
    private mutating func process(
        response: Message, _ info: DatagramInfo, _ context: inout Context
    ) {
        guard info.source.port == 5353 else {
            context.statistics.wrongPort += 1
            return
        }
        if !info.isMulticast {
            guard interface.isOnLink(info.source.address) else {
                context.statistics.offLink += 1
                return
            }
            guard
                response.answers.contains(where: {
                    claims.isProbing($0.name) || querier.isAnswer($0)
                })
            else {
                context.statistics.unsolicitedUnicast += 1
                return
            }
        }
        let others = response.authorities + response.additionals
        let records = others.isEmpty ? response.answers : response.answers + others
        let names = records.map { HashedName($0.name) }
        for record in responder.compare(records, names, info, on: active, &context) {
            effects.append(.foreignRecord(record))
        }
        process(records, names, info, &context)
    }
}
