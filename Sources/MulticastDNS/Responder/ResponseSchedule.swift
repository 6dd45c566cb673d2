import DNSMessages
import NetworkPrimitives

// When an answer leaves. Read RFC 6762 §6 (delays and the one-second rule), §6.3, §6.4.

extension Link {
    /// Plans a multicast answer after `delay`; it waits for longer, as it leaves, if `gap` has
    /// not passed since the record was last multicast (RFC 6762 §6).
    mutating func plan(
        _ slot: Int, delay: Duration, gap: Duration, families: FamilySet, querier: IPAddress?,
        awaitsKnownAnswers: Bool, _ context: inout Context
    ) {
        let due = context.now.advanced(by: delay)
        // It may leave sooner with others, but no sooner than the shortest random delay.
        let leastDelay = min(delay, Timing.sharedAnswerDelay.lowerBound)
        let earliest = context.now.advanced(by: leastDelay)
        let planned = PendingAnswer(
            due: due, earliest: awaitsKnownAnswers ? due : earliest,
            latest: delay > .zero ? due.advanced(by: Timing.aggregationWindow) : due,
            families: families, gap: gap, soleQuerier: querier,
            awaitsKnownAnswers: awaitsKnownAnswers)
        if let before = own[slot].pending {
            own[slot].pending = before.merged(with: planned)
        } else {
            own[slot].pending = planned
            pendingSlots.append(slot)
        }
        scheduleResponses(at: own[slot].pending?.due ?? due)
    }

    /// Sends every planned answer and waiting reply that is due, and with them the answers that
    /// would be due soon (RFC 6762 §6.4).
    mutating func sendDueAnswers(_ context: inout Context) {
        let now = context.now
        responseTimer = .never
        let pending = pendingSlots.filter { own[$0].pending != nil && isAnswerable($0) }
        let due = pending.filter { own[$0].pending.map { $0.due <= now } ?? false }
        if let joining = joiningTime(of: due, among: pending, now) {
            for slot in due { own[slot].pending?.due = joining }
        } else if !due.isEmpty {
            let leaving = pending.filter { slot in
                guard let answer = own[slot].pending else { return false }
                // What is due, and what may leave with it (RFC 6762 §6.4, M6-47, M6-48).
                return answer.earliest <= now
            }
            for family in [AddressFamily.ipv4, .ipv6] {
                let answers = completeSets(leaving.filter { mayLeave($0, by: family, at: now) })
                guard !answers.isEmpty else { continue }
                let additionals = fittingAdditionals(answers, family, now)
                sendMulticast(answers, additionals: additionals, family, &context)
            }
            for slot in leaving { waitForGap(slot, now) }
        }
        // What is no longer ours to say is not planned any more either (RFC 6762 §9, M3-1, M9-3);
        // the rest waits on (§6, M6-23, M6-47).
        for slot in pendingSlots where !isAnswerable(slot) { own[slot].pending = nil }
        pendingSlots = pendingSlots.filter { own[$0].pending != nil }
        sendDueReplies(&context)
        rescheduleResponses()
    }

    /// When the answers that are due leave with others that may leave in a moment, so that all
    /// share a packet; nil if there are none, or one can't wait (RFC 6762 §6.4).
    private func joiningTime(of due: [Int], among pending: [Int], _ now: Instant) -> Instant? {
        guard let latest = due.compactMap({ own[$0].pending?.latest }).min() else { return nil }
        let soon = now.advanced(by: Timing.sharedAnswerDelay.lowerBound)
        let times = pending.compactMap { own[$0].pending?.earliest }
        // (RFC 6762 §6.4, M6-48)
        return times.filter { now < $0 && $0 <= soon && $0 <= latest }.max()
    }

    /// Whether a planned answer is meant for the family and far enough from its last time there.
    private func mayLeave(_ slot: Int, by family: AddressFamily, at now: Instant) -> Bool {
        // By the family that it was asked over (M6-17), a second after the last time there
        // (M6-21).
        guard let pending = own[slot].pending, pending.families.contains(family) else {
            return false
        }
        return own[slot].lastMulticast[family].map {
            $0.advanced(by: pending.gap) <= now
        } ?? true
    }

    /// A planned answer that was said too lately leaves when that is a second ago, by each family
    /// (RFC 6762 §6).
    private mutating func waitForGap(_ slot: Int, _ now: Instant) {
        guard let pending = own[slot].pending, pending.due <= now else { return }
        let times = pending.families.members.compactMap {
            own[slot].lastMulticast[$0]?.advanced(by: pending.gap)
        }
        guard let next = times.min() else { return }
        own[slot].pending?.due = next
        own[slot].pending?.earliest = next
        own[slot].pending?.latest = next
    }

    /// Whether the record may be answered with: its name may have been lost since it was planned.
    func isAnswerable(_ slot: Int) -> Bool {
        own[slot].isNegative ? own.ownsName(own[slot].record.name) : own[slot].isActive
    }

    /// Additional records that may be multicast again: whole sets whose last time is a second
    /// ago (RFC 6762 §6).
    private mutating func fittingAdditionals(
        _ answers: [Int], _ family: AddressFamily, _ now: Instant
    ) -> [Int] {
        let candidates = additionals(to: answers)
        return groups(candidates).filter { group in
            group.allSatisfy {
                // (M6-21, S12-1)
                own[$0].lastMulticast[family].map {
                    $0.duration(to: now) >= Timing.multicastGap
                } ?? true
            }
        }.flatMap { $0 }
    }

    private mutating func rescheduleResponses() {
        var next = waitingReplies.map(\.due).min() ?? .never
        for slot in pendingSlots {
            if let due = own[slot].pending?.due { next = min(next, due) }
        }
        if next < .never { scheduleResponses(at: next) }
    }
}
