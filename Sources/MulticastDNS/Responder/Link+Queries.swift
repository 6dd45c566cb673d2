import DNSMessages
import NetworkPrimitives

// Being asked. Read RFC 6762 §5.4, §5.5 (unicast answers), §6, §6.3, §6.7 (legacy), §7.1, §7.2
// (known answers) and §11 (sources).

/// How one query is to be answered.
private struct QueryContext {
    let info: DatagramInfo
    let message: Message
    /// From a port other than 5353 (RFC 6762 §6.7).
    let isLegacy: Bool
    /// Whether a unicast answer to the querier would be taken (RFC 6762 §11).
    let isOnLink: Bool
    /// Whether the querier is this very host: its unicast might reach another process.
    let isOwnHost: Bool
    let delay: Duration
}

extension Link {
    mutating func answer(
        _ message: Message, _ info: DatagramInfo, isEcho: Bool, _ context: inout Context
    ) {
        let isLegacy = info.source.port != 5353
        let isOnLink = interface.isOnLink(info.source.address)
        // A unicast query from elsewhere, or one whose unicast reply would go elsewhere, is
        // dropped: whoever forged its source must gain nothing (RFC 6762 §5.5, M5-32, §11,
        // M11-5, M11-6, M6-54).
        guard isOnLink || (info.isMulticast && !isLegacy) else {
            context.statistics.offLink += 1
            return
        }
        // (RFC 6762 §7.2, M7-12)
        guard !message.questions.isEmpty else {
            hearMoreKnownAnswers(message, info, &context)
            return
        }
        breakTies(with: message, &context)
        // More known answers are on their way (RFC 6762 §18.5, M18-16, M7-12, D-23).
        if message.header.isTruncated { expectKnownAnswers(from: info.source.address, context) }
        // Only what everybody hears and everybody hears the answer to, and what we have not said
        // ourselves (RFC 6762 §7.3, M7-14, §10.5, M10-24, M10-25).
        if !isLegacy, info.isMulticast, !isEcho { observe(message, info, &context) }

        let answers = message.questions.map { self.answers(to: $0) }
        // Most queries are for others.
        guard answers.contains(where: { !$0.isEmpty }) else { return }
        let query = QueryContext(
            info: info, message: message, isLegacy: isLegacy, isOnLink: isOnLink,
            isOwnHost: interface.owns(info.source.address),
            delay: delay(for: message, answers, &context))
        // (RFC 6762 §6, M6-17; §6.7, M6-54)
        if isLegacy {
            replyToLegacy(query, answers, &context)
        } else {
            var unicast: [Int] = []
            for (question, slots) in zip(message.questions, answers) {
                answerQuestion(question, slots, query, unicast: &unicast, &context)
            }
            replyByUnicast(unicast, query, &context)
        }
        if responseTimer <= context.now { sendDueAnswers(&context) }
    }

    /// The random delay of an answer: none if nobody else can answer (RFC 6762 §6), 20 to 120 ms
    /// if others may or several questions were asked (§6.3), 400 to 500 ms if known answers are
    /// still to come (§7.2).
    ///
    /// Where the sections meet, the longer wait holds: several questions wait even if every
    /// answer is ours alone, for §6.3 is the stricter text; TC makes a unique answer wait too,
    /// since it may be among the known answers that follow.
    private func delay(
        for message: Message, _ answers: [[Int]], _ context: inout Context
    ) -> Duration {
        // (M6-10, M6-13, M6-14)
        if message.header.isTruncated {
            return context.generator.duration(in: Timing.truncatedQueryDelay)
        }
        // (M6-10, M6-13, M6-45)
        let isOursAlone =
            message.questions.count == 1
            && answers.allSatisfy { $0.allSatisfy { own[$0].isUnique } }
        return isOursAlone ? .zero : context.generator.duration(in: Timing.sharedAnswerDelay)
    }

