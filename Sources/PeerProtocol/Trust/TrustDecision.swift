/// Whether to go on with a peer whose key a handshake proved, and what to report.
public struct TrustDecision: Hashable, Sendable {
    /// What to do.
    public let outcome: TrustOutcome
    /// What the user has to know, in order.
    public let events: [TrustEvent]
}

/// What to do with a peer.
public enum TrustOutcome: Hashable, Sendable {
    /// Go on.
    case accept(TrustAcceptance)
    /// Close the connection with that reason. Nothing is stored.
    case refuse(TrustRefusal)
    /// Ask a person, and pass the answer to `TrustQuestion.decision`.
    case ask(TrustQuestion)
}

/// Why a peer is accepted.
public enum TrustAcceptance: Hashable, Sendable {
    /// Its key is the own one: it is another peer of this user.
    case ownDevice
    /// Its key is in the store.
    case known(TrustLevel, TrustBasis)
    /// Its key is new and becomes trusted on that basis.
    case new(TrustBasis)
    /// A person said yes for this connection only.
    case once

    /// Whether a man in the middle would have been noticed.
    public var isVerified: Bool {
        switch self {
        case .ownDevice: true
        case .known(let level, let basis): level == .pinned || basis.isVerified
        case .new(let basis): basis.isVerified
        case .once: false
        }
    }
}

/// Why a peer is refused.
public enum TrustRefusal: Error, Hashable, Sendable {
    /// It is this very peer, reached by an address of its own.
    case oneself
    /// It has this peer's key and number but is another run: one of the two is a copy.
    case cloned
    /// It is not the peer that was dialled: try its next address.
    case wrongPeer
    /// Its key is blocked.
    case blocked
    /// Only pinned keys are accepted, and its key is not.
    case notPinned
    /// Only pinned keys are accepted, and its name belongs to another key.
    case changedKey
    /// It did not prove that it knows the secret.
    case secretMissing
    /// It is a stranger, and there is nobody to ask.
    case nobodyToAsk
    /// A person said no.
    case personRefused
    /// No person answered in time.
    case noAnswer
}

/// What the user has to know of a peer, beside whether it was accepted.
public enum TrustEvent: Hashable, Sendable {
    /// A stranger is trusted from now on, and nobody compared anything.
    case firstUse(PeerDescription)
    /// A name by which other keys are trusted came with a key that was not seen with it before:
    /// the peer has a new device or was installed anew, or somebody uses its name.
    case knownNameUnderNewKey(PeerDescription, known: [DeviceKey])
    /// A copy of this device is on the network, probably from an image of its disk.
    /// The remedy: delete the key on one of the two, which becomes a stranger to all then.
    case cloned(PeerIdentity, own: RunNumber, other: RunNumber)
    /// Another peer answered than the one that was dialled.
    case wrongPeer(expected: ExpectedPeer, found: PeerDescription)
    /// The decision will be forgotten: there is no file, or no room in it.
    case notStored(DeviceKey)

    /// Whether it should be shown where nobody asked for it.
    public var isWarning: Bool {
        switch self {
        case .firstUse, .wrongPeer: false
        case .knownNameUnderNewKey, .cloned, .notStored: true
        }
    }
}

/// What a person is asked about a peer.
public struct TrustQuestion: Hashable, Sendable {
    /// Who it is, by the handshake's proof. The name is only what it says of itself.
    public let peer: PeerDescription
    /// The keys that are trusted under its name, if it shows a new one.
    public let keysUnderItsName: [DeviceKey]

    /// What a person says.
    public enum Answer: Hashable, Sendable, CaseIterable {
        /// Yes, for this connection.
        case once
        /// Yes, and from now on.
        case always
        /// No.
        case no
        /// No, and never again.
        case block
        /// Nothing, until the time was over.
        case none
    }

    /// What follows from the answer.
    public func outcome(_ answer: Answer) -> TrustOutcome {
        switch answer {
        case .once: .accept(.once)
        case .always: .accept(.new(.person))
        case .no: .refuse(.personRefused)
        case .block: .refuse(.blocked)
        case .none: .refuse(.noAnswer)
        }
    }
}
