/// Decides about peers whose key a handshake has just proved.
///
/// Nothing that a peer says without proof counts here: what TXT records and the preface say only
/// chooses whom to dial.
public struct TrustCheck: Hashable, Sendable {
    /// Whom this session accepts.
    public var policy: TrustPolicy
    /// Who this peer is.
    public let own: PeerIdentity
    /// Which run of it this is.
    public let ownRun: RunNumber
    /// Whether there is a person to ask.
    public var canAsk: Bool

    /// For a session of the peer `own`.
    public init(policy: TrustPolicy, own: PeerIdentity, run: RunNumber, canAsk: Bool) {
        self.policy = policy
        self.own = own
        ownRun = run
        self.canAsk = canAsk
    }

    /// What to do with a peer.
    ///
    /// - Parameters:
    ///   - peer: Who it is by the handshake's proof, and what it says of itself.
    ///   - expected: Whom the connection was made to.
    ///   - provedSecret: Whether the handshake proved that it knows the shared secret.
    ///   - store: What is known of keys.
    public func decision(
        on peer: PeerDescription, expected: ExpectedPeer = .anyone, provedSecret: Bool = false,
        store: TrustStore
    ) -> TrustDecision {
        if peer.identity == own {
            guard peer.run != ownRun else { return refuse(.oneself) }
            return refuse(.cloned, [.cloned(own, own: ownRun, other: peer.run)])
        }
        guard expected.matches(peer.identity) else {
            return refuse(.wrongPeer, [.wrongPeer(expected: expected, found: peer)])
        }
        let entry = store[peer.identity.key]
        if entry?.level == .blocked { return refuse(.blocked) }
        let others = othersUnderName(of: peer, entry, store)
        var events: [TrustEvent] = []
        if !others.isEmpty { events.append(.knownNameUnderNewKey(peer, known: others)) }

        let outcome = outcome(for: peer, entry, others, expected, provedSecret)
        if case .accept(.new(let basis)) = outcome {
            if basis == .firstUse { events.append(.firstUse(peer)) }
            if !store.hasRoom { events.append(.notStored(peer.identity.key)) }
        }
        return TrustDecision(outcome: outcome, events: events)
    }

    private func refuse(_ reason: TrustRefusal, _ events: [TrustEvent] = []) -> TrustDecision {
        TrustDecision(outcome: .refuse(reason), events: events)
    }

    /// The keys trusted under the peer's name, if its own was not seen with that name.
    private func othersUnderName(
        of peer: PeerDescription, _ entry: TrustEntry?, _ store: TrustStore
    ) -> [DeviceKey] {
        let key = peer.identity.key
        guard key != own.key, entry?.names.contains(peer.name) != true else { return [] }
        return store.trustedKeys(named: peer.name).filter { $0 != key }
    }

    private func outcome(
        for peer: PeerDescription, _ entry: TrustEntry?, _ others: [DeviceKey],
        _ expected: ExpectedPeer, _ provedSecret: Bool
    ) -> TrustOutcome {
        if policy == .secret, !provedSecret { return .refuse(.secretMissing) }
        if peer.identity.key == own.key { return .accept(.ownDevice) }
        if policy == .pinned {
            if let entry, entry.level == .pinned { return .accept(.known(.pinned, entry.basis)) }
            return .refuse(others.isEmpty ? .notPinned : .changedKey)
        }
        if let entry { return .accept(.known(entry.level, entry.basis)) }
        if policy == .secret { return .accept(.new(.secret)) }
        if case .fingerprint = expected { return .accept(.new(.fingerprint)) }
        if policy == .firstUse, !expected.needsPerson { return .accept(.new(.firstUse)) }
        guard canAsk else { return .refuse(.nobodyToAsk) }
        return .ask(TrustQuestion(peer: peer, keysUnderItsName: others))
    }
}

extension ExpectedPeer {
    /// Whether it was dialled by a name that stands for nobody: taking the first who has it
    /// would make the name its identity.
    fileprivate var needsPerson: Bool {
        if case .stranger = self { return true }
        return false
    }
}

extension TrustStore {
    /// Whether a new key would be kept.
    public var hasRoom: Bool { !isEphemeral && entries.count < Self.maximumEntries }

    /// Stores what an acceptance says, and that the peer was seen.
    ///
    /// - Returns: Whether the peer's key is in the store now; `once` and the own device leave
    ///   it out.
    @discardableResult
    public mutating func apply(
        _ acceptance: TrustAcceptance, to peer: PeerDescription, at seconds: Int64
    ) -> Bool {
        if case .new(let basis) = acceptance {
            guard set(.trusted, for: peer.identity.key, basis: basis, at: seconds) else {
                return false
            }
        }
        switch acceptance {
        case .known, .new: return note(peer, at: seconds)
        case .ownDevice, .once: return false
        }
    }
}
