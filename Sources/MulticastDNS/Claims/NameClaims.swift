import DNSMessages
import NetworkPrimitives

/// The names that are ours on one link, or are to be: probing, tie-breaks, conflicts and
/// announcements, each name by itself with all of its holders (RFC 6762 §8, §9).
///
/// The files by section: Probing (§8.1), Tiebreak (§8.2), Announcing (§8.3, §8.4),
/// Conflicts (§9). It knows names and publications; what is to be sent and what is answered is
/// asked for by effects.
struct NameClaims: Sendable {
    /// What the link is to do.
    enum Effect: Sendable {
        /// Send a probe for each of these names.
        case probe([DomainName])
        /// The publication's names are ours: its records may be answered with.
        case activate(PublicationID)
        /// A name of the publication is probed for again: its records may not.
        case deactivate(PublicationID)
        /// Announce these publications in as few packets as they take.
        case announce([PublicationID])
        /// The publication lost the name to another host.
        case conflict(PublicationID, DomainName)
        /// The publication stands elsewhere than before.
        case progress(PublicationID)
    }

    var claims = SlotMap(vacant: NameClaim.vacant)
    /// For look-up only, never walked.
    private var claimsByName: [DomainName: SlotHandle<NameClaim>] = [:]
    var publications = SlotMap(vacant: ClaimingPublication.vacant)
    /// For look-up only, never walked.
    private(set) var publicationsByID: [PublicationID: SlotHandle<ClaimingPublication>] = [:]
    /// Who waits for a name to be claimed. For look-up only.
    private var dependents: [DomainName: [SlotHandle<ClaimingPublication>]] = [:]
    /// The next probe of each name, or the end of its series.
    private var claimTimers = DeadlineQueue()
    /// The next announcement of each publication.
    private var publicationTimers = DeadlineQueue()
    /// When the next series of probes begins that others can still join.
    private var probeBatch = Instant.zero
    var conflicts = ConflictRateLimit()
    var effects = Queue<Effect>()

    mutating func nextEffect() -> Effect? { effects.popFirst() }

    var publicationCount: Int { publications.count }
    var timerCount: Int { claimTimers.count + publicationTimers.count }

    func contains(_ id: PublicationID) -> Bool { publicationsByID[id] != nil }

    /// Whether the publication is announced on the link; nil if it is not there.
    func isEstablished(_ id: PublicationID) -> Bool? {
        publicationsByID[id].map { publications[$0].isEstablished }
    }

    func handle(of name: DomainName) -> SlotHandle<NameClaim>? { claimsByName[name] }

    /// Whether a name is being probed for, so that a response by unicast is expected.
    func isProbing(_ name: DomainName) -> Bool {
        claimsByName[name].map { claims[$0].yieldsToResponses } ?? false
    }

    // MARK: Publications

    /// Begins to claim a publication's names; those that are claimed already need no probe
    /// (M8-3).
    mutating func add(_ id: PublicationID, _ set: RecordSet, _ context: inout Context) {
        let publication = publications.insert(ClaimingPublication(id: id))
        publicationsByID[id] = publication
        for demand in NameDemand.demands(of: set) { hold(demand, by: publication, &context) }
        startAwaiting(NameDemand.targets(of: set), by: publication)
        proceed(publication, context.now)
    }

    /// Replaces a publication's names. One that is new has to be claimed (M8-3); other data under
    /// a claimed name is announced without probing (RFC 6762 §8.4, M8-40).
    mutating func change(_ id: PublicationID, to set: RecordSet, _ context: inout Context) {
        guard let publication = publicationsByID[id] else { return }
        let before = publications[publication]
        publications[publication].claims = []
        for demand in NameDemand.demands(of: set) { hold(demand, by: publication, &context) }
        let held = publications[publication].claims
        for handle in before.claims where !held.contains(handle) {
            release(handle, by: publication)
        }
        stopAwaiting(before.awaited, by: publication)
        startAwaiting(NameDemand.targets(of: set), by: publication)
        if before.phase == .claiming || isReady(publication) {
            publications[publication].phase = .claiming
            proceed(publication, context.now)
        } else {
            setBack(publication)
        }
    }

    mutating func remove(_ id: PublicationID, at now: Instant) {
        guard let publication = publicationsByID.removeValue(forKey: id) else { return }
        publicationTimers.set(publication.index, to: .never)
        let removed = publications.remove(publication)
        stopAwaiting(removed.awaited, by: publication)
        for handle in removed.claims { release(handle, by: publication, at: now) }
    }

