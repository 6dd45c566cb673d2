import DNSMessages
import NetworkPrimitives

// What other hosts say about our names. Read RFC 6762 §6.6, §7.4, §8.1, §8.2, §9 and §10.2.

extension Link {
    /// Compares a response with our own records: conflicts, and answers that ours need not repeat.
    mutating func compareWithOwn(
        _ records: [ResourceRecord], _ info: DatagramInfo, _ context: inout Context
    ) {
        for record in records where record.type != .opt {
            let named = own.slots(named: record.name)
            // The same data is no conflict (RFC 6762 §9, M9-1), of this link or another
            // (§10.2, M10-19); nor is a goodbye.
            if let slot = own.slot(of: record, among: named) {
                heardOwn(slot, record, info, &context)
            } else if !named.contains(where: { own[$0].isUnique }) {
                // What others have of a name that is nobody's alone does not concern ours.
                continue
            } else if context.isOwn(record) {
                // (M9-1, M9-2, M10-19)
                heardOwnOfOtherLink(record, &context)
            } else if record.timeToLive > .goodbye {
                // (M9-1, M9-2)
                meetConflict(record, &context)
            }
        }
    }

    /// Somebody else sent our very record. That is never a conflict (RFC 6762 §9).
    private mutating func heardOwn(
        _ slot: Int, _ record: ResourceRecord, _ info: DatagramInfo, _ context: inout Context
    ) {
        if !interface.owns(info.source.address) {
            if record.timeToLive == .goodbye {
                context.statistics.goodbyesForOwn += 1
            } else {
                context.statistics.ownRecordsHeard += 1
            }
        }
        let mine = own[slot]
        // It would go too soon: say it again (RFC 6762 §6.6, M6-52, M6-53), within the second
        // that a goodbye leaves (§10.1, M10-5).
        if 2 * UInt64(record.timeToLive.rawValue) < UInt64(mine.record.timeToLive.rawValue) {
            rescue(slot, &context)
        } else if record.timeToLive >= mine.record.timeToLive, info.isMulticast,
            !interface.owns(info.source.address), var pending = mine.pending
        {
            // As good as ours, and everybody heard it (RFC 6762 §7.4, M7-15).
            pending.families.remove(FamilySet(info.family))
            context.statistics.suppressedByDuplicateAnswer += 1
            own[slot].pending = pending.families.isEmpty ? nil : pending
        }
    }

    /// Two of our interfaces are bridged: our record of the other one has just flushed this
    /// one's set from every cache, so this one's is said again (RFC 6762 §10.2). What was said
    /// within the last second need not be, so this comes to an end (§14).
    private mutating func heardOwnOfOtherLink(
        _ record: ResourceRecord, _ context: inout Context
    ) {
        // Only that flushes (M10-19).
        guard record.cacheFlush, record.timeToLive > .goodbye else { return }
        for slot in own.slots(named: record.name) {
            let mine = own[slot]
            // Of the flushed set (M10-19), and not said a moment ago (RFC 6762 §14, M14-5).
            guard mine.isUnique, mine.record.type == record.type,
                mine.lastMulticast(by: families).map({
                    $0.duration(to: context.now) > Timing.multicastGap
                }) ?? true
            else { continue }
            rescue(slot, &context)
        }
    }

    /// Plans to multicast a record again. A goodbye leaves it a second to live, and a second is
    /// also the least gap between two multicasts, so both can be kept (RFC 6762 §6, §10.1).
    private mutating func rescue(_ slot: Int, _ context: inout Context) {
        let delay = context.generator.duration(in: Timing.sharedAnswerDelay)
        plan(
            slot, delay: delay, gap: Timing.multicastGap, families: families, querier: nil,
            awaitsKnownAnswers: false, &context)
    }

    /// A record of one of our names that is not ours.
    private mutating func meetConflict(_ record: ResourceRecord, _ context: inout Context) {
        var rivals: [PublicationID] = []
        for slot in own.slots(named: record.name) {
            let mine = own[slot]
            // Beside a shared record everybody may have theirs (RFC 6762 §6.6, M6-50).
            guard mine.isUnique else { continue }
            for id in mine.holders where !rivals.contains(id) {
                if let publication = publications[id],
                    isConflict(record, with: mine, of: publication)
                {
                    rivals.append(id)
                }
            }
        }
        for id in rivals { lose(id, record.name, &context) }
    }

    private func isConflict(
        _ record: ResourceRecord, with mine: OwnRecord, of publication: LinkPublication
    ) -> Bool {
        if publication.isWon {
            // An owner fights about records of the same type; other classes than the Internet's
            // are not read at all (RFC 6762 §9, M9-1, M9-2).
            return mine.record.type == record.type
        }
        // A prober gives way to any record of the name (RFC 6762 §8.1, M8-15), once a probe has
        // left (M8-14), unless it takes none (M8-17). An NSEC alone proves nothing: an owner has
        // something else to show, and ours may come back by a bridge.
        return publication.hasProbed && mine.ownership.isProbed && record.type != .nsec
    }

    private mutating func lose(
        _ id: PublicationID, _ name: DomainName, _ context: inout Context
    ) {
        context.noteConflict()
        guard let publication = publications[id] else { return }
        // Back to probing at once, whatever the other side does (RFC 6762 §9, M9-2, M9-4). Names
        // that are being announced still are won already.
        if publication.isWon {
            publications[id]?.denials = 0
            probeAgain(id, at: context.now, &context)
        } else if publication.denials == 0 {
            // The first denial may be a stale echo; the second is believed (§9, M9-3, M8-12).
            publications[id]?.denials = 1
            let time = context.now.advanced(by: Timing.denialWait)
            startProbing(id, notBefore: time, &context)
        } else {
            context.lostNames.append((id, name))
        }
    }

    /// Another host probes for names that we probe for too: whose records are later wins
    /// (RFC 6762 §8.2).
    mutating func breakTies(with message: Message, _ context: inout Context) {
        guard !message.authorities.isEmpty else { return }
        for question in message.questions where own.contains(name: question.name) {
            let theirs = message.authorities.filter { $0.name == question.name }
            // An echo of our own probe, of this interface or another, is no rival (A-20, M8-29).
            guard !theirs.allSatisfy({ context.isOwn($0) }) else { continue }
            context.statistics.rivalProbes += 1
            let contenders = contenders(for: question.name)
            guard !contenders.isEmpty else { continue }
            // The winner goes on (M8-22).
            guard Tiebreak(proposedRecords(question.name), against: theirs) == .earlier else {
                continue
            }
            context.statistics.tiebreaksLost += 1
            for id in contenders {
                let time = context.now.advanced(by: Timing.tiebreakWait)
                startProbing(id, notBefore: time, &context)
            }
        }
    }

    /// The publications that have begun to probe for the name.
    private func contenders(for name: DomainName) -> [PublicationID] {
        var ids: [PublicationID] = []
        for slot in own.slots(named: name) where own[slot].ownership.isProbed {
            // Who has not begun is no rival yet (M8-21, M8-14).
            for id in own[slot].holders where publications[id]?.hasProbed ?? false {
                ids.append(id)
            }
        }
        return ids
    }

    /// Whether a name is being probed for, so that a unicast denial is expected.
    func isProbing(_ name: DomainName) -> Bool { !contenders(for: name).isEmpty }
}
