package import NetworkPrimitives
import Noise

/// What a handshake leaves: who the peer is, and ciphers for the records.
package struct EstablishedConnection: ~Copyable {
    /// Which end this is.
    package let role: ConnectionRole
    /// Who is at the other end, by the handshake's proof, and what it says of itself.
    package let peer: PeerDescription
    /// What the other side is able to do.
    package let capabilities: Capabilities
    /// Which of the other side's sessions it is for.
    package let session: SessionID
    /// What both sides agreed on.
    package let negotiation: Negotiation
    /// The hash of the handshake, to which others can bind what they say. It is not secret.
    package let channelBinding: [UInt8]

    private let transport: TransportState

    init(
        role: ConnectionRole, peer: PeerDescription, payload: HandshakePayload,
        negotiation: Negotiation, transport: consuming TransportState
    ) {
        self.role = role
        self.peer = peer
        capabilities = payload.capabilities
        session = payload.session
        self.negotiation = negotiation
        channelBinding = transport.handshakeHash
        self.transport = transport
    }

    /// The ciphers for the records. What the handshake told has to be read before.
    package consuming func records(now: Instant) -> RecordCipher {
        RecordCipher(transport, isEncrypted: negotiation.isEncrypted, now: now)
    }

    /// Whether the other side has proved by now that it knows the secret.
    ///
    /// The third message proves it to the responder. The initiator has no proof before the first
    /// record of the responder could be opened, and must not store trust on that basis earlier.
    package var provesSecret: Bool { negotiation.usesSecret && role == .responder }
}
