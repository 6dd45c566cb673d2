import DNSMessages
import NetworkPrimitives

// Probing and announcing. Read RFC 6762 §8.1 to §8.3 before editing.

extension Link {
    /// Makes the next step of each publication; the steps of one moment share packets.
    mutating func stepPublications(_ ids: [PublicationID], _ context: inout Context) {
        guard !ids.isEmpty else { return }
        var probing: [PublicationID] = []
        var announcing: [PublicationID] = []
        for id in ids {
            guard let publication = publications[id] else { continue }
            guard publication.due <= context.now else {
                schedule(publication: id)
                continue
            }
            switch publication.phase {
            case .probing(let sent) where sent < Timing.probeCount:
                probing.append(id)
            case .probing:
                win(id)
                announcing.append(id)
            case .announcing:
                announcing.append(id)
            case .established: break
            }
        }
        sendProbes(probing, &context)
        announce(announcing, &context)
    }

    /// No denial came within 250 ms of the last probe: the names are ours (RFC 6762 §8.1).
    private mutating func win(_ id: PublicationID) {
        guard let publication = publications[id] else { return }
        // (RFC 6762 §8.1, M8-7, M8-8; §8.3, M8-33)
        publications[id]?.phase = .announcing(sent: 0)
        for slot in publication.slots { own[slot].isActive = true }
    }

    private mutating func sendProbes(_ ids: [PublicationID], _ context: inout Context) {
        guard !ids.isEmpty else { return }
        var names: [DomainName] = []
        var seen: Set<DomainName> = []
        for id in ids {
            guard let publication = publications[id], case .probing(let sent) = publication.phase
            else { continue }
            for name in publication.names where seen.insert(name).inserted { names.append(name) }
            publications[id]?.phase = .probing(sent: sent + 1)
            publications[id]?.due = context.now.advanced(by: Timing.probeGap)
            schedule(publication: id)
        }
        for family in families.members {
            var packer = ProbePacker(
                limit: messageLimit(family, context.limits),
                loneLimit: loneRecordLimit(family, context.limits),
                prefersUnicast: context.configuration.mayAskForUnicast)
            for name in names { packer.add(name, proposing: proposedRecords(name)) }
            for bytes in packer.finish() { multicastQuery(bytes, family, &context) }
        }
    }

    /// All records that are probed for under one name (RFC 6762 §8.2).
    func proposedRecords(_ name: DomainName) -> [ResourceRecord] {
        own.slots(named: name).compactMap {
            // (M8-20)
            own[$0].ownership.isProbed ? own[$0].record : nil
        }
    }

    private mutating func announce(_ ids: [PublicationID], _ context: inout Context) {
        var ready: [PublicationID] = []
        for id in ids {
            // An answer has just carried the records; the rate limit holds (RFC 6762 §6, M6-21).
            if let last = lastMulticastOfUnique(id),
                last.duration(to: context.now) < Timing.multicastGap
            {
                publications[id]?.due = last.advanced(by: Timing.multicastGap)
                schedule(publication: id)
            } else {
                ready.append(id)
            }
        }
        guard !ready.isEmpty else { return }
        for family in families.members { sendAnnouncement(ready, family, &context) }
        for id in ready { noteAnnounced(id, &context) }
    }

    private func lastMulticastOfUnique(_ id: PublicationID) -> Instant? {
        publications[id]?.slots.compactMap {
            own[$0].isUnique ? own[$0].lastMulticast(by: families) : nil
        }.max()
    }

    private mutating func sendAnnouncement(
        _ ids: [PublicationID], _ family: AddressFamily, _ context: inout Context
    ) {
        let walk = own.beginWalk()
        var slots: [Int] = []
        for id in ids {
            for slot in publications[id]?.slots ?? [] where own.meets(slot, in: walk) {
                // A shared record may have gone out a moment ago on behalf of another set
                // (RFC 6762 §6, M6-21).
                if let last = own[slot].lastMulticast[family],
                    last.duration(to: context.now) < Timing.multicastGap
                {
                    continue
                }
                slots.append(slot)
            }
        }
        sendMulticast(slots, additionals: [], family, &context)
    }

