import DNSMessages
import NetworkPrimitives

/// Where a publication stands on one link (RFC 6762 §8).
struct LinkPublication: Sendable {
    enum Phase: Hashable, Sendable {
        /// Probing; so many probes were sent.
        case probing(sent: Int)
        /// Its names are won; so many announcements were made.
        case announcing(sent: Int)
        /// Announced often enough.
        case established
    }

    let id: PublicationID
    /// Its records on the link.
    var slots: [Int]
    /// The names to be probed, one for each record.
    var names: [DomainName]
    var phase = Phase.probing(sent: 0)
    /// When the next step is due; `.never` once established.
    var due = Instant.never
    /// The time of the timer that counts for this publication.
    var timer = Instant.never
    /// Denials met since the last time that it was established. The first may be the stale echo
    /// of a reflector or a bridge: the name is given up at the second.
    var denials = 0

    /// Whether the names were won: its records may be answered with.
    var isWon: Bool {
        if case .probing = phase { false } else { true }
    }

    /// Whether a probe has left, so that a denial counts (RFC 6762 §8.1).
    var hasProbed: Bool {
        if case .probing(let sent) = phase { sent > 0 } else { false }
    }
}

extension Link {
    /// Puts a set's records on the link and begins to probe for its unique names.
    mutating func add(_ id: PublicationID, _ set: RecordSet, _ context: inout Context) {
        var publication = LinkPublication(id: id, slots: [], names: [])
        for member in set.members {
            if member.ownership != .shared, hasRival(member.record, for: id) {
                // Two publications of one process want one name: the later one gives way.
                context.lostNames.append((id, member.record.name))
            }
            publication.slots.append(hold(member, id, &context))
        }
        publications[id] = publication
        restoreNames(of: id)
        startProbing(id, notBefore: nil, &context)
    }

    /// Whether another publication has a unique record of that name and type with other data.
    private func hasRival(_ record: ResourceRecord, for id: PublicationID) -> Bool {
        own.slots(named: record.name).contains {
            let other = own[$0]
            return other.isUnique && !other.isNegative && !other.holders.contains(id)
                && other.record.type == record.type && other.record.data != record.data
        }
    }

    /// Adds a record, or the publication to the holders of the same record.
    mutating func hold(
        _ member: RecordSet.Member, _ id: PublicationID, _ context: inout Context
    ) -> Int {
        var record = member.record
        record.cacheFlush = false
        if let slot = own.slot(of: record) {
            if !own[slot].holders.contains(id) { own[slot].holders.append(id) }
            return slot
        }
        context.addOwn(record)
        var added = OwnRecord(record: record, ownership: member.ownership, holders: [id])
        // What comes back within a second is under the rate limit still (RFC 6762 §6, M6-21).
        if let times = givenUp.removeTimes(of: record) { added.lastMulticast = times }
        return own.add(added)
    }

    /// Takes the publication off a record's holders. The last one takes the record along, and the
    /// last record of a name its NSEC; they are returned if others on the link have heard of them
    /// and are due a goodbye.
    mutating func release(
        _ slot: Int, _ id: PublicationID, _ context: inout Context
    ) -> [ResourceRecord] {
        own[slot].holders.removeAll { $0 == id }
        let record = own[slot]
        // No goodbye for what another publication holds (RFC 6762 §10.1, M10-3).
        guard record.holders.isEmpty else {
            own[slot].isActive = isActive(slot)
            return []
        }
        context.removeOwn(record.record)
        if let last = record.lastMulticast(by: families) {
            givenUp.note(record, last: last, limit: context.limits.rememberedRecords, context.now)
        }
        own.remove(slot)
        let negative = own.takeOrphanedNegative(of: record.record.name)
        // Nor for what nobody has heard (M10-3).
        return [record, negative].compactMap { $0 }.filter(\.wasMulticast).map(\.record)
    }

    func isActive(_ slot: Int) -> Bool {
        own[slot].holders.contains { publications[$0]?.isWon ?? false }
    }

    /// Takes publications off the link, with goodbyes for what nobody else holds
    /// (RFC 6762 §10.1), all in as few packets as fit. The records leave the answers before the
    /// goodbyes leave.
    mutating func remove(
        _ ids: [PublicationID], saysGoodbye: Bool, _ context: inout Context
    ) {
        var gone: [ResourceRecord] = []
        for id in ids {
            guard let publication = publications.removeValue(forKey: id) else { continue }
            gone += publication.slots.flatMap { release($0, id, &context) }
        }
        // Not after a conflict: the name's owner has the same records' names (M3-1, M10-3).
        if saysGoodbye { sendGoodbyes(gone, &context) }
    }

    func sendGoodbyes(_ records: [ResourceRecord], _ context: inout Context) {
        guard !records.isEmpty else { return }
        for family in families.members {
            var packer = ResponsePacker(link: self, family: family, limits: context.limits)
            for record in records {
                packer.add([record], timeToLive: { _ in .goodbye }, cacheFlush: false)
            }
            send(packer.finish(), family, &context)
        }
    }

    func send(_ packed: ResponsePacker.Packed, _ family: AddressFamily, _ context: inout Context) {
        context.statistics.unsendable += packed.unsendable
        for bytes in packed.packets { multicast(bytes, family, &context) }
    }

    /// Begins a series of probes, with others that begin at about the same time, so that their
    /// questions share packets (RFC 6762 §8.1). Without a name to be probed it announces at once.
    mutating func startProbing(
        _ id: PublicationID, notBefore: Instant?, _ context: inout Context
    ) {
        guard var publication = publications[id] else { return }
        publication.names = publication.names.filter { !isOwned($0, besides: id) }
        // (M8-3, M8-7, M8-17)
        if publication.names.isEmpty {
            publication.phase = .announcing(sent: 0)
            publication.due = notBefore ?? context.now
        } else {
            publication.phase = .probing(sent: 0)
            publication.due = max(notBefore ?? nextProbeBatch(&context), context.earliestProbe)
        }
        publications[id] = publication
        for slot in publication.slots { own[slot].isActive = isActive(slot) }
        schedule(publication: id)
    }

    /// Whether another publication has won the name already.
    private func isOwned(_ name: DomainName, besides id: PublicationID) -> Bool {
        own.slots(named: name).contains {
            // Probed for once per link, whoever adds to it later (M8-3).
            own[$0].isUnique
                && own[$0].holders.contains { $0 != id && publications[$0]?.isWon ?? false }
        }
    }

    private mutating func nextProbeBatch(_ context: inout Context) -> Instant {
        if probeBatch > context.now { return probeBatch }
        let delay = context.generator.duration(in: Timing.firstProbeDelay)
        probeBatch = context.now.advanced(by: delay)
        return probeBatch
    }
}
