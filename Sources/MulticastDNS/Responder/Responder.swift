import DNSMessages
import NetworkPrimitives

/// Our records on one link and what is said of them: answers, announcements, goodbyes
/// (RFC 6762 §6).
///
/// The files by section: AnswerSelection (§6, §6.1, §6.2), ResponseScheduling (§6, §6.3, §6.4),
/// QueryProcessing (§5.4, §5.5, §6), UnicastReplies (§6.7), KnownAnswers (§7.1, §7.2),
/// OwnRecordEchoes (§6.6, §7.4). Which names are ours is decided by the claims: until a
/// publication is activated, none of its records is answered with.
struct Responder: Sendable {
    /// What the link is to do.
    enum Effect: Sendable {
        case transmit(Transmission)
        /// Leave the name to another stack of this machine.
        case `defer`(DomainName)
    }

    /// A publication's records here.
    private struct HeldSet: Sendable {
        var records: [RecordHandle] = []
        /// What is to be announced of them: all, or after an update what has changed.
        var unannounced: [RecordHandle] = []
        /// What others still have of the data before, until the announcement flushes it.
        var superseded: [ResourceRecord] = []
        var announcementCount = 0
        var isActive = false
    }

    var records = OwnRecords()
    /// For look-up only, never walked.
    private var sets: [PublicationID: HeldSet] = [:]
    /// When records that were ours a moment ago were last multicast.
    ///
    /// One that comes back within a second, as a shared record does when its service gets another
    /// name, is still under the rate limit (M6-21). One that is received is our own earlier data,
    /// late or repeated by a reflector, and no conflict (RFC 6762 §9).
    private var withdrawn = RecentTable<RecordIdentity, PerFamily<Instant?>>(
        lifetime: Timing.earlierDataLifetime)
    /// Records with a scheduled multicast answer, in the order of scheduling.
    var pending: [RecordHandle] = []
    /// Replies by unicast that wait for their random delay.
    var waitingReplies: [UnicastReply] = []
    /// Who has announced more known answers (RFC 6762 §7.2), and until when to wait for them.
    var truncatedQueriers: [(source: IPAddress, until: Instant)] = []
    var budget = AmplificationBudget()
    /// What is being packed, and where.
    var selection = RecordSelection()
    var packer = ResponsePacker()
    /// When the next answer or reply is due.
    var due = Instant.never
    var effects = Queue<Effect>()

    mutating func nextEffect() -> Effect? { effects.popFirst() }

    var ownRecords: OwnRecords { records }
    var deadline: Instant { due }
    var waitingReplyCount: Int { waitingReplies.count }
    var truncatedQuerierCount: Int { truncatedQueriers.count }

    /// Whether the record is ours here, or was multicast by us and withdrawn a moment ago. What we
    /// only proposed in probes nobody can repeat: who answers with it is another host (M8-12).
    func hasSent(_ record: ResourceRecord, at now: Instant) -> Bool {
        records.handle(of: record) != nil
            || withdrawn.value(for: RecordIdentity(record), at: now)?.latest(of: [.ipv4, .ipv6])
                != nil
    }

    /// Whether the record is ours here, or was a moment ago.
    func holds(_ record: ResourceRecord, at now: Instant) -> Bool {
        records.handle(of: record) != nil
            || withdrawn.value(for: RecordIdentity(record), at: now) != nil
    }

    // MARK: Publications

    /// Whether another publication has a unique record of that name and type with other data:
    /// the later one of the two gives way.
    func rival(of set: RecordSet, for id: PublicationID) -> DomainName? {
        set.members.first { member in
            member.ownership != .shared
                && records.unique(member.record.type, named: member.record.name).contains {
                    let other = records[$0]
                    return other.holders != [id]
                        && other.record.data != member.record.data
                        && !set.members.contains { $0.record.isSameRecord(as: other.record) }
                }
        }?.record.name
    }

    mutating func add(_ id: PublicationID, _ set: RecordSet) {
        let handles = set.members.map { hold($0, by: id).handle }
        sets[id] = HeldSet(records: handles, unannounced: handles)
    }

    /// Replaces a publication's records.
    ///
    /// A shared record that goes says goodbye (M8-41); a unique one whose set lives on is flushed
    /// by its successor, which is announced, so it needs none (M8-42). What is unchanged is not
    /// announced again.
    mutating func change(
        _ id: PublicationID, to set: RecordSet, on interface: ActiveInterface,
        _ context: inout Context
    ) {
        guard let before = sets[id] else { return }
        let held = set.members.map { hold($0, by: id) }
        let handles = held.map { $0.handle }
        let kept = Set(handles)
        let isAnnouncing = before.announcementCount < Timing.announcementCount
        var changed = isAnnouncing ? Set(before.unannounced) : []
        for (handle, isNew) in held where isNew { changed.insert(handle) }
        let gone = before.records.filter { !kept.contains($0) }
            .flatMap { release($0, by: id, &context) }
        var goodbyes: [ResourceRecord] = []
        var superseded: [ResourceRecord] = []
        for record in before.superseded + gone {
            if let handle = records.handle(of: record) {
                records[handle].wasMulticast = true
                continue
            }
            // Their successors have the flush bit.
            let successors = records.unique(record.type, named: record.name)
            changed.formUnion(successors)
            if successors.isEmpty { goodbyes.append(record) } else { superseded.append(record) }
        }
        sendGoodbyes(goodbyes, on: interface, &context)
        let unannounced = handles.filter { changed.contains($0) }
        sets[id] = HeldSet(
            records: handles, unannounced: unannounced, superseded: superseded,
            isActive: before.isActive)
    }

