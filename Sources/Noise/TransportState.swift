package import CryptoPrimitives

/// What a handshake leaves (Noise §5.2, Split): a cipher for each direction.
package struct TransportState: ~Copyable {
    /// For what this side sends.
    package var sending: CipherState

    /// For what the other side sends.
    package var receiving: CipherState

    /// The hash of the whole handshake, to which other protocols can bind what they say
    /// (Noise §11.2). It is not secret.
    package let handshakeHash: [UInt8]

    /// The static key that the other side has proven to hold; nil if the pattern shows none.
    package let remoteStatic: X25519PublicKey?

    init(
        role: HandshakeRole, symmetric: borrowing SymmetricState, remoteStatic: X25519PublicKey?
    ) {
        handshakeHash = symmetric.handshakeHash
        self.remoteStatic = remoteStatic
        var keys = symmetric.transportKeys()
        let fromInitiator = CipherState(key: keys.next())
        let fromResponder = CipherState(key: keys.next())
        switch role {
        case .initiator:
            sending = fromInitiator
            receiving = fromResponder
        case .responder:
            sending = fromResponder
            receiving = fromInitiator
        }
    }
}
