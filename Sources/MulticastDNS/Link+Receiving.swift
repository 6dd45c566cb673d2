import DNSMessages
import NetworkPrimitives

// What came in. Read RFC 6762 §6 (ports), §11 (sources) and §18 (header).

extension Link {
    mutating func receive(
        _ message: Message, _ info: DatagramInfo, isEcho: Bool, _ context: inout Context
    ) {
        if message.header.isResponse {
            context.statistics.responsesReceived += 1
            hearResponse(message, info, &context)
        } else {
            context.statistics.queriesReceived += 1
            answer(message, info, isEcho: isEcho, &context)
        }
    }

    private mutating func hearResponse(
        _ message: Message, _ info: DatagramInfo, _ context: inout Context
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
            // Only where it was asked for (RFC 6762 §6, M6-20).
            guard wasAskedFor(message, context.now) else {
                context.statistics.unsolicitedUnicast += 1
                return
            }
        }
        // Records are used from every section; questions in a response are not looked at
        // (RFC 6762 §6, M6-8, A-21).
        let records = message.answers + message.authorities + message.additionals
        compareWithOwn(records, info, &context)
        hear(records, from: info.source.address, &context)
    }

    /// Whether a unicast response answers a question that asked for one a moment ago, or denies
    /// a name that is being probed (RFC 6762 §6).
    private func wasAskedFor(_ message: Message, _ now: Instant) -> Bool {
        message.answers.contains { record in
            isProbing(record.name)
                || questions.slots(named: record.name).contains {
                    // A short time ago (RFC 6762 §6, M6-19).
                    guard let asked = questions[$0].lastAskedForUnicast,
                        asked.duration(to: now) <= Timing.unicastAnswerWindow
                    else { return false }
                    return questions[$0].question.matches(
                        type: record.type, recordClass: record.recordClass)
                        || denies(record, questions[$0].question)
                }
        }
    }
}
