/// HMAC with SHA-256 (RFC 2104).
package struct HMAC: ~Copyable {
    /// The inner hash, with the key's block and the message so far in it.
    private var inner = SHA256()
    /// The outer hash, with the key's block in it.
    private var outer = SHA256()

    /// With a key of any length: one that is longer than a block is hashed first (RFC 2104 §2).
    package init(key: Span<UInt8>) {
        var block = SecretBytes<64>()
        block.withMutableBytes { block in
            if key.count > SHA256.blockSize {
                var hash = SHA256()
                hash.update(key)
                hash.finish(into: &block)
            } else {
                for index in key.indices { block[index] = key[index] }
            }
            for index in block.indices { block[index] ^= 0x36 }
        }
        block.withBytes { inner.update($0) }
        block.withMutableBytes { block in
            for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
        }
        block.withBytes { outer.update($0) }
    }

    /// Takes the next bytes of the message.
    package mutating func update(_ bytes: Span<UInt8>) { inner.update(bytes) }

    /// The code over all bytes, 32 bytes, which may become a key.
    package consuming func finish() -> SecretKey {
        let inner = inner
        var outer = outer
        return SecretKey { code in
            inner.finish(into: &code)
            outer.update(code.span)
            outer.finish(into: &code)
        }
    }

    /// The code over a message.
    package static func code(of message: Span<UInt8>, key: Span<UInt8>) -> SecretKey {
        var hmac = HMAC(key: key)
        hmac.update(message)
        return hmac.finish()
    }
}
