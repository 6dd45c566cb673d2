/// What is to be done about a key.
public enum TrustLevel: Hashable, Sendable, CaseIterable {
    /// Connections are accepted, except where only pinned keys are.
    case trusted
    /// Listed by a person: accepted under every policy.
    case pinned
    /// Refused under every policy.
    case blocked
}

/// Why a key has its level.
public enum TrustBasis: Hashable, Sendable, CaseIterable {
    /// It was the first under its name, and nobody compared anything.
    case firstUse
    /// A person said yes, without comparing.
    case person
    /// Its fingerprint was given by a person.
    case fingerprint
    /// Both persons compared the short string.
    case shortString
    /// The peer knew the shared secret.
    case secret

    /// Whether a man in the middle would have been noticed.
    public var isVerified: Bool {
        switch self {
        case .firstUse, .person: false
        case .fingerprint, .shortString, .secret: true
        }
    }
}

/// What is known of a key.
public struct TrustEntry: Hashable, Sendable {
    /// The most names that are kept: the latest.
    public static let maximumNames = 8
    /// The most peers of one key that are kept: the latest.
    public static let maximumIDs = 16

    /// The key.
    public let key: DeviceKey
    /// What is to be done about it.
    public var level: TrustLevel
    /// Why.
    public var basis: TrustBasis
    /// Names its peers had, the latest last.
    public internal(set) var names: [PeerName]
    /// Its peers, the latest last.
    public internal(set) var ids: [PeerID]
    /// When it was first stored, in seconds since 1970.
    public internal(set) var firstSeen: Int64
    /// When it was last proved, in seconds since 1970.
    public internal(set) var lastSeen: Int64

    /// A key that no peer has shown yet.
    public init(key: DeviceKey, level: TrustLevel, basis: TrustBasis, at seconds: Int64) {
        self.key = key
        self.level = level
        self.basis = basis
        names = []
        ids = []
        firstSeen = seconds
        lastSeen = seconds
    }

    /// Notes that a peer proved the key. A time before the last one, by a clock that was set
    /// back, changes no time.
    mutating func note(_ peer: PeerDescription, at seconds: Int64) {
        Self.moveToEnd(peer.name, in: &names, limit: Self.maximumNames)
        Self.moveToEnd(peer.identity.id, in: &ids, limit: Self.maximumIDs)
        lastSeen = max(lastSeen, seconds)
    }

    private static func moveToEnd<Element: Equatable>(
        _ element: Element, in list: inout [Element], limit: Int
    ) {
        list.removeAll { $0 == element }
        list.append(element)
        if list.count > limit { list.removeFirst(list.count - limit) }
    }
}
