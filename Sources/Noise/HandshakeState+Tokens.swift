import CryptoPrimitives

extension HandshakeState {
    /// What a token adds to a message that is sent (Noise §5.3).
    mutating func write(
        _ token: HandshakeToken, to message: inout [UInt8]
    ) throws(NoiseError) {
        switch token {
        case .e:
            guard let key = ephemeralKey?.publicKey else { throw .failedBefore }
            message.append(contentsOf: key.bytes)
            mixEphemeral(key)
        case .s:
            guard let key = staticKey?.publicKey else { throw .missingStaticKey(of: role) }
            message.append(contentsOf: try symmetric.encryptAndHash(key.bytes.span))
        case .ee, .es, .se, .ss: try mixSharedSecret(token)
        case .psk: mixPreSharedKey()
        }
    }

    /// What a token takes from byte `offset` on of a message that was received.
    mutating func read(
        _ token: HandshakeToken, from message: Span<UInt8>, at offset: inout Int
    ) throws(NoiseError) {
        switch token {
        case .e:
            let end = offset + X25519PublicKey.size
            guard end <= message.count else { throw .messageTooShort(bytes: message.count) }
            peerEphemeralKey = X25519PublicKey(message.extracting(offset..<end))
            offset = end
            if let peerEphemeralKey { mixEphemeral(peerEphemeralKey) }
        case .s:
            let end =
                offset + X25519PublicKey.size + (symmetric.hasKey ? AuthenticationTag.size : 0)
            guard end <= message.count else { throw .messageTooShort(bytes: message.count) }
            let key = try decrypt(message, from: offset, to: end, as: .staticKey)
            peerStaticKey = X25519PublicKey(key.span)
            offset = end
            if refusesOwnStaticKey, peerStaticKey == staticKey?.publicKey { throw .ownStaticKey }
        case .ee, .es, .se, .ss: try mixSharedSecret(token)
        case .psk: mixPreSharedKey()
        }
    }

    /// The plaintext of a part of a message.
    mutating func decrypt(
        _ message: Span<UInt8>, from start: Int, to end: Int, as part: NoiseError.Part
    ) throws(NoiseError) -> [UInt8] {
        if symmetric.hasKey, end - start < AuthenticationTag.size {
            throw .messageTooShort(bytes: message.count)
        }
        do throws(NoiseError) {
            return try symmetric.decryptAndHash(message.extracting(start..<end))
        } catch { throw error == .messageNotAuthentic ? .handshakeNotAuthentic(part) : error }
    }

    private mutating func mixPreSharedKey() {
        preSharedKeys.takeNext().withBytes { symmetric.mixKeyAndHash($0) }
    }

    /// With a pre-shared key, ephemeral keys randomize the encryption too (Noise §9.2).
    private mutating func mixEphemeral(_ key: X25519PublicKey) {
        symmetric.mixHash(key.bytes.span)
        if pattern.preSharedKeyCount > 0 { symmetric.mixKey(key.bytes.span) }
    }

    /// The first letter of a token names the initiator's key, the second the responder's.
    private mutating func mixSharedSecret(_ token: HandshakeToken) throws(NoiseError) {
        let isOwnStatic =
            switch (token, role) {
            case (.ss, _), (.se, .initiator), (.es, .responder): true
            default: false
            }
        let isPeerStatic =
            switch (token, role) {
            case (.ss, _), (.es, .initiator), (.se, .responder): true
            default: false
            }
        guard let peerKey = isPeerStatic ? peerStaticKey : peerEphemeralKey else {
            throw .missingStaticKey(of: role.peer)
        }
        let secret =
            try isOwnStatic
            ? Self.secret(of: staticKey, with: peerKey, token)
            : Self.secret(of: ephemeralKey, with: peerKey, token)
        secret.withBytes { symmetric.mixKey($0) }
    }

    private static func secret(
        of key: borrowing X25519PrivateKey?, with peerKey: X25519PublicKey, _ token: HandshakeToken
    ) throws(NoiseError) -> SecretKey {
        switch key {
        case .some(let key):
            do throws(X25519.LowOrderPoint) {
                return try X25519.sharedSecret(key, peerKey)
            } catch { throw .secretIsZero(token) }
        case .none: throw .failedBefore
        }
    }
}
