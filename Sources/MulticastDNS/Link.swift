import DNSMessages
import NetworkPrimitives

/// One interface on which multicast DNS runs, over either family or both.
///
/// A table of contents of RFC 6762: `RecordCache` (§5.2, §10), `Querier` (§5, §7), `NameClaims`
/// (§8, §9) and `Responder` (§6), each with state and deadline of its own. The link hands each what
/// came in, carries out what they ask for, and is the only one who knows more than one of them.
/// Both families of an interface are one link, so that a name's NSEC speaks for both (RFC 6762
/// §6.2, §20). What concerns several links is the engine's business and leaves as an effect.
struct Link: Sendable {
    /// What is to be done outside the link.
    enum Effect: Sendable {
        case transmit(Transmission)
        /// An answer for the starter of a query.
        case answer(QueryID, AnswerChange)
        /// The publication lost the name, to another host or, withdrawn then, to a publication of
        /// ours that has other data.
        case conflict(PublicationID, DomainName, Removal)
        /// The publication stands elsewhere than before.
        case progress(PublicationID)
        /// Somebody has other data than this link under a name of ours: a conflict, unless they
        /// are ours on another link.
        case foreignRecord(ResourceRecord)
        /// Somebody proposes records under a name of ours.
        case rivalProbe(DomainName, [ResourceRecord])
    }

    var active: ActiveInterface
    var cache = RecordCache()
    var querier = Querier()
    var claims = NameClaims()
    var responder = Responder()
    var effects = Queue<Effect>()

    /// When multicast DNS began on the interface.
    let opened: Instant

    var interface: NetworkInterface { active.interface }
    var families: FamilySet { active.families }
    var index: InterfaceIndex { active.index }

    mutating func nextEffect() -> Effect? { effects.popFirst() }

    /// Whether a query is our own that came back. From the same address other programs of this
    /// host speak as well; what they ask is not what we asked, though others may ask the very same
    /// (M7-14).
    func isEcho(_ payload: Span<UInt8>, _ info: DatagramInfo, _ now: Instant) -> Bool {
        interface.owns(info.source.address) && querier.wasSent(payload, at: now)
    }
}

// MARK: - Publications

extension Link {
    /// Puts a set's records on the link and begins to claim their names.
    mutating func add(_ id: PublicationID, _ set: RecordSet, _ context: inout Context) {
        checkForRival(of: set, for: id)
        responder.add(id, set)
        claims.add(id, set, &context)
        carryOut(&context)
    }

    /// Replaces a publication's records (RFC 6762 §8.4).
    mutating func change(_ id: PublicationID, to set: RecordSet, _ context: inout Context) {
        guard claims.contains(id) else { return }
        checkForRival(of: set, for: id)
        responder.change(id, to: set, on: active, &context)
        claims.change(id, to: set, &context)
        carryOut(&context)
    }

    /// Of two publications of one process that want one name the later one gives way; nobody else
    /// speaks of its records then, so that they are due a goodbye (M10-3).
    private mutating func checkForRival(of set: RecordSet, for id: PublicationID) {
        guard let name = responder.rival(of: set, for: id) else { return }
        effects.append(.conflict(id, name, .withdrawal))
    }

    mutating func remove(
        _ ids: [PublicationID], _ removal: Removal, _ context: inout Context
    ) {
        for id in ids { claims.remove(id, at: context.now) }
        responder.remove(ids, removal, on: active, &context)
        carryOut(&context)
    }

    /// Probes for every name and announces everything anew (RFC 6762 §8).
    mutating func restart(_ ids: [PublicationID], _ context: inout Context) {
        claims.restart(ids, &context)
        carryOut(&context)
    }

    /// Another host has other data under a name of ours (RFC 6762 §9).
    mutating func processConflict(with record: ResourceRecord, _ context: inout Context) {
        claims.processConflict(with: record, own: responder.ownRecords, &context)
        carryOut(&context)
    }

    /// Another host probes for a name of ours (RFC 6762 §8.2).
    mutating func breakTie(
        over name: DomainName, against theirs: [ResourceRecord], _ context: inout Context
    ) {
        context.statistics.rivalProbes += 1
        claims.breakTie(over: name, against: theirs, own: responder.ownRecords, &context)
        carryOut(&context)
    }

    mutating func carryOut(_ context: inout Context) {
        while let effect = claims.nextEffect() {
            switch effect {
            case .probe(let names): sendProbes(names, context)
            case .activate(let id): responder.activate(id)
            case .deactivate(let id): responder.deactivate(id)
            case .announce(let ids): announce(ids, &context)
            case .conflict(let id, let name):
                effects.append(.conflict(id, name, .conflict(name)))
            case .progress(let id): effects.append(.progress(id))
            }
        }
        while let effect = responder.nextEffect() {
            switch effect {
            case .transmit(let transmission): effects.append(.transmit(transmission))
            case .defer(let name):
                if claims.deferToLocalResponder(name) { carryOut(&context) }
            }
        }
    }

    private mutating func sendProbes(_ names: [DomainName], _ context: Context) {
        let proposals = names.map {
            (name: $0, records: responder.ownRecords.proposed(named: $0))
        }
        for family in families.members {
            let packets = ProbeAssembly.packets(
                proposals, limit: active.messageLimit(family, context.limits),
                loneLimit: active.loneRecordLimit(family, context.limits),
                prefersUnicast: context.configuration.mayAskForUnicast)
            for bytes in packets {
                effects.append(.transmit(active.multicast(bytes, family)))
                querier.noteSent(bytes, at: context.now)
            }
        }
    }

    private mutating func announce(_ ids: [PublicationID], _ context: inout Context) {
        var ready: [PublicationID] = []
        for id in ids {
            let time = responder.announcementTime(of: id, on: active)
            if time > context.now {
                // Its records have just been multicast (M6-21).
                claims.schedule(id, at: time)
            } else {
                ready.append(id)
            }
        }
        guard !ready.isEmpty else { return }
        responder.announce(ready, on: active, &context)
        claims.noteAnnounced(ready, context.now)
    }
}

// MARK: - Time

extension Link {
    var deadline: Instant {
        min(min(cache.deadline, querier.deadline), min(claims.deadline, responder.deadline))
    }

    var timerCount: Int { cache.timerCount + querier.timerCount + claims.timerCount }

    /// Does everything that is due by now; what is due together leaves together.
    mutating func advance(_ context: inout Context) {
        while deadline <= context.now {
            cache.advance(to: context.now)
            processChanges(&context)
            claims.advance(&context)
            carryOut(&context)
            responder.advance(on: active, &context)
            carryOut(&context)
            querier.advance(reading: cache, on: active, &context)
            processChanges(&context)
        }
    }
}
