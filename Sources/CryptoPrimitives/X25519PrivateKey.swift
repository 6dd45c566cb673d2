/// A private key of X25519 and the public key that belongs to it.
///
/// It can't be copied; a key that is used for several handshakes is duplicated by its owner.
package struct X25519PrivateKey: ~Copyable, Sendable {
    private let scalar: SecretKey

    /// What others are told.
    package let publicKey: X25519PublicKey

    /// From 32 bytes that were drawn at random, which need not be clamped (RFC 7748 §5).
    package init(_ scalar: consuming SecretKey) {
        publicKey = X25519PublicKey(scalar)
        self.scalar = scalar
    }

    private init(_ scalar: consuming SecretKey, publicKey: X25519PublicKey) {
        self.scalar = scalar
        self.publicKey = publicKey
    }

    /// A second one of the same bytes, for one more handshake.
    package borrowing func duplicate() -> X25519PrivateKey {
        X25519PrivateKey(scalar.duplicate(), publicKey: publicKey)
    }

    /// Lends the bytes as they were given: to store a key.
    package borrowing func withScalar<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try scalar.withBytes(body)
    }
}