    private mutating func noteAnnounced(_ id: PublicationID, _ context: inout Context) {
        guard case .announcing(let sent) = publications[id]?.phase else { return }
        // (RFC 6762 §8.3, M8-33)
        if sent + 1 < Timing.announcementCount {
            publications[id]?.phase = .announcing(sent: sent + 1)
            // Each gap is twice the one before (RFC 6762 §8.3, M8-33, M8-34).
            let gap = Timing.announcementGap * (1 << sent)
            publications[id]?.due = context.now.advanced(by: gap)
            schedule(publication: id)
        } else {
            publications[id]?.phase = .established
            publications[id]?.due = .never
            publications[id]?.denials = 0
        }
        if sent == 0 { context.changedPublications.append(id) }
    }

    /// Announces a publication anew, without probing (RFC 6762 §8.4).
    mutating func announceAnew(_ id: PublicationID, _ context: inout Context) {
        guard publications[id]?.isWon ?? false else { return }
        publications[id]?.phase = .announcing(sent: 0)
        publications[id]?.due = context.now
        schedule(publication: id)
    }

    /// Probes and announces everything anew: connectivity may have changed (RFC 6762 §8).
    mutating func restartPublications(_ ids: [PublicationID], _ context: inout Context) {
        for id in ids where publications[id] != nil {
            restoreNames(of: id)
            startProbing(id, notBefore: nil, &context)
            context.changedPublications.append(id)
        }
    }

    /// The names to be probed, as the records have them.
    mutating func restoreNames(of id: PublicationID) {
        var names: [DomainName] = []
        // Shared records and what is ours by its nature need no probe (RFC 6762 §8.1, M8-3,
        // M8-17, M3-10).
        for slot in publications[id]?.slots ?? [] where own[slot].ownership.isProbed {
            names.append(own[slot].record.name)
        }
        publications[id]?.names = names
        publications[id]?.phase = .probing(sent: 0)
    }

    /// Sends an established publication back to probing at once (RFC 6762 §9).
    mutating func probeAgain(_ id: PublicationID, at time: Instant, _ context: inout Context) {
        restoreNames(of: id)
        startProbing(id, notBefore: time, &context)
        context.changedPublications.append(id)
    }
}

/// Puts names and the records proposed for them into as few probes as they take: a name's
/// question and all of its records stay together (RFC 6762 §8.2).
struct ProbePacker {
    private let limit: Int
    private let loneLimit: Int
    private let prefersUnicast: Bool
    private var names: [(name: DomainName, records: [ResourceRecord])] = []
    private var size = 12
    private var packets: [[UInt8]] = []

    init(limit: Int, loneLimit: Int, prefersUnicast: Bool) {
        self.limit = limit
        self.loneLimit = loneLimit
        self.prefersUnicast = prefersUnicast
    }

    mutating func add(_ name: DomainName, proposing records: [ResourceRecord]) {
        // At most: owners are pointers to the question, names in data are counted in full.
        var needed = name.byteCount + 5
        for record in records { needed += 12 + record.data.uncompressedBytes.count }
        // Several names share a packet (M8-5); a name and all that is proposed for it stay
        // together (M8-20).
        if !names.isEmpty, size + needed > limit { write() }
        names.append((name, records))
        size += needed
    }

    mutating func finish() -> [[UInt8]] {
        if !names.isEmpty { write() }
        return packets
    }

    private mutating func write() {
        // Only a name whose own records are too many makes a packet larger than the link's.
        var encoder = MessageEncoder(header: .query, limit: size > limit ? loneLimit : limit)
        for (name, _) in names {
            // QU, so that the answer comes even where groups are slow (RFC 6762 §8.1).
            _ = encoder.append(Question(name, .any, prefersUnicast: prefersUnicast))
        }
        for (_, records) in names {
            for record in records { _ = encoder.append(record, to: .authority) }
        }
        packets.append(encoder.finish())
        names.removeAll()
        size = 12
    }
}
