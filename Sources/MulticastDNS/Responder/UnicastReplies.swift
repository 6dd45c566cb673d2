import DNSMessages
import NetworkPrimitives

// Replies to one host. Read RFC 6762 §5.4, §5.5 and §6.7.

/// A reply to one host, as the QU bit, a direct query or a legacy query asks for.
struct UnicastReply: Sendable {
    var due: Instant
    let destination: SocketAddress
    var answers: [RecordHandle]
    /// Whether the querier has more known answers to send (RFC 6762 §7.2).
    let awaitsKnownAnswers: Bool
    /// What a querier of conventional DNS wants to see again.
    let legacy: LegacyQuery?
}

extension Responder {
    mutating func reply(
        to query: ReceivedQuery, _ answers: [RecordHandle], after delay: Duration,
        on interface: ActiveInterface, _ context: inout Context
    ) {
        guard !answers.isEmpty else { return }
        if context.configuration.limitsAmplification {
            budget.deposit(
                query.byteCount, from: query.info.source.address,
                sources: context.limits.budgetedSources, at: context.now)
        }
        let reply = UnicastReply(
            due: context.now.advanced(by: delay), destination: query.info.source,
            answers: answers, awaitsKnownAnswers: query.message.header.isTruncated,
            legacy: query.isLegacy ? LegacyQuery(query.message) : nil)
        if delay == .zero {
            send(reply, on: interface, &context)
        } else if waitingReplies.count < context.limits.waitingUnicastReplies {
            waitingReplies.append(reply)
            due = min(due, reply.due)
        } else {
            context.statistics.unicastDropped += 1
        }
    }

    mutating func sendDueReplies(on interface: ActiveInterface, _ context: inout Context) {
        let now = context.now
        guard waitingReplies.contains(where: { $0.due <= now }) else { return }
        let due = waitingReplies.filter { $0.due <= now }
        waitingReplies.removeAll { $0.due <= now }
        for var reply in due {
            reply.answers.removeAll { !records.contains($0) || !records[$0].isActive }
            if !reply.answers.isEmpty { send(reply, on: interface, &context) }
        }
    }

    private mutating func send(
        _ reply: UnicastReply, on interface: ActiveInterface, _ context: inout Context
    ) {
        let family = reply.destination.address.family
        packer.begin(interface, family, context.limits, legacy: reply.legacy)
        pack(reply.answers, at: context.now)
        let packets = packer.finish(&context)
        let byteCount = packets.reduce(0) { $0 + $1.count }
        if !context.configuration.limitsAmplification
            || budget.spend(byteCount, on: reply.destination.address)
        {
            return transmit(packets, to: reply.destination, on: interface)
        }
        context.statistics.unicastCapped += 1
        // Everybody has the answer then, at the rate that multicasts have.
        guard reply.legacy == nil else { return }
        for handle in reply.answers {
            schedule(
                handle, after: .zero, interval: Timing.multicastInterval,
                families: FamilySet(family), at: context.now)
        }
    }
}
