import MDNS
public import NetworkPrimitives
public import PeerProtocol

/// What happens in a session, for the log and for persons.
public enum PeerSessionEvent: Sendable {
    /// The session waits for connections on that port.
    case listening(port: UInt16)
    /// No more connections can be accepted for a moment; why, as a sentence.
    case listeningPaused(String)
    /// The session is found by others under that name of a service instance.
    case advertised(String)
    /// Advertising or browsing is in trouble; which, as a sentence.
    case discoveryTrouble(String)
    /// A peer was found.
    case found(FoundPeer)
    /// What is known of a peer that was found has changed.
    case updated(FoundPeer)
    /// A peer that was found is no longer there.
    case lost(FoundPeer)
    /// A connection to an address was begun.
    case connecting(SocketAddress)
    /// Nothing came of an address.
    case attemptFailed(PeerSessionError.Attempt)
    /// The user has to know that of a peer.
    case trust(TrustEvent)
    /// A peer was refused, from that address.
    case refused(PeerDescription, TrustRefusal, SocketAddress)
    /// A decision is forgotten with the end of the program; why, as a sentence.
    case notStored(String)
    /// The time of an invitation is hardly enough for a person to answer.
    case shortInvitation(Duration)
    /// A peer invites: see `PeerSession.invitations`.
    case invited(PeerDescription)
    /// A peer's invitation no longer holds.
    case invitationOver(PeerDescription, InvitationRefusal)
    /// A peer is connected.
    case connected(PeerDescription, SocketAddress)
    /// The two sides trust each other to that degree.
    case standing(PeerDescription, MutualTrust)
    /// A peer is no longer connected.
    case disconnected(PeerDescription, DisconnectReason)
    /// A peer was started anew; the connection of its former run is closed.
    case restarted(PeerDescription)
    /// A message of that type waits and nobody reads that type.
    case unreadMessage(PeerDescription, type: String)
    /// A message's bytes are no value of its type; why, for the log.
    case undecodableMessage(PeerDescription, type: String, String)
    /// What served a connection in `run` has thrown that; the peer is disconnected.
    case serviceFailed(PeerDescription, String)
    /// So many events before this one are missing, because they were not read in time.
    case missed(Int)
}

/// The latest events that were not read; what is missing is told by the next one.
struct EventBacklog: EventBuffer {
    private static let capacity = 256
    private var events = Queue<PeerSessionEvent>()
    private var missed = 0

    mutating func append(_ event: PeerSessionEvent) {
        if events.count == Self.capacity {
            _ = events.popFirst()
            missed += 1
        }
        events.append(event)
    }

    mutating func next() -> PeerSessionEvent? {
        if missed > 0 {
            defer { missed = 0 }
            return .missed(missed)
        }
        return events.popFirst()
    }

    mutating func removeAll() {
        events = Queue()
        missed = 0
    }
}
