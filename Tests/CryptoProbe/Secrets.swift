import CryptoPrimitives

/// Works with secrets that were never written, for memcheck of valgrind: it reports each branch
/// and each address that depends on such memory, which is what constant time forbids.
enum Secrets {
    /// False if there is no such case. The last two do what is forbidden, to be seen.
    static func work(_ what: String) -> Bool {
        withUnwrittenBytes { secret in
            switch what {
            case "x25519": multiply(secret)
            case "aead": seal(secret)
            case "hmac": authenticate(secret)
            case "comparison": compare(secret)
            case "branch": branch(secret)
            case "index": index(secret)
            default: return false
            }
            return true
        }
    }

    private static func withUnwrittenBytes<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 32)
        defer { unsafe memory.deallocate() }
        return body(unsafe memory.span)
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
