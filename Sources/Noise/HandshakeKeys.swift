import CryptoPrimitives

/// The keys that a handshake begins with.
struct HandshakeKeys: ~Copyable {
    var staticKey: X25519PrivateKey?
    var ephemeralKey: X25519PrivateKey
    var preSharedKeys = PreSharedKeys()
    /// Where the pattern needs the other side's to be known before.
    var peerStaticKey: X25519PublicKey?

    init(
        staticKey: consuming X25519PrivateKey?, ephemeralKey: consuming X25519PrivateKey,
        preSharedKeys: consuming PreSharedKeys = PreSharedKeys(),
        peerStaticKey: X25519PublicKey? = nil
    ) {
        self.staticKey = staticKey
        self.ephemeralKey = ephemeralKey
        self.preSharedKeys = preSharedKeys
        self.peerStaticKey = peerStaticKey
    }

    var hasStaticKey: Bool {
        switch staticKey {
        case .some: true
        case .none: false
        }
    }
}

/// The pre-shared keys in the order in which the pattern mixes them in: one, or up to four in
/// patterns of tests.
struct PreSharedKeys: ~Copyable {
    private var bytes = SecretBytes<128>()
    private(set) var count = 0
    private var next = 0

    init() {}

    /// One key, or none.
    init(_ key: consuming SecretKey?) {
        switch consume key {
        case .some(let key): append(key)
        case .none: break
        }
    }

    mutating func append(_ key: borrowing SecretKey) {
        let start = 32 * count
        bytes.withMutableBytes { bytes in
            key.withBytes { key in
                for index in key.indices { bytes[start + index] = key[index] }
            }
        }
        count += 1
    }

    mutating func takeNext() -> SecretKey {
        let start = 32 * next
        next += 1
        return SecretKey { key in
            bytes.withBytes { bytes in
                for index in key.indices { key[index] = bytes[start + index] }
            }
        }
    }
}
