/// Whom a session accepts.
public enum TrustPolicy: Hashable, Sendable, CaseIterable {
    /// Keys that are trusted; a person is asked about all others.
    case ask
    /// Keys that are trusted, and every other key, which is trusted from then on. Each time an
    /// event says so.
    case firstUse
    /// Pinned keys only.
    case pinned
    /// Whoever knows the shared secret, of at least 128 bits, which the handshake proves.
    case secret
}

/// Whom a connection was made to.
public enum ExpectedPeer: Hashable, Sendable {
    /// Anybody: the connection came from outside, or the user chose what the browser found.
    case anyone
    /// Somebody of that name whom nobody trusts yet: a person has to say yes.
    case stranger(PeerName)
    /// Any peer with that key.
    case key(DeviceKey)
    /// Any peer whose key has that fingerprint, which a person gave.
    case fingerprint(Fingerprint)
    /// That peer.
    case peer(PeerIdentity)

    /// Whether the peer that a handshake proved is the one.
    public func matches(_ identity: PeerIdentity) -> Bool {
        switch self {
        case .anyone, .stranger: true
        case .key(let key): identity.key == key
        case .fingerprint(let fingerprint): identity.key.fingerprint == fingerprint
        case .peer(let peer): identity == peer
        }
    }
}

/// What a name stands for that a person gave to dial (`--to NAME`).
public enum NameResolution: Hashable, Sendable {
    /// The key that is trusted under it.
    case trusted(DeviceKey)
    /// Nobody is trusted under it.
    case unknown(PeerName)
    /// Several keys are trusted under it: the fingerprint has to be given.
    case ambiguous([DeviceKey])

    /// Whom to dial; nil where that is not clear.
    public var expectedPeer: ExpectedPeer? {
        switch self {
        case .trusted(let key): .key(key)
        case .unknown(let name): .stranger(name)
        case .ambiguous: nil
        }
    }
}

extension TrustStore {
    /// Whom a name means: the key trusted under it, whoever else has that name now.
    public func resolve(_ name: PeerName) -> NameResolution {
        let keys = trustedKeys(named: name)
        guard let first = keys.first else { return .unknown(name) }
        return keys.count == 1 ? .trusted(first) : .ambiguous(keys)
    }
}
