import NetworkPrimitives

/// A multicast answer that waits for its time (RFC 6762 §6).
struct PendingAnswer: Sendable, Hashable {
    /// When it leaves by itself.
    var due: Instant
    /// When it may leave at the earliest, along with others (RFC 6762 §6.4).
    var earliest: Instant
    /// Until when it may wait for others to leave along with it (RFC 6762 §6.4).
    var latest: Instant
    /// The families it was asked over.
    var families: FamilySet
    /// How long after the record's last multicast by a family it may leave by that family again
    /// (RFC 6762 §6).
    var gap: Duration
    /// Who asked; nil once several have, or nobody did. Known answers of a sole querier that
    /// come in later packets take the answer back (RFC 6762 §7.2).
    var soleQuerier: IPAddress?
    /// Whether the querier has more known answers to send.
    var awaitsKnownAnswers: Bool

    /// The two plans as one: no later than either, for everyone who asked.
    func merged(with other: PendingAnswer) -> PendingAnswer {
        var merged = self
        // Whoever waits for known answers waits longer, but an answer somebody else is to have
        // sooner serves both.
        merged.due = min(due, other.due)
        merged.earliest = min(earliest, other.earliest)
        merged.latest = min(latest, other.latest)
        merged.families.formUnion(other.families)
        merged.gap = min(gap, other.gap)
        // Several wait for it: no single one's known answers take it back (M7-12).
        if soleQuerier != other.soleQuerier { merged.soleQuerier = nil }
        merged.awaitsKnownAnswers =
            awaitsKnownAnswers && other.awaitsKnownAnswers && merged.soleQuerier != nil
        return merged
    }
}
