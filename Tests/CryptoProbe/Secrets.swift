import CryptoPrimitives
import Noise

/// Works with secrets that were never written, for memcheck of valgrind: it reports each branch
/// and each address that depends on such memory, which is what constant time forbids.
enum Secrets {
    static let cases = [
        "x25519", "aead", "hmac", "comparison", "initiator", "responder", "sharing", "branch",
        "index",
    ]

    /// False if there is no such case. The last two do what is forbidden, to be seen.
    static func work(_ what: String) throws(NoiseError) -> Bool {
        try withUnwrittenBytes { secret throws(NoiseError) in
            switch what {
            case "x25519": multiply(secret)
            case "aead": seal(secret)
            case "hmac": authenticate(secret)
            case "comparison": compare(secret)
            case "initiator": try initiate(secret)
            case "responder": try respond(secret)
            case "sharing": try share(secret)
            case "branch": branch(secret)
            case "index": index(secret)
            default: return false
            }
            return true
        }
    }

    private static func withUnwrittenBytes<Value>(
        _ body: (Span<UInt8>) throws(NoiseError) -> Value
    ) throws(NoiseError) -> Value {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 32)
        defer { unsafe memory.deallocate() }
        return try body(unsafe memory.span)
    }

    private static func multiply(_ secret: Span<UInt8>) {
        var point = [UInt8](repeating: 0, count: 32)
        point[0] = 9
        var result = [UInt8](repeating: 0, count: 32)
        var bytes = result.mutableSpan
        X25519.multiply(secret, point.span, into: &bytes)
        use(result)
    }

    private static func seal(_ secret: Span<UInt8>) {
        guard let key = SecretKey(copying: secret) else { return }
        for length in [0, 1, 63, 64, 500, 2_000] {
            var message = [UInt8](repeating: 0, count: length)
            for index in message.indices { message[index] = secret[index % 32] }
            var bytes = message.mutableSpan
            let tag = ChaCha20Poly1305.seal(
                &bytes, authenticating: secret, key: key, nonce: .init(counter: 7))
            use(message)
            use(tag)
        }
    }

    private static func authenticate(_ secret: Span<UInt8>) {
        var code = HMAC(key: secret)
        code.update(secret)
        use(code.finish())
    }

    private static func key(_ first: UInt8) -> X25519PrivateKey {
        X25519PrivateKey(SecretKey { $0[0] = first })
    }

    /// A whole handshake and a transport whose keys depend on a static key that was not written.
    private static func initiate(_ secret: Span<UInt8>) throws(NoiseError) {
        guard let scalar = SecretKey(copying: secret) else { return }
        var peer = try HandshakeState.begin(
            as: .responder, pattern: .xx, prologue: Span(), staticKey: key(64),
            ephemeralKey: key(72))
        var state = try HandshakeState.begin(
            as: .initiator, pattern: .xx, prologue: Span(), staticKey: X25519PrivateKey(scalar),
            ephemeralKey: key(80))
        let first = try state.writeMessage()
        _ = try peer.readMessage(first.span)
        let second = try peer.writeMessage()
        _ = try state.readMessage(second.span)
        let payload: [UInt8] = [1, 2, 3]
        use(try state.writeMessage(payload.span))
        var transport = try state.split()
        use(try transport.sending.encrypt(payload.span))
        try transport.sending.rekey()
        use(try transport.sending.encrypt(payload.span))
    }

    /// As far as the answer: what the other side sends after it would depend on the key.
    private static func respond(_ secret: Span<UInt8>) throws(NoiseError) {
        guard let scalar = SecretKey(copying: secret) else { return }
        var peer = try HandshakeState.begin(
            as: .initiator, pattern: .xx, prologue: Span(), staticKey: key(64),
            ephemeralKey: key(72))
        var state = try HandshakeState.begin(
            as: .responder, pattern: .xx, prologue: Span(), staticKey: X25519PrivateKey(scalar),
            ephemeralKey: key(80))
        let first = try peer.writeMessage()
        _ = try state.readMessage(first.span)
        let payload: [UInt8] = [1, 2, 3]
        use(try state.writeMessage(payload.span))
    }

    /// A handshake in which it is the pre-shared key that was not written.
    private static func share(_ secret: Span<UInt8>) throws(NoiseError) {
        guard let shared = SecretKey(copying: secret) else { return }
        let fresh = shared.duplicate()
        var peer = try HandshakeState.begin(
            as: .responder, pattern: .xxPSK3, prologue: Span(), staticKey: key(64),
            ephemeralKey: key(72),
            preSharedKey: fresh)
        var state = try HandshakeState.begin(
            as: .initiator, pattern: .xxPSK3, prologue: Span(), staticKey: key(88),
            ephemeralKey: key(96),
            preSharedKey: shared)
        let first = try state.writeMessage()
        _ = try peer.readMessage(first.span)
        let second = try peer.writeMessage()
        _ = try state.readMessage(second.span)
        let payload: [UInt8] = [1, 2, 3]
        use(try state.writeMessage(payload.span))
    }

    @inline(never)
    private static func use(_ secret: borrowing SecretKey) {
        secret.withBytes { use($0.count) }
    }

    private static func compare(_ secret: Span<UInt8>) {
        let other = [UInt8](repeating: 1, count: 32)
        use(ConstantTime.areEqual(secret, other.span))
    }

    private static func branch(_ secret: Span<UInt8>) {
        if secret[3] & 1 == 1 { use(secret.count) }
    }

    private static func index(_ secret: Span<UInt8>) {
        let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ secret.count) }
        use(table[Int(secret[0])])
    }

    /// Keeps the compiler from leaving out what made the value.
    @inline(never)
    private static func use<Value>(_ value: Value) {
        withExtendedLifetime(value) {}
    }
}
