import DNSMessages
import NetworkPrimitives

// When an answer leaves. Read RFC 6762 §6 (delays and the one-second rule), §6.3, §6.4.

/// A multicast answer that waits for its time (RFC 6762 §6).
struct PendingAnswer: Sendable, Hashable {
    /// When it leaves by itself.
    var due: Instant
    /// When it may leave at the earliest, along with others (RFC 6762 §6.4).
    var earliest: Instant
    /// Until when it may wait for others to leave along with it (RFC 6762 §6.4).
    var latest: Instant
    /// The families it was asked over (M6-17).
    var families: FamilySet
    /// How long after the record's last multicast by a family it may leave by that family again
    /// (M6-21, M6-23).
    var interval: Duration
    /// Who asked; nil once several have, or nobody did. Known answers of a sole querier that
    /// come in later packets take the answer back (M7-12).
    var soleQuerier: IPAddress?
    /// Whether the querier has more known answers to send.
    var awaitsKnownAnswers: Bool

    /// The two as one: no later than either, for everyone who asked. Whoever waits for known
    /// answers waits longer, but an answer that somebody else is to have sooner serves both.
    func merged(with other: PendingAnswer) -> PendingAnswer {
        var merged = self
        merged.due = min(due, other.due)
        merged.earliest = min(earliest, other.earliest)
        merged.latest = min(latest, other.latest)
        merged.families.formUnion(other.families)
        merged.interval = min(interval, other.interval)
        if soleQuerier != other.soleQuerier { merged.soleQuerier = nil }
        merged.awaitsKnownAnswers =
            awaitsKnownAnswers && other.awaitsKnownAnswers && merged.soleQuerier != nil
        return merged
    }

    mutating func move(to time: Instant) {
        due = time
        earliest = time
        latest = time
    }
}

extension Responder {
    /// Schedules a multicast answer after `delay`; it may leave sooner with others, but no sooner
    /// than the shortest random delay.
    mutating func schedule(
        _ handle: RecordHandle, after delay: Duration, interval: Duration, families: FamilySet,
        querier: IPAddress? = nil, awaitsKnownAnswers: Bool = false, at now: Instant
    ) {
        let due = now.advanced(by: delay)
        let leastDelay = min(delay, Timing.sharedAnswerDelay.lowerBound)
        let scheduled = PendingAnswer(
            due: due, earliest: awaitsKnownAnswers ? due : now.advanced(by: leastDelay),
            latest: delay > .zero ? due.advanced(by: Timing.aggregationWindow) : due,
            families: families, interval: interval, soleQuerier: querier,
            awaitsKnownAnswers: awaitsKnownAnswers)
        if let before = records[handle].pending {
            records[handle].pending = before.merged(with: scheduled)
        } else {
            records[handle].pending = scheduled
            if !records[handle].isListed { pending.append(handle) }
            records[handle].isListed = true
        }
        self.due = min(self.due, records[handle].pending?.due ?? due)
    }

    /// Schedules a record to be multicast again by all families, since others may be about to drop
    /// it (M6-52, M6-53, M10-5). A goodbye leaves it a second to live, and a second is also the
    /// least interval between two multicasts, so both can be kept.
    mutating func restore(
        _ handle: RecordHandle, on interface: ActiveInterface, _ context: inout Context
    ) {
        schedule(
            handle, after: context.generator.duration(in: Timing.sharedAnswerDelay),
            interval: Timing.multicastInterval, families: interface.families, at: context.now)
    }

    /// Sends every scheduled answer and waiting reply that is due, and with them the answers that
    /// would be due soon (M6-47, M6-48).
    mutating func advance(on interface: ActiveInterface, _ context: inout Context) {
        let now = context.now
        guard due <= now else { return }
        if !pending.isEmpty { sendDueAnswers(on: interface, &context) }
        sendDueReplies(on: interface, &context)
        due = .never
        for reply in waitingReplies { due = min(due, reply.due) }
        for handle in pending {
            if let time = records[handle].pending?.due { due = min(due, time) }
        }
    }

    private mutating func sendDueAnswers(
        on interface: ActiveInterface, _ context: inout Context
    ) {
        let now = context.now
        prunePending()
        let due = pending.filter { isDue($0, now) }
        if let joining = joiningTime(of: due, now) {
            for handle in due { records[handle].pending?.due = joining }
        } else if !due.isEmpty {
            let leaving = pending.filter { (records[$0].pending?.earliest ?? .never) <= now }
            for family in interface.families.members {
                let answers = completeSets(leaving.filter { mayLeave($0, by: family, at: now) })
                guard !answers.isEmpty else { continue }
                let additionals = additionals(to: answers)
                sendMulticast(
                    answers, additionals: fitting(additionals, by: family, at: now), by: family,
                    on: interface, &context)
            }
            for handle in leaving { waitForInterval(handle, interface.families, now) }
        }
        prunePending()
    }

    /// Takes out what was sent, taken back, or is no longer ours to say (M3-1, M9-3).
    private mutating func prunePending() {
        var kept: [RecordHandle] = []
        for handle in pending where records.contains(handle) {
            if !records[handle].isActive { records[handle].pending = nil }
            records[handle].isListed = records[handle].pending != nil
            if records[handle].isListed { kept.append(handle) }
        }
        pending = kept
    }

    private func isDue(_ handle: RecordHandle, _ now: Instant) -> Bool {
        (records[handle].pending?.due ?? .never) <= now
    }

    /// When the answers that are due leave with others that may leave in a moment, so that all
    /// share a packet; nil if there are none, or one can't wait (M6-48).
    private func joiningTime(of due: [RecordHandle], _ now: Instant) -> Instant? {
        guard due.count < pending.count,
            let latest = due.compactMap({ records[$0].pending?.latest }).min()
        else { return nil }
        let soon = min(latest, now.advanced(by: Timing.sharedAnswerDelay.lowerBound))
        return pending.compactMap { records[$0].pending?.earliest }
            .filter { now < $0 && $0 <= soon }.max()
    }

    /// Whether a scheduled answer is meant for the family and far enough from its last time there.
    private func mayLeave(
        _ handle: RecordHandle, by family: AddressFamily, at now: Instant
    ) -> Bool {
        guard let answer = records[handle].pending, answer.families.contains(family) else {
            return false
        }
        return records[handle].lastMulticast[family].map {
            $0.advanced(by: answer.interval) <= now
        } ?? true
    }

    /// A scheduled answer that was multicast too lately leaves when that is long enough ago, by
    /// each family. A family that the interface has lost is waited for no longer.
    private mutating func waitForInterval(
        _ handle: RecordHandle, _ families: FamilySet, _ now: Instant
    ) {
        guard var answer = records[handle].pending, answer.due <= now else { return }
        answer.families.formIntersection(families)
        let times = answer.families.members.compactMap {
            records[handle].lastMulticast[$0]?.advanced(by: answer.interval)
        }
        guard let next = times.min() else {
            records[handle].pending = nil
            return
        }
        answer.move(to: next)
        records[handle].pending = answer
    }

    /// Additional records that may be multicast again: whole sets whose last time is a second
    /// ago (M6-21, S12-1).
    private func fitting(
        _ additionals: [RecordHandle], by family: AddressFamily, at now: Instant
    ) -> [RecordHandle] {
        var fitting: [RecordHandle] = []
        var start = 0
        while start < additionals.count {
            let end = records.setEnd(additionals, from: start)
            let set = additionals[start..<end]
            if set.allSatisfy({ mayMulticast($0, by: family, at: now) }) { fitting += set }
            start = end
        }
        return fitting
    }
}
