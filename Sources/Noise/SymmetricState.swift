import CryptoPrimitives

/// What both sides have in common so far: the chaining key, the hash of all that was sent, and,
/// once there is a secret, a key (Noise §5.2).
struct SymmetricState: ~Copyable {
    private var chainingKey: SecretKey
    private var cipher: CipherState?

    /// The hash of all that was sent; not secret.
    private(set) var handshakeHash: [UInt8]

    init(protocolName: String) {
        var name = Array(protocolName.utf8)
        if name.count <= SHA256.digestSize {
            while name.count < SHA256.digestSize { name.append(0) }
            handshakeHash = name
        } else {
            handshakeHash = SHA256.hash(name.span)
        }
        let hash = handshakeHash
        chainingKey = SecretKey { key in
            for index in key.indices { key[index] = hash[index] }
        }
    }

    /// Whether what is sent is encrypted by now.
    var hasKey: Bool {
        switch cipher {
        case .some: true
        case .none: false
        }
    }

    mutating func mixHash(_ bytes: Span<UInt8>) {
        var hash = SHA256()
        hash.update(handshakeHash.span)
        hash.update(bytes)
        handshakeHash = hash.finish()
    }

    mutating func mixKey(_ material: Span<UInt8>) {
        var derivation = KeyDerivation(chainingKey: chainingKey, material: material)
        chainingKey = derivation.next()
        cipher = CipherState(key: derivation.next())
    }

    mutating func mixKeyAndHash(_ material: Span<UInt8>) {
        var derivation = KeyDerivation(chainingKey: chainingKey, material: material)
        chainingKey = derivation.next()
        derivation.next().withBytes { mixHash($0) }
        cipher = CipherState(key: derivation.next())
    }

    /// The ciphertext, or the bytes themselves before there is a key.
    mutating func encryptAndHash(_ plaintext: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        let hash = handshakeHash
        let message =
            try cipher?.encrypt(plaintext, authenticating: hash.span) ?? [UInt8](copying: plaintext)
        mixHash(message.span)
        return message
    }

    /// The plaintext, or the bytes themselves before there is a key.
    mutating func decryptAndHash(_ message: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        let hash = handshakeHash
        let plaintext =
            try cipher?.decrypt(message, authenticating: hash.span) ?? [UInt8](copying: message)
        mixHash(message)
        return plaintext
    }

    /// The keys of the transport: the first is for what the initiator sends (Noise §5.2, Split).
    borrowing func transportKeys() -> KeyDerivation {
        KeyDerivation(chainingKey: chainingKey, material: Span())
    }
}
