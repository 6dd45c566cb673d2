/// Authenticated encryption with ChaCha20 and Poly1305 (RFC 8439 §2.8), in place.
///
/// A nonce must never be used twice with a key: who holds the key counts
/// (`CipherState` of Noise does).
package enum ChaCha20Poly1305 {
    /// The message or its associated data is not what was sealed under that key and nonce.
    package struct AuthenticationFailure: Error {}

    /// Encrypts `message` in place.
    ///
    /// - Returns: The tag over it and the associated data.
    package static func seal(
        _ message: inout MutableSpan<UInt8>, authenticating associatedData: Span<UInt8>,
        key: borrowing SecretKey, nonce: ChaCha20.Nonce
    ) -> AuthenticationTag {
        let cipher = ChaCha20(key: key, nonce: nonce)
        var stream = Keystream()
        cipher.fill(&stream, from: 0)
        let authenticator = Poly1305 { stream[$0] }
        combine(&message, cipher, &stream)
        return tag(message.span, associatedData, authenticator)
    }

    /// Decrypts `message` in place if its tag is right; if not, it is left as it came.
    package static func open(
        _ message: inout MutableSpan<UInt8>, tag: AuthenticationTag,
        authenticating associatedData: Span<UInt8>,
        key: borrowing SecretKey, nonce: ChaCha20.Nonce
    ) throws(AuthenticationFailure) {
        let cipher = ChaCha20(key: key, nonce: nonce)
        var stream = Keystream()
        cipher.fill(&stream, from: 0)
        let authenticator = Poly1305 { stream[$0] }
        guard Self.tag(message.span, associatedData, authenticator).matches(tag) else {
            throw AuthenticationFailure()
        }
        combine(&message, cipher, &stream)
    }

    /// The stream from block 1 on. Block 0 gave the key of the tag (RFC 8439 §2.6) and was made
    /// with the seven after it, which are enough for a short message.
    private static func combine(
        _ message: inout MutableSpan<UInt8>, _ cipher: borrowing ChaCha20,
        _ stream: inout Keystream
    ) {
        let first = min(message.count, Keystream.size - ChaCha20.blockSize)
        stream.combine(with: &message, at: 0, count: first, skipping: ChaCha20.blockSize)
        cipher.combine(
            with: &message, at: first, from: UInt32(Keystream.blocks), using: &stream)
    }

    private static func tag(
        _ ciphertext: Span<UInt8>, _ associatedData: Span<UInt8>,
        _ authenticator: consuming Poly1305
    ) -> AuthenticationTag {
        authenticator.absorbPadded(associatedData)
        authenticator.absorbPadded(ciphertext)
        authenticator.absorb(UInt64(associatedData.count), UInt64(ciphertext.count), 1)
        return AuthenticationTag(value: authenticator.finish())
    }
}
