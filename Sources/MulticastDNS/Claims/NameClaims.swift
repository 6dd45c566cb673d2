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

    enum Timer: Hashable, Sendable {
        case claim(SlotHandle<NameClaim>)
        case publication(PublicationID)
    }

    var claims = SlotMap(vacant: NameClaim.vacant)
    /// For look-up only, never walked.
    private var claimsByName: [DomainName: SlotHandle<NameClaim>] = [:]
    /// For look-up only, never walked.
    var publications: [PublicationID: ClaimingPublication] = [:]
    /// Who waits for a name to be claimed. For look-up only.
    private var dependents: [DomainName: [PublicationID]] = [:]
    private var timers = TimerQueue<Timer>()
    /// When the next series of probes begins that others can still join.
    private var probeBatch = Instant.zero
    var conflicts = ConflictRateLimit()
    var effects = Queue<Effect>()

    /// The next thing that is to be done; nil when there is nothing more.
    mutating func nextEffect() -> Effect? { effects.popFirst() }

    /// How many publications there are on the link.
    var publicationCount: Int { publications.count }
    var timerCount: Int { timers.count }

    func contains(_ id: PublicationID) -> Bool { publications[id] != nil }

    /// Whether the publication is announced on the link; nil if it is not there.
    func isEstablished(_ id: PublicationID) -> Bool? { publications[id]?.isEstablished }

    func handle(of name: DomainName) -> SlotHandle<NameClaim>? { claimsByName[name] }

    /// Whether a name is being probed for, so that a response by unicast is expected.
    func isProbing(_ name: DomainName) -> Bool {
        claimsByName[name].map { claims[$0].yieldsToResponses } ?? false
    }

    // MARK: Publications

    /// Begins to claim a publication's names; those that are claimed already need no probe
    /// (M8-3).
    mutating func add(_ id: PublicationID, _ set: RecordSet, _ context: inout Context) {
        publications[id] = ClaimingPublication()
        for demand in NameDemand.demands(of: set) { hold(demand, by: id, &context) }
        startAwaiting(NameDemand.targets(of: set), by: id)
        proceed(id, context.now)
    }

    /// Replaces a publication's names. One that is new has to be claimed (M8-3); other data under
    /// a claimed name is announced without probing (RFC 6762 §8.4, M8-40).
    mutating func change(_ id: PublicationID, to set: RecordSet, _ context: inout Context) {
        guard let before = publications[id] else { return }
        let demands = NameDemand.demands(of: set)
        publications[id]?.claims = []
        for demand in demands { hold(demand, by: id, &context) }
        let held = publications[id]?.claims ?? []
        for handle in before.claims where !held.contains(handle) { release(handle, by: id) }
        stopAwaiting(before.awaited, by: id)
        startAwaiting(NameDemand.targets(of: set), by: id)
        if publications[id]?.phase == .claiming || isReady(id) {
            publications[id]?.phase = .claiming
            proceed(id, context.now)
        } else {
            setBack(id)
        }
    }

    mutating func remove(_ id: PublicationID, at now: Instant) {
        guard let publication = publications.removeValue(forKey: id) else { return }
        stopAwaiting(publication.awaited, by: id)
        for handle in publication.claims { release(handle, by: id, at: now) }
    }

    private mutating func hold(
        _ demand: NameDemand, by id: PublicationID, _ context: inout Context
    ) {
        let handle: SlotHandle<NameClaim>
        if let known = claimsByName[demand.name] {
            handle = known
        } else {
            handle = claims.insert(NameClaim(name: demand.name, defers: true))
            claimsByName[demand.name] = handle
        }
        if !claims[handle].holders.contains(id) { claims[handle].holders.append(id) }
        if !demand.defers { claims[handle].defers = false }
        publications[id]?.claims.append(handle)
        if demand.isProbed, !claims[handle].isProbed {
            startProbing(handle, notBefore: nil, &context)
        } else if case .probing = claims[handle].phase {
            // What is proposed is other than it was: the series begins again, no sooner than its
            // next probe was to leave.
            claims[handle].phase = .probing(sent: 0)
        }
    }

    private mutating func release(
        _ handle: SlotHandle<NameClaim>, by id: PublicationID, at now: Instant? = nil
    ) {
        claims[handle].holders.removeAll { $0 == id }
        guard claims[handle].holders.isEmpty else { return }
        let name = claims.remove(handle).name
        claimsByName[name] = nil
        guard let now else { return }
        // Whoever waited for it is given time to point elsewhere.
        for dependent in dependents[name] ?? [] where publications[dependent]?.phase == .claiming {
            schedule(dependent, at: now.advanced(by: Timing.probeInterval))
        }
    }

    private mutating func startAwaiting(_ names: [DomainName], by id: PublicationID) {
        publications[id]?.awaited = names
        for name in names { dependents[name, default: []].append(id) }
    }

    private mutating func stopAwaiting(_ names: [DomainName], by id: PublicationID) {
        for name in names {
            dependents[name]?.removeAll { $0 == id }
            if dependents[name]?.isEmpty ?? false { dependents[name] = nil }
        }
    }

    /// Whether all that a publication waits for is claimed.
    private func isReady(_ id: PublicationID) -> Bool {
        guard let publication = publications[id] else { return false }
        return publication.claims.allSatisfy { claims[$0].isClaimed }
            && publication.awaited.allSatisfy { name in
                claimsByName[name].map { claims[$0].isClaimed } ?? true
            }
    }

    /// Announces a publication if all that it waits for is claimed.
    mutating func proceed(_ id: PublicationID, _ now: Instant) {
        guard publications[id]?.phase == .claiming, isReady(id) else { return }
        publications[id]?.phase = .announcing(sent: 0)
        effects.append(.activate(id))
        schedule(id, at: now)
    }

    /// A name was claimed: its holders go on, and who waited for it.
    mutating func proceed(holdersOf handle: SlotHandle<NameClaim>, _ now: Instant) {
        let claim = claims[handle]
        for id in claim.holders + (dependents[claim.name] ?? []) { proceed(id, now) }
    }

    /// A name of the publication is not claimed any more, or all is to be announced anew.
    mutating func setBack(_ id: PublicationID) {
        publications[id]?.phase = .claiming
        publications[id]?.due = .never
        effects.append(.deactivate(id))
        effects.append(.progress(id))
    }

    // MARK: Timers

    /// The earliest time at which there is something to do.
    var deadline: Instant? { timers.earliest }

    mutating func schedule(_ handle: SlotHandle<NameClaim>, at due: Instant) {
        claims[handle].due = due
        guard due < claims[handle].timer else { return }
        claims[handle].timer = due
        timers.insert(.claim(handle), at: due)
    }

    mutating func schedule(_ id: PublicationID, at due: Instant) {
        guard let timer = publications[id]?.timer else { return }
        publications[id]?.due = due
        guard due < timer else { return }
        publications[id]?.timer = due
        timers.insert(.publication(id), at: due)
    }

    /// Drops timers in front that count no more, so that nothing is woken for them.
    mutating func pruneTimers() {
        while let (time, timer) = timers.first, !counts(timer, at: time) { timers.dropFirst() }
        if timers.count > 64 + 4 * (claims.count + publications.count) {
            timers = timers.filter { counts($1, at: $0) }
        }
    }

    private func counts(_ timer: Timer, at time: Instant) -> Bool {
        switch timer {
        case .claim(let handle): claims.contains(handle) && claims[handle].timer == time
        case .publication(let id): publications[id]?.timer == time
        }
    }

    /// Makes every step that is due; the steps of one moment share packets.
    mutating func advance(_ context: inout Context) {
        var probing: [SlotHandle<NameClaim>] = []
        var announcing: [PublicationID] = []
        while let (time, timer) = timers.popDue(by: context.now) {
            guard counts(timer, at: time) else { continue }
            switch timer {
            case .claim(let handle):
                claims[handle].timer = .never
                if claims[handle].due <= context.now {
                    step(handle, probing: &probing, context)
                } else {
                    schedule(handle, at: claims[handle].due)
                }
            case .publication(let id):
                publications[id]?.timer = .never
                let due = publications[id]?.due ?? .never
                if due > context.now {
                    if due < .never { schedule(id, at: due) }
                } else if publications[id]?.phase == .claiming {
                    proceed(id, context.now)
                } else {
                    announcing.append(id)
                }
            }
        }
        sendProbes(probing, context)
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
