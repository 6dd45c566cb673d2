import DNSMessages
import NetworkPrimitives

/// A name that is to be ours alone on one link, and where that stands (RFC 6762 §8, §9).
///
/// Claimed once, whoever holds records of it: two publications of one name share its probes, its
/// ties and its conflicts.
struct NameClaim: Sendable {
    enum Phase: Hashable, Sendable {
        /// Probing; so many probes were sent.
        case probing(sent: Int)
        /// Ours: its records may be answered with.
        case claimed
    }

    let name: DomainName
    /// The publications with unique records of the name, oldest first.
    var holders: [SlotHandle<ClaimingPublication>] = []
    var phase = Phase.claimed
    /// Whether it was or is probed for. A name that is ours by its nature, as the reverse mapping
    /// of an own address, is not (M8-17), until somebody contradicts.
    var isProbed = false
    /// Whether it is given up as soon as somebody else has other data.
    var defers = false
    /// Whether it waits because another prober's records are later: that one may announce them at
    /// any time.
    var hasLostTie = false
    /// When the next probe leaves, or the last one has gone unanswered for long enough.
    var due = Instant.never

    var isClaimed: Bool { phase == .claimed }

    /// Whether a probe has left, so that a conflicting response counts (M8-14).
    var hasProbed: Bool {
        if case .probing(let sent) = phase { sent > 0 } else { false }
    }

    /// Whether a conflicting response counts: a probe has left (M8-14), be it before the wait for
    /// the winner of a tie.
    var yieldsToResponses: Bool {
        if case .probing(let sent) = phase { sent > 0 || hasLostTie } else { false }
    }

    static let vacant = NameClaim(name: .root)
}

/// A publication as its names' claims see it: announced once all of them are claimed.
struct ClaimingPublication: Sendable {
    enum Phase: Hashable, Sendable {
        /// Some name is not claimed yet.
        case claiming
        /// All names are; so many announcements were made.
        case announcing(sent: Int)
        /// Announced often enough.
        case established
    }

    let id: PublicationID
    var claims: [SlotHandle<NameClaim>] = []
    /// Names of other publications that its records point to: it waits while these are probed
    /// for, since they may turn out to be another host's.
    var awaited: [DomainName] = []
    var phase = Phase.claiming

    /// Whether its records have been announced under names that are ours.
    var isEstablished: Bool {
        switch phase {
        case .claiming: false
        case .announcing(let sent): sent > 0
        case .established: true
        }
    }

    static let vacant = ClaimingPublication(id: PublicationID(rawValue: -1))
}

/// What a set of records wants of one name.
struct NameDemand: Sendable {
    let name: DomainName
    var isProbed: Bool
    var defers: Bool

    /// One for each name of which the set has unique records, in order.
    static func demands(of set: RecordSet) -> [NameDemand] {
        var demands: [NameDemand] = []
        var places: [DomainName: Int] = [:]
        for member in set.members where member.ownership != .shared {
            let place = places[member.record.name] ?? demands.count
            if place == demands.count {
                places[member.record.name] = place
                demands.append(
                    NameDemand(name: member.record.name, isProbed: false, defers: true))
            }
            if member.ownership == .unique { demands[place].isProbed = true }
            if member.ownership != .deferring { demands[place].defers = false }
        }
        return demands
    }

    /// The hosts that the set's services and reverse mappings point to, apart from its own names.
    static func targets(of set: RecordSet) -> [DomainName] {
        var targets: [DomainName] = []
        for member in set.members {
            let isReverse = member.record.type == .ptr && member.ownership != .shared
            guard isReverse || member.record.type == .srv,
                let target = member.record.data.target, !targets.contains(target),
                !set.members.contains(where: { $0.record.name == target })
            else { continue }
            targets.append(target)
        }
        return targets
    }
}
