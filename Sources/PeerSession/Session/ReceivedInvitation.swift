import LinuxEventLoop
import MDNS
import NetworkPrimitives
public import PeerProtocol

/// An invitation of a peer, which waits for an answer.
///
/// When nobody holds it any more and it was not answered, it is declined.
public struct ReceivedInvitation: Sendable {
    /// Who invites, by the handshake's proof. The name is only what it says of itself.
    public let peer: PeerDescription
    /// How far this side trusts the peer.
    public let trust: TrustStanding
    /// Bytes of the other application, not to be relied on before it is accepted.
    public let context: [UInt8]
    /// How long it holds from when it came.
    public let time: Duration
    let answer: InvitationAnswer

    /// Accepts it, and waits until both are connected.
    ///
    /// - Returns: The connection.
    /// - Throws: `PeerSessionError.invitationOver` if it no longer holds, `full` if there are as
    ///   many peers as there may be, `sessionClosed`, `cancelled`.
    public func accept() async throws(PeerSessionError) -> PeerConnection {
        try await answer.session.accept(peer.identity, answer.number)
    }

    /// Declines it. Nothing happens if it no longer holds, or the two are connected.
    public func decline() async {
        await answer.session.decline(peer.identity, answer.number)
    }
}

/// What declines an invitation when nobody holds it any more.
final class InvitationAnswer: Sendable {
    let session: PeerSession
    let number: UInt64
    private let peer: PeerIdentity

    init(_ session: PeerSession, _ peer: PeerIdentity, _ number: UInt64) {
        self.session = session
        self.peer = peer
        self.number = number
    }

    deinit {
        session.loop.perform { [session, peer, number] in
            session.assumeIsolated { $0.decline(peer, number) }
        }
    }
}

/// Invitations that nobody has read yet; the protocol bounds them.
struct InvitationBacklog: EventBuffer {
    private var invitations: [ReceivedInvitation] = []

    mutating func append(_ invitation: ReceivedInvitation) { invitations.append(invitation) }

    mutating func remove(_ peer: PeerIdentity, _ number: UInt64) {
        invitations.removeAll { $0.peer.identity == peer && $0.answer.number == number }
    }

    mutating func next() -> ReceivedInvitation? {
        invitations.isEmpty ? nil : invitations.removeFirst()
    }

    mutating func removeAll() { invitations = [] }
}
