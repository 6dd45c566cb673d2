import CryptoPrimitives

/// The shared secret of a session, as the handshake takes it.
final class SharedSecret: Sendable {
    private static let label = Array("vicinity shared secret".utf8)

    private let key: SecretKey

    /// SHA-256 of a label and the secret, whatever its length.
    init(_ bytes: [UInt8]) throws(PeerSessionError) {
        guard bytes.count >= PeerSessionOptions.minimumSecret else {
            throw .invalid(
                "A shared secret has \(bytes.count) bytes; it must have "
                    + "\(PeerSessionOptions.minimumSecret) random ones at least.")
        }
        var hash = SHA256()
        hash.update(Self.label.span)
        hash.update(bytes.span)
        let digest = hash.finish()
        key = SecretKey { key in
            for index in digest.indices { key[index] = digest[index] }
        }
    }

    /// A copy for one handshake.
    func duplicate() -> SecretKey { key.duplicate() }
}

extension PeerSessionOptions {
    /// Checks what can't go together.
    func check() throws(PeerSessionError) {
        guard service.transport == .tcp else {
            throw .invalid("Peers talk over TCP: call the service '_\(service.name)._tcp'.")
        }
        guard maximumPeers >= 1 else {
            throw .invalid("At most \(maximumPeers) peers can't be connected; allow one at least.")
        }
        guard (trust == .secret) == (secret != nil) else {
            throw .invalid(
                trust == .secret
                    ? "The trust policy is 'secret' and there is none; give the same to all peers."
                    : "There is a shared secret that the trust policy does not ask for.")
        }
    }
}
