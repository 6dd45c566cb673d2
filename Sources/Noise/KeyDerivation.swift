import CryptoPrimitives

/// HKDF as Noise §4.3 has it: up to three keys from the chaining key and new material.
struct KeyDerivation: ~Copyable {
    private let temporaryKey: SecretKey
    private var last = SecretKey()
    private var count: UInt8 = 0

    init(chainingKey: borrowing SecretKey, material: Span<UInt8>) {
        temporaryKey = chainingKey.withBytes { HMAC.code(of: material, key: $0) }
    }

    /// The next key, which depends on the one before.
    mutating func next() -> SecretKey {
        var code = temporaryKey.withBytes { HMAC(key: $0) }
        if count > 0 { last.withBytes { code.update($0) } }
        count += 1
        code.update([count].span)
        last = code.finish()
        return last.duplicate()
    }
}