    private mutating func hold(
        _ demand: NameDemand, by publication: SlotHandle<ClaimingPublication>,
        _ context: inout Context
    ) {
        let handle =
            claimsByName[demand.name]
            ?? claims.insert(NameClaim(name: demand.name, defers: true))
        claimsByName[demand.name] = handle
        if !claims[handle].holders.contains(publication) {
            claims[handle].holders.append(publication)
        }
        if !demand.defers { claims[handle].defers = false }
        publications[publication].claims.append(handle)
        if demand.isProbed, !claims[handle].isProbed {
            startProbing(handle, notBefore: nil, &context)
        } else if case .probing = claims[handle].phase {
            // What is proposed is other than it was: the series begins again, no sooner than its
            // next probe was to leave.
            claims[handle].phase = .probing(sent: 0)
        }
    }

    private mutating func release(
        _ handle: SlotHandle<NameClaim>, by publication: SlotHandle<ClaimingPublication>,
        at now: Instant? = nil
    ) {
        claims[handle].holders.removeAll { $0 == publication }
        guard claims[handle].holders.isEmpty else { return }
        claimTimers.set(handle.index, to: .never)
        let name = claims.remove(handle).name
        claimsByName[name] = nil
        guard let now else { return }
        // Whoever waited for it is given time to point elsewhere.
        for dependent in dependents[name] ?? [] where publications[dependent].phase == .claiming {
            publicationTimers.set(
                dependent.index, to: now.advanced(by: Timing.probeInterval))
        }
    }

    private mutating func startAwaiting(
        _ names: [DomainName], by publication: SlotHandle<ClaimingPublication>
    ) {
        publications[publication].awaited = names
        for name in names { dependents[name, default: []].append(publication) }
    }

    private mutating func stopAwaiting(
        _ names: [DomainName], by publication: SlotHandle<ClaimingPublication>
    ) {
        for name in names {
            dependents[name]?.removeAll { $0 == publication }
            if dependents[name]?.isEmpty ?? false { dependents[name] = nil }
        }
    }

    /// Whether all that a publication waits for is claimed.
    private func isReady(_ handle: SlotHandle<ClaimingPublication>) -> Bool {
        let publication = publications[handle]
        return publication.claims.allSatisfy { claims[$0].isClaimed }
            && publication.awaited.allSatisfy { name in
                claimsByName[name].map { claims[$0].isClaimed } ?? true
            }
    }

    /// Announces a publication if all that it waits for is claimed.
    mutating func proceed(_ publication: SlotHandle<ClaimingPublication>, _ now: Instant) {
        guard publications[publication].phase == .claiming, isReady(publication) else { return }
        publications[publication].phase = .announcing(sent: 0)
        effects.append(.activate(publications[publication].id))
        publicationTimers.set(publication.index, to: now)
    }

    /// A name was claimed: its holders go on, and who waited for it.
    mutating func proceed(holdersOf handle: SlotHandle<NameClaim>, _ now: Instant) {
        let claim = claims[handle]
        for publication in claim.holders + (dependents[claim.name] ?? []) {
            proceed(publication, now)
        }
    }

    /// A name of the publication is not claimed any more, or all is to be announced anew.
    mutating func setBack(_ publication: SlotHandle<ClaimingPublication>) {
        publications[publication].phase = .claiming
        publicationTimers.set(publication.index, to: .never)
        effects.append(.deactivate(publications[publication].id))
        effects.append(.progress(publications[publication].id))
    }

    // MARK: Timers

    /// The next probe or announcement; `.never` if there is none.
    var deadline: Instant { min(claimTimers.earliest, publicationTimers.earliest) }

    mutating func schedule(_ handle: SlotHandle<NameClaim>, at due: Instant) {
        claims[handle].due = due
        claimTimers.set(handle.index, to: due)
    }

    mutating func schedule(_ id: PublicationID, at due: Instant) {
        guard let publication = publicationsByID[id] else { return }
        publicationTimers.set(publication.index, to: due)
    }

    /// Makes every step that is due; the steps of one moment share packets.
    mutating func advance(_ context: inout Context) {
        var probing: [SlotHandle<NameClaim>] = []
        while let slot = claimTimers.popDue(by: context.now) {
            step(claims.handle(at: slot), probing: &probing, context)
        }
        sendProbes(probing, context)
        var announcing: [PublicationID] = []
        while let slot = publicationTimers.popDue(by: context.now) {
            let publication = publications.handle(at: slot)
            if publications[publication].phase == .claiming {
                proceed(publication, context.now)
            } else {
                announcing.append(publications[publication].id)
            }
        }
        if !announcing.isEmpty { effects.append(.announce(announcing)) }
    }

    /// When the next series of probes begins: some names in one packet are better than one name
    /// in each (M8-5, M8-6).
    mutating func nextProbeBatch(_ context: inout Context) -> Instant {
        if probeBatch > context.now { return probeBatch }
        let delay = context.generator.duration(in: Timing.firstProbeDelay)
        probeBatch = context.now.advanced(by: delay)
        return probeBatch
    }
}