    private mutating func answerQuestion(
        _ question: Question, _ slots: [Int], _ query: QueryContext, unicast: inout [Int],
        _ context: inout Context
    ) {
        // A query is a probe if its authority section has what answers the question
        // (RFC 6762 §6, M6-12); its asker must hear of us at once (§8.1, M8-10, M6-22).
        let isProbe = query.message.authorities.contains { question.matches($0) }
        if isProbe, query.isOwnHost, yield(slots, to: query.message, &context) { return }
        let slots = withoutKnown(slots, query.message.answers, &context)
        // By the QU bit (RFC 6762 §5.4, M5-27) or by the way that it came (§5.5, M5-31) and not
        // otherwise (§6, M6-17, M6-18), if the answer would be taken (§11, M11-6) and reach the
        // asker and no other process of this host (§15.1, M15-2).
        let asksForUnicast =
            (question.prefersUnicast || !query.info.isMulticast) && query.isOnLink
            && !query.isOwnHost
        let family = query.info.family
        for slot in slots {
            let isRecent = wasMulticastRecently(slot, family, context.now)
            // (M5-27, M5-28, M5-29, M6-18)
            if asksForUnicast, isRecent || isProbe { unicast.append(slot) }
            // What has not been multicast for long is, so that all caches keep fresh
            // (RFC 6762 §5.4, M5-28). A probe's asker has its unicast answer already then.
            if asksForUnicast, isRecent { continue }
            plan(
                slot, delay: isProbe ? .zero : query.delay,
                gap: isProbe ? Timing.defenceGap : Timing.multicastGap,
                families: FamilySet(family), querier: query.info.source.address,
                awaitsKnownAnswers: query.message.header.isTruncated && !isProbe, &context)
        }
    }

    /// Leaves a name to another stack on this machine if it is one of those: true if so. An echo
    /// of our own probe asks for nothing else than we have.
    private func yield(_ slots: [Int], to probe: Message, _ context: inout Context) -> Bool {
        // (M8-17)
        guard let first = slots.first, own[first].ownership == .yielding else { return false }
        let name = own[first].record.name
        let isRival = probe.authorities.contains { $0.name == name && !context.isOwn($0) }
        guard isRival else { return false }
        for id in own[first].holders { context.lostNames.append((id, name)) }
        return true
    }

    /// Whether the record was multicast within the last quarter of its lifetime.
    private func wasMulticastRecently(
        _ slot: Int, _ family: AddressFamily, _ now: Instant
    ) -> Bool {
        guard let last = own[slot].lastMulticast[family] else { return false }
        let quarter =
            own[slot].record.timeToLive.duration.wholeNanoseconds
            / Timing.unicastFreshnessDivisor
        return last.duration(to: now) <= .nanoseconds(quarter)
    }

    /// Leaves out what the querier knows well enough: with half of the true lifetime left,
    /// exactly half included (RFC 6762 §7.1). A unique set is left out as a whole or not at all
    /// (§10.2).
    private mutating func withoutKnown(
        _ slots: [Int], _ known: [ResourceRecord], _ context: inout Context
    ) -> [Int] {
        guard !known.isEmpty else { return slots }
        let knownSlots = slots.count > 4 ? self.knownSlots(known) : nil
        let unknown = slots.filter { slot in
            knownSlots.map { !$0.contains(slot) } ?? !isKnown(slot, known)
        }
        let needed = completeSets(unknown)
        context.statistics.suppressedByKnownAnswer += slots.count - needed.count
        return needed
    }

    private func isKnown(_ slot: Int, _ known: [ResourceRecord]) -> Bool {
        let mine = own[slot].record
        return known.contains {
            // (M7-3, M7-4)
            2 * UInt64($0.timeToLive.rawValue) >= UInt64(mine.timeToLive.rawValue)
                && $0.isSameRecord(as: mine)
        }
    }

    /// All of our records that the querier knows well enough: for many records, of each of which
    /// the whole list would have to be compared.
    private func knownSlots(_ known: [ResourceRecord]) -> Set<Int> {
        var slots: Set<Int> = []
        for record in known {
            let named = record.type == .nsec ? own.slots(named: record.name) : []
            let candidates = own.slot(of: record).map { [$0] } ?? named
            for slot in candidates where isKnown(slot, [record]) { slots.insert(slot) }
        }
        return slots
    }

