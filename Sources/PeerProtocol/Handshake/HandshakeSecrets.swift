import CryptoPrimitives
import Noise

/// The keys that a side's handshake begins with.
struct HandshakeSecrets: ~Copyable {
    private let staticKey: X25519PrivateKey
    private let ephemeralKey: X25519PrivateKey
    private let secret: SecretKey?

    init(
        _ staticKey: consuming X25519PrivateKey, _ ephemeralKey: consuming X25519PrivateKey,
        _ secret: consuming SecretKey?
    ) {
        self.staticKey = staticKey
        self.ephemeralKey = ephemeralKey
        self.secret = secret
    }

    var hasSecret: Bool {
        switch secret {
        case .some: true
        case .none: false
        }
    }

    /// The handshake of Noise: XX, or XXpsk3 with a secret.
    consuming func begin(
        _ role: ConnectionRole, _ prologue: [UInt8]
    ) throws(NoiseError) -> HandshakeState {
        try .begin(
            as: role == .initiator ? .initiator : .responder,
            pattern: hasSecret ? .xxPSK3 : .xx, prologue: prologue.span, staticKey: staticKey,
            ephemeralKey: ephemeralKey, preSharedKey: secret)
    }
}
