/// Who a peer is: the key of its device and the peer's own number.
///
/// Two peers of one user, in two processes, share the key and differ in the number. Tie-breaks
/// compare both, the key first.
public struct PeerIdentity: Hashable, Sendable, Comparable {
    /// The key of the device.
    public let key: DeviceKey
    /// Which of the peers with that key.
    public let id: PeerID

    /// The peer with that key and number.
    public init(key: DeviceKey, id: PeerID) {
        self.key = key
        self.id = id
    }

    public static func < (left: PeerIdentity, right: PeerIdentity) -> Bool {
        left.key == right.key ? left.id < right.id : left.key < right.key
    }
}

extension PeerIdentity: CustomStringConvertible {
    /// The fingerprint and the number, `ABCD-…/0123456789abcdef`.
    public var description: String { "\(key.fingerprint)/\(id)" }
}

/// A peer as a handshake proved it and as it described itself there.
public struct PeerDescription: Hashable, Sendable {
    /// Who it is.
    public let identity: PeerIdentity
    /// Which run of it.
    public let run: RunNumber
    /// What it is called at the moment.
    public let name: PeerName

    /// A peer of that identity, run and name.
    public init(identity: PeerIdentity, run: RunNumber, name: PeerName) {
        self.identity = identity
        self.run = run
        self.name = name
    }
}
