import DNSMessages
import NetworkPrimitives

// What came in. Read RFC 6762 §6 (ports), §11 (sources) and §18 (header).

extension Link {
    mutating func receive(
        _ message: Message, _ info: DatagramInfo, isEcho: Bool, _ context: inout Context
    ) {
        if message.header.isResponse {
            context.statistics.responsesReceived += 1
            process(response: message, info, &context)
        } else {
            context.statistics.queriesReceived += 1
            answer(message, info, isEcho: isEcho, &context)
        }
    }

    private mutating func process(
        response message: Message, _ info: DatagramInfo, _ context: inout Context
    ) {
        // Nothing else speaks for a responder than port 5353 (RFC 6762 §6, M6-16).
        guard info.source.port == 5353 else {
            context.statistics.wrongPort += 1
            return
        }
        // What was sent to the group came from the link, whatever its source
        // (RFC 6762 §11, M11-2, M11-3).
        if !info.isMulticast {
            // Unicast could have come from anywhere (RFC 6762 §11, M11-4).
            guard interface.isOnLink(info.source.address) else {
                context.statistics.offLink += 1
                return
            }
            // Only what answers a question that runs, asked with QU or not: some responders
            // never multicast; or a name that is being probed (RFC 6762 §6, M6-19, M6-20).
            guard message.answers.contains(where: { isProbing($0.name) || querier.isAnswer($0) })
            else {
                context.statistics.unsolicitedUnicast += 1
                return
            }
        }
        // Records are used from every section; questions in a response are not looked at
        // (RFC 6762 §6, M6-8, A-21).
        let records = message.answers + message.authorities + message.additionals
        compareWithOwn(records, info, &context)
        process(records, from: info.source.address, &context)
    }
}
