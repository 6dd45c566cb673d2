import DNSMessages
import NetworkPrimitives

/// A reply to one host, as the QU bit, a direct query or a legacy query asks for.
struct UnicastReply: Sendable {
    var due: Instant
    var destination: SocketAddress
    /// The own records that answer.
    var slots: [Int]
    /// What a querier of conventional DNS wants to see again (RFC 6762 §6.7).
    var legacy: LegacyQuery?
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

extension Link {
    mutating func send(_ reply: UnicastReply, _ context: inout Context) {
        let live = reply.slots.filter { isAnswerable($0) }
        let answers = completeSets(live)
        guard !answers.isEmpty else { return }
        if let legacy = reply.legacy {
            sendLegacy(answers, legacy, to: reply.destination, &context)
            return
        }
        let family = reply.destination.address.family
        var packer = ResponsePacker(link: self, family: family, limits: context.limits)
        for group in groups(answers) {
            packer.add(
                group.map { own[$0].record }, timeToLive: { $0.timeToLive },
                cacheFlush: own[group[0]].isUnique)
        }
        // Found first: the walk may make the name's NSEC, which `groups` must see.
        let additional = additionals(to: answers)
        for group in groups(additional) {
            _ = packer.addAdditional(
                group.map { own[$0].record }, timeToLive: { $0.timeToLive },
                cacheFlush: own[group[0]].isUnique)
        }
        let packed = packer.finish()
        context.statistics.unsendable += packed.unsendable
        for bytes in packed.packets { unicast(bytes, reply.destination, &context) }
    }

    private func unicast(
        _ bytes: [UInt8], _ destination: SocketAddress, _ context: inout Context
    ) {
        context.emit(
            .transmit(Transmission(bytes: bytes, destination: destination, interface: index)))
    }

    /// What an OPT record without options takes.
    private static let optionsSize = 11

    /// A reply in the form of conventional DNS: one packet with the query's id and questions, no
    /// cache-flush bit, times to live of ten seconds at most, SRV targets in full; what does not
    /// fit is cut and TC says so (RFC 6762 §6.7, §18.5, §18.14). A query with OPT has OPT in its
    /// reply (RFC 6891 §6.1.1).
    private mutating func sendLegacy(
        _ answers: [Int], _ legacy: LegacyQuery, to destination: SocketAddress,
        _ context: inout Context
    ) {
        let family = destination.address.family
        let size = max(legacy.payloadSize ?? 0, context.limits.legacyReplySize)
        let speaksExtensions = legacy.payloadSize != nil
        var encoder = MessageEncoder(
            header: MessageHeader(id: legacy.id, flags: MessageHeader.response.flags),
            limit: min(size, messageLimit(family, context.limits))
                - (speaksExtensions ? Self.optionsSize : 0),
            compressesServiceTargets: false)
        for question in legacy.questions { _ = encoder.append(question) }
        var isCut = false
        for slot in answers where !isCut {
            isCut = !append(slot, to: .answer, of: &encoder)
        }
        // (RFC 6762 §18.5, M18-19)
        if isCut {
            encoder.header.isTruncated = true
        } else {
            for slot in additionals(to: answers)
            where !append(slot, to: .additional, of: &encoder) { break }
        }
        //
        if speaksExtensions {
            encoder.limit += Self.optionsSize
            let options = ExtensionOptions(udpPayloadSize: context.limits.legacyPayloadSize)
            _ = encoder.append(
                ResourceRecord(.root, .opt(options), timeToLive: .goodbye), to: .additional)
        }
        unicast(encoder.finish(), destination, &context)
    }

    private func append(
        _ slot: Int, to section: MessageSection, of encoder: inout MessageEncoder
    ) -> Bool {
        let record = own[slot].record
        return encoder.append(
            record, timeToLive: min(record.timeToLive, .seconds(Timing.legacyTimeToLive)),
            cacheFlush: false, to: section)
    }
}
