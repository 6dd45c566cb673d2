import DNS
import NetworkPrimitives

// What other hosts say about our names. Read RFC 6762 §6.6, §7.4, §8.1, §8.2, §9 and §10.2.

extension Link {
    /// Compares a response with our own records: conflicts, and answers that ours need not repeat.
    mutating func compareWithOwn(
        _ records: [ResourceRecord], _ info: DatagramInfo, _ context: inout Context
    ) {
        for record in records where record.type != .opt {
            let named = own.slots(named: record.name)
            if let slot = own.slot(of: record, among: named) {
                heardOwn(slot, record, info, &context)
            } else if !named.contains(where: { own[$0].isUnique }) {
                // What others have of a name that is nobody's alone does not concern ours.
                continue
            } else if context.isOwn(record) {
                heardOwnOfOtherLink(record, &context)
            } else if record.timeToLive > .goodbye {
                meetConflict(record, &context)
            }
        }
    }

    /// Somebody else sent our very record. That is never a conflict (RFC 6762 §9).
    private mutating func heardOwn(
        _ slot: Int, _ record: ResourceRecord, _ info: DatagramInfo, _ context: inout Context
    ) {
        let mine = own[slot]
        guard mine.isActive else { return }
        if 2 * UInt64(record.timeToLive.rawValue) < UInt64(mine.record.timeToLive.rawValue) {
            // It would go too soon: say it again (RFC 6762 §6.6), within the second that a
            // goodbye leaves (§10.1).
            rescue(slot, &context)
        } else if record.timeToLive >= mine.record.timeToLive, info.isMulticast,
            !interface.owns(info.source.address), var pending = mine.pending
        {
            // As good as ours, and everybody heard it (RFC 6762 §7.4).
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
        guard record.cacheFlush, record.timeToLive > .goodbye else { return }
        for slot in own.slots(named: record.name) {
            let mine = own[slot]
            guard mine.isActive, mine.isUnique, mine.record.type == record.type,
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
            guard mine.isUnique, !mine.isNegative else { continue }
            for id in mine.holders where !rivals.contains(id) {
                guard let publication = publications[id] else { continue }
                // A prober gives way to any record of the name (RFC 6762 §8.1), an owner fights
                // about records of the same type and class (§9). An NSEC alone proves nothing:
                // an owner has something else to show, and ours may come back by a bridge.
                let isConflict =
                    publication.isWon
                    ? mine.record.type == record.type
                        && mine.record.recordClass == record.recordClass
                    : publication.hasProbed && mine.ownership.isProbed
                        && record.type != .nsec
                if isConflict { rivals.append(id) }
            }
        }
        for id in rivals { lose(id, record.name, &context) }
    }

    private mutating func lose(
        _ id: PublicationID, _ name: DomainName, _ context: inout Context
    ) {
        context.noteConflict()
        guard let publication = publications[id] else { return }
        if publication.isWon {
            // Back to probing at once, whatever the other side does (RFC 6762 §9). Names that
            // are being announced still are won already.
            publications[id]?.denials = 0
            probeAgain(id, at: context.now, &context)
        } else if publication.denials == 0 {
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
            let contenders = contenders(for: question.name)
            guard !contenders.isEmpty else { continue }
            let theirs = message.authorities.filter { $0.name == question.name }
            // An echo of our own probe, of this interface or another, is no rival.
            guard !theirs.isEmpty, !theirs.allSatisfy({ context.isOwn($0) }) else { continue }
            guard ProbeOrder(proposedRecords(question.name), against: theirs) == .earlier else {
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
            for id in own[slot].holders
            where !ids.contains(id) && publications[id]?.hasProbed ?? false {
                ids.append(id)
            }
        }
        return ids
    }

    /// Whether a name is being probed for, so that a unicast denial is expected.
    func isProbing(_ name: DomainName) -> Bool { !contenders(for: name).isEmpty }
}
