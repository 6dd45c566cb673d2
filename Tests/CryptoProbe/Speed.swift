import CryptoPrimitives
import LinuxNetworking

/// How fast the primitives are, on one thread.
enum Speed {
    /// Works for so many seconds and returns a line with the rate: megabytes a second, or
    /// operations for X25519.
    static func measure(_ what: String, seconds: Double) -> String? {
        switch what {
        case "aead": "aead \(sealing(seconds) / 1e6)"
        case "sha256": "sha256 \(hashing(seconds) / 1e6)"
        case "x25519": "x25519 \(agreeing(seconds))"
        default: nil
        }
    }

    /// Some key: for speed all are alike.
    private static func key(_ first: UInt8) -> SecretKey {
        SecretKey { bytes in
            for index in bytes.indices { bytes[index] = first &+ 7 &* UInt8(index) }
        }
    }

    /// Bytes a second, sealed in records of 16 KiB.
    private static func sealing(_ seconds: Double) -> Double {
        let secret = key(1)
        var record = [UInt8](repeating: 0, count: 16_384)
        var counter: UInt64 = 0
        return rate(seconds, batch: 64) {
            var bytes = record.mutableSpan
            _ = ChaCha20Poly1305.seal(
                &bytes, authenticating: Span(), key: secret, nonce: .init(counter: counter))
            counter += 1
        } * Double(record.count)
    }

    /// Bytes a second, hashed in pieces of 16 KiB.
    private static func hashing(_ seconds: Double) -> Double {
        let piece = [UInt8](repeating: 7, count: 16_384)
        var hash = SHA256()
        let rate = rate(seconds, batch: 64) { hash.update(piece.span) }
        precondition(hash.finish().count == 32)
        return rate * Double(piece.count)
    }

    /// Shared secrets a second.
    private static func agreeing(_ seconds: Double) -> Double {
        let own = X25519PrivateKey(key(2))
        let other = X25519PrivateKey(key(3)).publicKey
        return rate(seconds, batch: 64) {
            guard (try? X25519.sharedSecret(own, other)) != nil else { preconditionFailure() }
        }
    }

    /// Calls a second of processor time, which others on the machine disturb least; OpenSSL's
    /// `speed` counts the same.
    private static func rate(_ seconds: Double, batch: Int, _ work: () -> Void) -> Double {
        let start = SystemClock.processorTime
        var count = 0
        var spent = Duration.zero
        repeat {
            for _ in 0..<batch { work() }
            count += batch
            spent = SystemClock.processorTime - start
        } while spent < .seconds(seconds)
        return Double(count) / (spent / .seconds(1))
    }
}