    /// Lets a publication's records be answered with: its names are ours.
    mutating func activate(_ id: PublicationID) {
        sets[id]?.isActive = true
        updateActivity(of: id)
    }

    /// Lets them be answered with no longer; all are to be announced anew.
    mutating func deactivate(_ id: PublicationID) {
        guard let set = sets[id] else { return }
        sets[id] = HeldSet(
            records: set.records, unannounced: set.records, superseded: set.superseded)
        updateActivity(of: id)
    }

    private mutating func updateActivity(of id: PublicationID) {
        for handle in sets[id]?.records ?? [] { updateActivity(of: handle) }
    }

    private mutating func updateActivity(of handle: RecordHandle) {
        let isActive = records[handle].holders.contains { sets[$0]?.isActive ?? false }
        records.setActive(handle, isActive)
    }

    /// Takes publications off the link, with goodbyes for what nobody else holds
    /// (RFC 6762 §10.1), all in as few packets as fit. The records leave the answers before the
    /// goodbyes leave.
    mutating func remove(
        _ ids: [PublicationID], _ removal: Removal, on interface: ActiveInterface,
        _ context: inout Context
    ) {
        var gone: [ResourceRecord] = []
        for id in ids {
            guard let set = sets.removeValue(forKey: id) else { continue }
            gone += set.records.flatMap { release($0, by: id, &context) } + set.superseded
        }
        switch removal {
        case .withdrawal: sendGoodbyes(gone, on: interface, &context)
        case .conflict(let name):
            sendGoodbyes(gone.filter { $0.name != name }, on: interface, &context)
        case .interfaceGone: break
        }
    }

    /// Adds a record, or the publication to the holders of the same record.
    private mutating func hold(
        _ member: RecordSet.Member, by id: PublicationID
    ) -> (handle: RecordHandle, isNew: Bool) {
        var record = member.record
        record.cacheFlush = false
        if let handle = records.handle(of: record) {
            let isHeld = records[handle].holders.contains(id)
            if !isHeld { records[handle].holders.append(id) }
            let isChanged = records[handle].record.timeToLive != record.timeToLive
            if isChanged { records[handle].record.timeToLive = record.timeToLive }
            return (handle, !isHeld || isChanged)
        }
        var added = OwnRecord(record, member.ownership, holders: [id])
        if let times = withdrawn.remove(RecordIdentity(record)) { added.lastMulticast = times }
        return (records.insert(added), true)
    }

    /// Takes the publication off a record's holders. The last one takes the record along; what
    /// others on the link have received of it, its NSEC included, is returned: it is due a goodbye
    /// (M10-3).
    private mutating func release(
        _ handle: RecordHandle, by id: PublicationID, _ context: inout Context
    ) -> [ResourceRecord] {
        records[handle].holders.removeAll { $0 == id }
        guard records[handle].holders.isEmpty else {
            updateActivity(of: handle)
            return []
        }
        let removed = records.remove(handle)
        for record in removed where !record.isNegative {
            withdrawn.insert(
                record.lastMulticast, for: RecordIdentity(record.record),
                limit: context.limits.rememberedRecords, at: context.now)
        }
        return removed.filter { $0.wasMulticast }.map { $0.record }
    }

    // MARK: Announcements

    /// When the publication may be announced: an answer may have just carried its unique records,
    /// and the rate limit holds (M6-21).
    func announcementTime(of id: PublicationID, on interface: ActiveInterface) -> Instant {
        let announced = RecordSelection(sets[id]?.unannounced ?? [], of: records).handles
        let times = announced.lazy.filter { records[$0].isUnique }.compactMap {
            records[$0].lastMulticast.latest(of: interface.families)
        }
        return times.max()?.advanced(by: Timing.multicastInterval) ?? .zero
    }

    /// Announces publications; a shared record that went out a moment ago on behalf of another is
    /// left out (M6-21).
    mutating func announce(
        _ ids: [PublicationID], on interface: ActiveInterface, _ context: inout Context
    ) {
        for family in interface.families.members {
            let announced = ids.flatMap { sets[$0]?.unannounced ?? [] }.filter {
                records[$0].mayLeave(
                    by: family, after: Timing.multicastInterval, at: context.now)
            }
            sendMulticast(announced, isAnnouncement: true, by: family, on: interface, &context)
        }
        for id in ids {
            sets[id]?.announcementCount += 1
            sets[id]?.superseded = []
        }
    }

    private mutating func sendGoodbyes(
        _ goodbyes: [ResourceRecord], on interface: ActiveInterface, _ context: inout Context
    ) {
        guard !goodbyes.isEmpty else { return }
        for family in interface.families.members {
            packer.begin(interface, family, context.limits)
            for record in goodbyes { packer.addAlone(record, .goodbye, cacheFlush: false) }
            transmit(packer.finish(&context), to: interface.group(family), on: interface)
        }
    }
}

/// Why a publication leaves a link.
enum Removal: Sendable {
    /// Its publisher takes it back.
    case withdrawal
    /// The name is another host's: no goodbye for what is there in its own right (M10-3), but one
    /// for the records of other names, such as the PTR of the old instance (M8-41).
    case conflict(DomainName)
    /// There is nobody left to talk to.
    case interfaceGone
}
