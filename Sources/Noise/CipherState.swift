package import CryptoPrimitives

/// A key and the number of the next message under it (Noise §5.1).
///
/// Messages go in place, or in arrays of their own. One that can't be opened ends the cipher and
/// has its key overwritten: a stream of records has no place for a second attempt.
package struct CipherState: ~Copyable {
    private var key: SecretKey
    private var hasFailed = false

    /// The number of the next message; 2^64 − 1 is never used for one.
    package private(set) var nonce: UInt64

    /// Messages begin at number `nonce`.
    package init(key: consuming SecretKey, nonce: UInt64 = 0) {
        self.key = key
        self.nonce = nonce
    }

    /// Encrypts `message` in place.
    ///
    /// A message that is too long is refused and leaves the cipher as it was.
    ///
    /// - Returns: The tag, which is sent after it.
    package mutating func seal(
        _ message: inout MutableSpan<UInt8>, authenticating associatedData: Span<UInt8> = Span()
    ) throws(NoiseError) -> AuthenticationTag {
        try check(messageSize: message.count + AuthenticationTag.size)
        let tag = ChaCha20Poly1305.seal(
            &message, authenticating: associatedData, key: key, nonce: .init(counter: nonce))
        nonce += 1
        return tag
    }

    /// Decrypts `message` in place. If it can't be, it stays as it came and the cipher is dead.
    package mutating func open(
        _ message: inout MutableSpan<UInt8>, tag: AuthenticationTag,
        authenticating associatedData: Span<UInt8> = Span()
    ) throws(NoiseError) {
        do throws(NoiseError) {
            try check(messageSize: message.count + AuthenticationTag.size)
        } catch { throw failed(error) }
        do throws(ChaCha20Poly1305.AuthenticationFailure) {
            try ChaCha20Poly1305.open(
                &message, tag: tag, authenticating: associatedData, key: key,
                nonce: .init(counter: nonce))
        } catch { throw failed(.messageNotAuthentic) }
        nonce += 1
    }

    /// The ciphertext of `plaintext` and its tag, as a transport message.
    package mutating func encrypt(
        _ plaintext: Span<UInt8>, authenticating associatedData: Span<UInt8> = Span()
    ) throws(NoiseError) -> [UInt8] {
        var message = [UInt8](copying: plaintext)
        var bytes = message.mutableSpan
        let tag = try seal(&bytes, authenticating: associatedData)
        message.append(contentsOf: tag.bytes)
        return message
    }

    /// The plaintext of a transport message: what comes before its tag.
    package mutating func decrypt(
        _ message: Span<UInt8>, authenticating associatedData: Span<UInt8> = Span()
    ) throws(NoiseError) -> [UInt8] {
        let size = message.count - AuthenticationTag.size
        guard size >= 0, let tag = AuthenticationTag(message.extracting(droppingFirst: size))
        else { throw failed(.messageTooShort(bytes: message.count)) }
        var plaintext = [UInt8](copying: message.extracting(first: size))
        var bytes = plaintext.mutableSpan
        try open(&bytes, tag: tag, authenticating: associatedData)
        return plaintext
    }

    /// Replaces the key by one that follows from it, after which the old can't be computed
    /// (Noise §4.2, §11.3). Both sides do it after the same message; the numbers go on.
    package mutating func rekey() throws(NoiseError) {
        guard !hasFailed else { throw .failedBefore }
        var next = SecretKey()
        next.withMutableBytes { bytes in
            _ = ChaCha20Poly1305.seal(
                &bytes, authenticating: Span(), key: key, nonce: .init(counter: .max))
        }
        key = next
    }

    private func check(messageSize: Int) throws(NoiseError) {
        guard !hasFailed else { throw .failedBefore }
        guard messageSize <= NoiseLimits.messageSize else {
            throw .messageTooLong(bytes: messageSize)
        }
        guard nonce < .max else { throw .nonceExhausted }
    }

    /// Overwrites the key.
    ///
    /// - Returns: The error that is thrown.
    private mutating func failed(_ error: NoiseError) -> NoiseError {
        hasFailed = true
        key = SecretKey()
        return error
    }
}

extension [UInt8] {
    init(copying bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { copy in
            for index in bytes.indices { copy.append(bytes[index]) }
        }
    }
}
