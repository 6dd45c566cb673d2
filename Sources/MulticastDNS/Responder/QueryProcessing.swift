import DNSMessages
import NetworkPrimitives

// Answering a query. Read RFC 6762 §5.4, §5.5 (unicast answers), §6, §6.3 and §11 (sources).

/// A query as the responder sees it.
struct ReceivedQuery: Sendable {
    let message: Message
    let info: DatagramInfo
    let byteCount: Int
    let isOnLink: Bool
    /// Whether the querier is this very host: its unicast might reach another process.
    let isOwnHost: Bool

    /// From a port other than 5353 (RFC 6762 §6.7).
    var isLegacy: Bool { info.source.port != 5353 }

    init(
        _ message: Message, _ info: DatagramInfo, byteCount: Int, on interface: ActiveInterface
    ) {
        self.message = message
        self.info = info
        self.byteCount = byteCount
        isOnLink = interface.interface.isOnLink(info.source.address)
        isOwnHost = interface.interface.owns(info.source.address)
    }

    /// A unicast query from elsewhere, or one whose unicast reply would go elsewhere, is dropped:
    /// whoever forged its source must gain nothing (M5-32, M6-54, M11-5, M11-6).
    var isAcceptable: Bool { isOnLink || (info.isMulticast && !isLegacy) }
}

extension Responder {
    mutating func process(
        _ query: ReceivedQuery, on interface: ActiveInterface, _ context: inout Context
    ) {
        let message = query.message
        guard !message.questions.isEmpty else {
            appendKnownAnswers(query, &context)
            return
        }
        if message.header.isTruncated {
            expectKnownAnswers(from: query.info.source.address, context)
        }
        // One for all of the answers; none is drawn for the most queries, which are for others.
        var delay: Duration?
        var unicast: [RecordHandle] = []
        for question in message.questions {
            let answers = answers(to: question)
            guard !answers.isEmpty else { continue }
            let wait = delay ?? self.delay(for: message, answers, &context)
            delay = wait
            if query.isLegacy {
                let needed = withoutKnown(answers, message.answers, &context)
                unicast = unicast.isEmpty ? needed : unicast + needed
            } else {
                process(question, answers, query, wait, unicast: &unicast, &context)
            }
        }
        guard let delay else { return }
        let isProbe = !query.isLegacy && !message.authorities.isEmpty
        reply(to: query, unicast, after: isProbe ? .zero : delay, on: interface, &context)
        advance(on: interface, &context)
    }

    /// The random delay of an answer: none if nobody else can answer (M6-10), 20 to 120 ms if
    /// others may or several questions were asked (M6-13, M6-45), 400 to 500 ms if known answers
    /// are still to come (M6-14).
    ///
    /// Where the sections meet, the longer wait holds: several questions wait even if every
    /// answer is ours alone, for §6.3 is the stricter text; TC makes a unique answer wait too,
    /// since it may be among the known answers that follow.
    private func delay(
        for message: Message, _ answers: [RecordHandle], _ context: inout Context
    ) -> Duration {
        if message.header.isTruncated {
            return context.generator.duration(in: Timing.truncatedQueryDelay)
        }
        let isOursAlone =
            message.questions.count == 1 && answers.allSatisfy { records[$0].isUnique }
        return isOursAlone ? .zero : context.generator.duration(in: Timing.sharedAnswerDelay)
    }

    /// Answers one question by multicast, and adds to `unicast` what its asker is to have alone.
    ///
    /// By unicast if the QU bit asks for it (M5-27) or the query came that way (M5-31), and not
    /// otherwise (M6-17, M6-18), if the answer would be accepted (M11-6) and reach the asker and no
    /// other process of this host (M15-2). What has not been multicast for a quarter of its
    /// lifetime is, so that all caches keep fresh (M5-28, M5-29). A query is a probe if its
    /// authority section has what answers the question (M6-12); its asker must know of us at once,
    /// both ways (M8-10, M6-22).
    private mutating func process(
        _ question: Question, _ answers: [RecordHandle], _ query: ReceivedQuery,
        _ delay: Duration, unicast: inout [RecordHandle], _ context: inout Context
    ) {
        let isProbe = query.message.authorities.contains { question.matches($0) }
        if isProbe, query.isOwnHost, isDeferring(answers, to: query.message) {
            effects.append(.defer(question.name))
            return
        }
        let asksForUnicast =
            (question.prefersUnicast || !query.info.isMulticast) && query.isOnLink
            && !query.isOwnHost
        let family = query.info.family
        for handle in withoutKnown(answers, query.message.answers, &context) {
            let isRecent = wasMulticastRecently(handle, by: family, at: context.now)
            if asksForUnicast, isRecent || isProbe { unicast.append(handle) }
            if asksForUnicast, isRecent { continue }
            schedule(
                handle, after: isProbe ? .zero : delay,
                interval: isProbe ? Timing.defenceInterval : Timing.multicastInterval,
                families: FamilySet(family), querier: query.info.source.address,
                awaitsKnownAnswers: query.message.header.isTruncated && !isProbe,
                at: context.now)
        }
    }

    /// Whether another stack on this machine probes for a name that is left to it (M8-17).
    private func isDeferring(_ answers: [RecordHandle], to probe: Message) -> Bool {
        guard let first = answers.first, records[first].ownership == .deferring else {
            return false
        }
        let name = records[first].record.name
        return probe.authorities.contains { $0.name == name && records.handle(of: $0) == nil }
    }

    /// Whether the record was multicast within the last quarter of its lifetime (M5-28).
    private func wasMulticastRecently(
        _ handle: RecordHandle, by family: AddressFamily, at now: Instant
    ) -> Bool {
        let lifetime = records[handle].record.timeToLive.duration
        return records[handle].lastMulticast[family].map {
            $0.duration(to: now) <= lifetime / Int(Timing.unicastFreshnessDivisor)
        } ?? false
    }
}
