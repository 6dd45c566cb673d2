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

/// What a conventional reply repeats of its query (RFC 6762 §6.7).
struct LegacyQuery: Sendable {
    let id: UInt16
    let questions: [Question]
    /// The payload size that the querier takes, if it speaks EDNS (RFC 6891 §6.2.3).
    let payloadSize: Int?

    init(_ query: Message) {
        id = query.header.id
        questions = query.questions.map {
            Question($0.name, $0.type, recordClass: $0.recordClass)
        }
        payloadSize =
            query.additionals.lazy.compactMap {
                if case .opt(let options) = $0.data { Int(options.udpPayloadSize) } else { nil }
            }.first
    }
}

extension Responder {
    mutating func replyByUnicast(
        _ answers: [RecordHandle], _ query: ReceivedQuery, after delay: Duration,
        on interface: ActiveInterface, _ context: inout Context
    ) {
        guard !answers.isEmpty else { return }
        let isProbe = !query.message.authorities.isEmpty
        reply(
            query, answers, after: isProbe ? .zero : delay, legacy: nil, on: interface, &context)
    }

    mutating func replyToLegacy(
        _ query: ReceivedQuery, _ answers: [[RecordHandle]], after delay: Duration,
        on interface: ActiveInterface, _ context: inout Context
    ) {
        var selection = RecordSelection()
        for handles in answers { for handle in handles { selection.insert(handle) } }
        let needed = withoutKnown(selection.handles, query.message.answers, &context)
        guard !needed.isEmpty else { return }
        reply(
            query, needed, after: delay, legacy: LegacyQuery(query.message), on: interface,
            &context)
    }

    private mutating func reply(
        _ query: ReceivedQuery, _ answers: [RecordHandle], after delay: Duration,
        legacy: LegacyQuery?, on interface: ActiveInterface, _ context: inout Context
    ) {
        budget.deposit(
            query.byteCount, from: query.info.source.address,
            sources: context.limits.budgetedSources, at: context.now)
        let reply = UnicastReply(
            due: context.now.advanced(by: delay), destination: query.info.source,
            answers: answers, awaitsKnownAnswers: query.message.header.isTruncated,
            legacy: legacy)
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
        guard waitingReplies.contains(where: { $0.due <= context.now }) else { return }
        let due = waitingReplies.filter { $0.due <= context.now }
        waitingReplies.removeAll { $0.due <= context.now }
        for reply in due { send(reply, on: interface, &context) }
    }

    private mutating func send(
        _ reply: UnicastReply, on interface: ActiveInterface, _ context: inout Context
    ) {
        let answers = completeSets(
            reply.answers.filter { records.contains($0) && records[$0].isActive })
        guard !answers.isEmpty else { return }
        let family = reply.destination.address.family
        var packets: [[UInt8]]
        if let legacy = reply.legacy {
            packets = [legacyReply(answers, legacy, by: family, on: interface, context.limits)]
        } else {
            let additionals = additionals(to: answers)
            var packer = ResponsePacker(interface, family, context.limits)
            packer.addAnswers(answers, of: records)
            _ = packer.addAdditionals(additionals, of: records)
            let packed = packer.finish()
            context.statistics.unsendable += packed.unsendable
            packets = packed.packets
        }
        let byteCount = packets.reduce(0) { $0 + $1.count }
        if !context.configuration.limitsAmplification
            || budget.spend(byteCount, on: reply.destination.address)
        {
            for packet in packets { effects.append(.unicast(packet, reply.destination)) }
            return
        }
        context.statistics.unicastCapped += 1
        // Everybody has the answer then, at the rate that multicasts have.
        guard reply.legacy == nil else { return }
        for handle in answers {
            schedule(
                handle, after: .zero, interval: Timing.multicastInterval,
                families: FamilySet(family), at: context.now)
        }
    }

    /// What an OPT record without options takes.
    private static let optionsSize = 11

    /// A reply in the form of conventional DNS: one packet with the query's id and questions, no
    /// cache-flush bit, times to live of ten seconds at most, SRV targets in full; what does not
    /// fit is cut and TC says so (RFC 6762 §6.7, §18.14, M18-19). A query with OPT has OPT in its
    /// reply.
    private mutating func legacyReply(
        _ answers: [RecordHandle], _ legacy: LegacyQuery, by family: AddressFamily,
        on interface: ActiveInterface, _ limits: Limits
    ) -> [UInt8] {
        let size = min(
            max(legacy.payloadSize ?? 0, limits.legacyReplySize),
            interface.messageLimit(family, limits))
        let speaksExtensions = legacy.payloadSize != nil
        var encoder = MessageEncoder(
            header: MessageHeader(id: legacy.id, flags: MessageHeader.response.flags),
            limit: size - (speaksExtensions ? Self.optionsSize : 0),
            compressesServiceTargets: false)
        for question in legacy.questions { _ = encoder.append(question) }
        if answers.allSatisfy({ append($0, to: .answer, of: &encoder) }) {
            _ = additionals(to: answers).allSatisfy {
                append($0, to: .additional, of: &encoder)
            }
        } else {
            encoder.header.isTruncated = true
        }
        if speaksExtensions {
            encoder.limit += Self.optionsSize
            let options = ExtensionOptions(udpPayloadSize: limits.legacyPayloadSize)
            _ = encoder.append(
                ResourceRecord(.root, .opt(options), timeToLive: .goodbye), to: .additional)
        }
        return encoder.finish()
    }

    private func append(
        _ handle: RecordHandle, to section: MessageSection, of encoder: inout MessageEncoder
    ) -> Bool {
        let timeToLive = records[handle].record.timeToLive
        return encoder.append(
            records[handle].record,
            timeToLive: min(timeToLive, .seconds(Timing.legacyTimeToLive)), cacheFlush: false,
            to: section)
    }
}