    // MARK: Known answers in several packets (RFC 6762 §7.2)

    private mutating func expectKnownAnswers(from source: IPAddress, _ context: Context) {
        truncatedQueriers.removeAll { $0.source == source || $0.until < context.now }
        // (D-28)
        guard truncatedQueriers.count < context.limits.truncatedQueriers else { return }
        let until = context.now.advanced(by: Timing.truncatedQueryDelay.upperBound)
        truncatedQueriers.append((source, until))
    }

    /// A query without a question brings more known answers of a host that said so; they are
    /// matched by its address (RFC 6762 §15.2, M15-3).
    private mutating func hearMoreKnownAnswers(
        _ message: Message, _ info: DatagramInfo, _ context: inout Context
    ) {
        let source = info.source.address
        // Of nobody who announced them (D-23, M15-3).
        guard truncatedQueriers.contains(where: { $0.source == source && $0.until >= context.now })
        else {
            context.statistics.strayKnownAnswers += 1
            return
        }
        // One delay for all: what waits for the same packet leaves together (RFC 6762 §6.4).
        let delay = context.generator.duration(in: Timing.truncatedQueryDelay)
        let due = context.now.advanced(by: delay)
        let known = pendingSlots.isEmpty ? [] : knownSlots(message.answers)
        for slot in pendingSlots {
            // Others may wait for the answer, too (RFC 6762 §7.2, M7-12).
            guard let pending = own[slot].pending, pending.soleQuerier == source else { continue }
            // (M7-12)
            if known.contains(slot) {
                own[slot].pending = nil
                context.statistics.suppressedByKnownAnswer += 1
            } else if message.header.isTruncated, pending.awaitsKnownAnswers {
                // Each packet with TC moves the answer on (M7-13).
                own[slot].pending?.due = due
                own[slot].pending?.earliest = due
                own[slot].pending?.latest = due
            }
        }
        // (M7-13)
        if message.header.isTruncated { expectKnownAnswers(from: source, context) }
    }

    // MARK: Unicast

    private mutating func replyByUnicast(
        _ slots: [Int], _ query: QueryContext, _ context: inout Context
    ) {
        guard !slots.isEmpty else { return }
        let isProbe = !query.message.authorities.isEmpty
        let reply = UnicastReply(
            due: context.now.advanced(by: isProbe ? .zero : query.delay),
            destination: query.info.source, slots: slots, legacy: nil)
        sendOrKeep(reply, &context)
    }

    private mutating func replyToLegacy(
        _ query: QueryContext, _ answers: [[Int]], _ context: inout Context
    ) {
        let walk = own.beginWalk()
        var slots: [Int] = []
        for slot in answers.joined() where own.meets(slot, in: walk) { slots.append(slot) }
        slots = withoutKnown(slots, query.message.answers, &context)
        guard !slots.isEmpty else { return }
        let reply = UnicastReply(
            due: context.now.advanced(by: query.delay), destination: query.info.source,
            slots: slots, legacy: LegacyQuery(query.message))
        sendOrKeep(reply, &context)
    }

    private mutating func sendOrKeep(_ reply: UnicastReply, _ context: inout Context) {
        // Forged sources are not to be drowned, and waiting replies bounded (D-28).
        if let cap = context.configuration.unicastAnswersPerSecond,
            !context.unicastLimiter.admits(
                reply.destination.address, at: context.now, perSecond: cap,
                sources: context.limits.rateLimitedSources)
        {
            context.statistics.unicastCapped += 1
        } else if reply.due <= context.now {
            send(reply, &context)
        } else if waitingReplies.count < context.limits.waitingUnicastReplies {
            // (D-28)
            waitingReplies.append(reply)
            scheduleResponses(at: reply.due)
        } else {
            context.statistics.unicastDropped += 1
        }
    }

    mutating func sendDueReplies(_ context: inout Context) {
        guard !waitingReplies.isEmpty else { return }
        let due = waitingReplies.filter { $0.due <= context.now }
        waitingReplies.removeAll { $0.due <= context.now }
        for reply in due { send(reply, &context) }
    }
}
