package import CryptoPrimitives

/// One side of a handshake (Noise §5.3), without input and output: messages are given and taken.
///
/// Whatever goes wrong ends it: every later call throws `failedBefore`. A handshake that is tried
/// again begins anew, with a fresh ephemeral key.
///
/// Suite: X25519, ChaCha20-Poly1305, SHA-256.
package struct HandshakeState: ~Copyable {
    /// Which side this is.
    package let role: HandshakeRole

    let pattern: HandshakePattern
    let refusesOwnStaticKey: Bool
    var symmetric: SymmetricState
    /// Private keys; gone once the handshake failed.
    var staticKey: X25519PrivateKey?
    var ephemeralKey: X25519PrivateKey?
    var preSharedKeys: PreSharedKeys
    var peerStaticKey: X25519PublicKey?
    var peerEphemeralKey: X25519PublicKey?
    private var nextMessage = 0
    private var hasFailed = false

    /// Either side of a handshake.
    ///
    /// - Parameters:
    ///   - role: Whether this side sends the first message.
    ///   - prologue: What both sides said in clear before; if they differ in it, the handshake
    ///     fails.
    ///   - ephemeralKey: Drawn at random for this handshake and never used again.
    ///   - preSharedKey: If the pattern mixes one in, and only then.
    ///   - refusesOwnStaticKey: Whether a peer that shows one's own static key ends the handshake.
    package static func begin(
        as role: HandshakeRole, pattern: HandshakePattern, prologue: Span<UInt8>,
        staticKey: consuming X25519PrivateKey, ephemeralKey: consuming X25519PrivateKey,
        preSharedKey: consuming SecretKey? = nil, refusesOwnStaticKey: Bool = false
    ) throws(NoiseError) -> HandshakeState {
        let keys = HandshakeKeys(
            staticKey: .some(staticKey), ephemeralKey: ephemeralKey,
            preSharedKeys: PreSharedKeys(preSharedKey))
        return try begin(role, pattern, prologue, keys, refusesOwnStaticKey)
    }

    /// Either side of any pattern.
    static func begin(
        _ role: HandshakeRole, _ pattern: HandshakePattern, _ prologue: Span<UInt8>,
        _ keys: consuming HandshakeKeys, _ refusesOwnStaticKey: Bool = false
    ) throws(NoiseError) -> HandshakeState {
        guard keys.hasStaticKey || !pattern.usesStaticKey(of: role) else {
            throw .missingStaticKey(of: role)
        }
        guard keys.peerStaticKey != nil || !pattern.preMessage(of: role.peer).contains(.s) else {
            throw .missingStaticKey(of: role.peer)
        }
        let (needed, given) = (pattern.preSharedKeyCount, keys.preSharedKeys.count)
        guard needed == given else { throw .preSharedKeyCount(needed: needed, given: given) }
        return HandshakeState(role, pattern, prologue, keys, refusesOwnStaticKey)
    }

    private init(
        _ role: HandshakeRole, _ pattern: HandshakePattern, _ prologue: Span<UInt8>,
        _ keys: consuming HandshakeKeys, _ refusesOwnStaticKey: Bool
    ) {
        self.role = role
        self.pattern = pattern
        self.refusesOwnStaticKey = refusesOwnStaticKey
        symmetric = SymmetricState(protocolName: pattern.protocolName)
        peerStaticKey = keys.peerStaticKey
        staticKey = keys.staticKey
        ephemeralKey = .some(keys.ephemeralKey)
        preSharedKeys = keys.preSharedKeys
        symmetric.mixHash(prologue)
        mixPreMessage(of: .initiator)
        mixPreMessage(of: .responder)
    }

    /// Static keys that are known before. No pattern that is offered or tested has ephemeral ones.
    private mutating func mixPreMessage(of sender: HandshakeRole) {
        guard pattern.preMessage(of: sender).contains(.s) else { return }
        let key = sender == role ? staticKey?.publicKey : peerStaticKey
        if let key { symmetric.mixHash(key.bytes.span) }
    }

    /// Whether all messages were sent and read, so that it can be split.
    package var isComplete: Bool { !hasFailed && nextMessage == pattern.messages.count }

    /// Whether the next message is this side's to write.
    package var isWriting: Bool {
        !hasFailed && !isComplete && pattern.sender(of: nextMessage) == role
    }

    /// The static key that the other side has proven to hold; nil before, and if the handshake
    /// failed.
    package var remoteStatic: X25519PublicKey? { peerStaticKey }

    /// The hash of the whole handshake, the same on both sides and in no other handshake
    /// (Noise §11.2); nil until it is complete. It is not secret.
    package var handshakeHash: [UInt8]? { isComplete ? symmetric.handshakeHash : nil }

    /// The next message, with a payload. What of it is encrypted, and for whom, Noise §7.7 says.
    package mutating func writeMessage(
        _ payload: Span<UInt8> = Span()
    ) throws(NoiseError) -> [UInt8] {
        try enter(writing: true)
        do throws(NoiseError) {
            var message: [UInt8] = []
            for token in pattern.messages[nextMessage] { try write(token, to: &message) }
            message.append(contentsOf: try symmetric.encryptAndHash(payload))
            guard message.count <= NoiseLimits.messageSize else {
                throw .messageTooLong(bytes: message.count)
            }
            nextMessage += 1
            return message
        } catch { throw failed(error) }
    }

    /// Reads the other side's next message.
    ///
    /// - Returns: Its payload.
    package mutating func readMessage(_ message: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        try enter(writing: false)
        do throws(NoiseError) {
            guard message.count <= NoiseLimits.messageSize else {
                throw .messageTooLong(bytes: message.count)
            }
            var offset = 0
            for token in pattern.messages[nextMessage] {
                try read(token, from: message, at: &offset)
            }
            let payload = try decrypt(message, from: offset, to: message.count, as: .payload)
            nextMessage += 1
            return payload
        } catch { throw failed(error) }
    }

    /// The ciphers of the transport. The handshake's own keys are overwritten.
    package consuming func split() throws(NoiseError) -> TransportState {
        guard !hasFailed else { throw .failedBefore }
        guard nextMessage == pattern.messages.count else { throw .handshakeIncomplete }
        return TransportState(
            role: role, symmetric: symmetric, remoteStatic: peerStaticKey)
    }

    private mutating func enter(writing: Bool) throws(NoiseError) {
        guard !hasFailed else { throw .failedBefore }
        guard !isComplete, isWriting == writing else { throw failed(.outOfTurn) }
    }

    /// Overwrites the keys.
    ///
    /// - Returns: The error that is thrown.
    private mutating func failed(_ error: NoiseError) -> NoiseError {
        hasFailed = true
        staticKey = nil
        ephemeralKey = nil
        peerStaticKey = nil
        preSharedKeys = PreSharedKeys()
        symmetric = SymmetricState(protocolName: "")
        return error
    }
}
