import DNSMessages
import NetworkPrimitives

// Conflicts and ties. Read RFC 6762 §8.1, §8.2 and §9 before editing.

extension NameClaims {
    /// Another host has a record of one of our names with other data than any of ours.
    ///
    /// A prober gives the name up at once, whatever the type (M8-12, M8-15), once a probe has left
    /// (M8-14). An NSEC alone proves nothing: an owner has something else to show, and ours may
    /// come back by a bridge. An owner fights about records of the same type only, and goes
    /// back to probing (M9-1, M9-2, M9-4).
    mutating func processConflict(
        with record: ResourceRecord, own: OwnRecords, _ context: inout Context
    ) {
        guard let handle = handle(of: record.name) else { return }
        switch claims[handle].phase {
        case .probing:
            guard claims[handle].yieldsToResponses, record.type != .nsec else { return }
        case .claimed:
            guard
                own.hasUnique(record.type, named: record.name)
                    || isUnannounced(handle) && record.type != .nsec
            else { return }
        }
        conflicts.note(at: context.now)
        context.statistics.conflicts += 1
        if claims[handle].defers || claims[handle].yieldsToResponses {
            giveUp(handle)
        } else {
            startProbing(handle, notBefore: context.now, &context)
        }
    }

    /// Whether a name was probed for but nothing of it is announced, since all of its holders wait
    /// for other names: until then nothing answers for it, so that it is contested as while probed
    /// for.
    private func isUnannounced(_ handle: SlotHandle<NameClaim>) -> Bool {
        claims[handle].isClaimed && claims[handle].isProbed
            && claims[handle].holders.allSatisfy { publications[$0].phase == .claiming }
    }

    /// Leaves the name to the other host.
    private mutating func giveUp(_ handle: SlotHandle<NameClaim>) {
        let claim = claims[handle]
        for holder in claim.holders {
            effects.append(.conflict(publications[holder].id, claim.name))
        }
    }

    /// Another stack of this machine probes for a name that we would leave to it: true if so
    /// (M8-17).
    mutating func deferToLocalResponder(_ name: DomainName) -> Bool {
        guard let handle = handle(of: name), claims[handle].defers else { return false }
        giveUp(handle)
        return true
    }

    /// Another host probes for a name that we probe for too: whose records are later wins, and the
    /// other waits a second (M8-21 to M8-23). A lost tie counts as a conflict, so that a rival who
    /// always comes back slows us down as any other does (M8-16).
    mutating func breakTie(
        over name: DomainName, against theirs: [ResourceRecord], own: OwnRecords,
        _ context: inout Context
    ) {
        guard let handle = handle(of: name), claims[handle].hasProbed || isUnannounced(handle)
        else { return }
        let order = Tiebreak(own.proposed(named: name), against: theirs)
        if order == .later, claims[handle].isClaimed {
            // Nothing else shows the other that it has lost.
            startProbing(handle, notBefore: context.now, &context)
        }
        guard order == .earlier else { return }
        context.statistics.tiebreaksLost += 1
        conflicts.note(at: context.now)
        let end = context.now.advanced(by: Timing.tiebreakWait)
        startProbing(handle, notBefore: end, &context)
        claims[handle].hasLostTie = true
    }
}

/// Slows down whoever meets too many conflicts (M8-16): fifteen within ten seconds make each
/// further attempt wait five seconds, until ten seconds have passed without one.
struct ConflictRateLimit: Sendable {
    private var times = Queue<Instant>()
    private var last: Instant?
    private var isActive = false

    mutating func note(at now: Instant) {
        if !isRecent(now) { isActive = false }
        last = now
        times.append(now)
        if times.count > Timing.conflictLimit { _ = times.popFirst() }
        if times.count == Timing.conflictLimit, let first = times.first,
            first.duration(to: now) <= Timing.conflictWindow
        {
            isActive = true
        }
    }

    func earliestProbe(at now: Instant) -> Instant {
        isActive && isRecent(now) ? now.advanced(by: Timing.conflictDelay) : now
    }

    private func isRecent(_ now: Instant) -> Bool {
        last.map { $0.duration(to: now) <= Timing.conflictWindow } ?? false
    }
}
