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
    /// The families it was asked over (M6-17) and has not left by yet; empty once it was sent or
    /// taken back.
    var families: FamilySet
    /// How long after the record's last multicast by a family it may leave by that family again
    /// (M6-21, M6-23).
    var interval: Duration
    /// Who asked; nil once several have, or nobody did. Known answers of a sole querier that
    /// come in later packets take the answer back (M7-12).
    var soleQuerier: IPAddress?
    /// Whether the querier has more known answers to send.
    var awaitsKnownAnswers: Bool

    /// Adds an answer to be given to others: both leave as one, no later than either. Whoever waits
    /// for known answers waits longer, but an answer that somebody else is to have sooner serves
    /// both.
    mutating func merge(_ other: PendingAnswer) {
        guard !families.isEmpty else {
            self = other
            return
        }
        due = min(due, other.due)
        earliest = min(earliest, other.earliest)
        latest = min(latest, other.latest)
        families.formUnion(other.families)
        interval = min(interval, other.interval)
        if soleQuerier != other.soleQuerier { soleQuerier = nil }
        awaitsKnownAnswers =
            awaitsKnownAnswers && other.awaitsKnownAnswers && soleQuerier != nil
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
        let answer = PendingAnswer(
            due: due, earliest: awaitsKnownAnswers ? due : now.advanced(by: leastDelay),
            latest: delay > .zero ? due.advanced(by: Timing.aggregationWindow) : due,
            families: families, interval: interval, soleQuerier: querier,
            awaitsKnownAnswers: awaitsKnownAnswers)
        if records[handle].pending == nil {
            records[handle].pending = answer
            pending.append(handle)
        } else {
            records[handle].pending?.merge(answer)
        }
        self.due = min(self.due, due)
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
        guard due <= context.now else { return }
        sendDueAnswers(on: interface, &context)
        sendDueReplies(on: interface, &context)
        due = waitingReplies.reduce(.never) { min($0, $1.due) }
        for handle in pending { due = min(due, records[handle].pending?.due ?? .never) }
    }

    private mutating func sendDueAnswers(
        on interface: ActiveInterface, _ context: inout Context
    ) {
        let now = context.now
        prunePending()
        let due = pending.filter { (records[$0].pending?.due ?? .never) <= now }
        guard !due.isEmpty else { return }
        if let joining = joiningTime(of: due, now) {
            for handle in due { records[handle].pending?.due = joining }
            return
        }
        let leaving = pending.filter { (records[$0].pending?.earliest ?? .never) <= now }
        for family in interface.families.members {
            let answers = leaving.filter { handle in
                guard let answer = records[handle].pending else { return false }
                return answer.families.contains(family)
                    && records[handle].mayLeave(by: family, after: answer.interval, at: now)
            }
            sendMulticast(answers, by: family, on: interface, &context)
        }
        for handle in leaving { waitForInterval(handle, interface.families, now) }
        prunePending()
    }

    /// Takes out what was sent, taken back, or is no longer ours to say (M3-1, M9-3).
    private mutating func prunePending() {
        pending.removeAll { handle in
            guard records.contains(handle) else { return true }
            let isDone = records[handle].pending?.families.isEmpty ?? true
            guard isDone || !records[handle].isActive else { return false }
            records[handle].pending = nil
            return true
        }
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
        if let next = times.min() { answer.move(to: next) } else { answer.families = [] }
        records[handle].pending = answer
    }
}
