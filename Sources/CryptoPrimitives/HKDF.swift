/// HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// More output was asked for than 255 times 32 bytes (RFC 5869 §2.3).
    package struct OutputTooLong: Error {}

    /// A pseudorandom key from keying material that need not be uniform (RFC 5869 §2.2).
    /// No salt is the same as one of 32 zeros.
    package static func extract(
        salt: Span<UInt8>, inputKeyMaterial: Span<UInt8>
    ) -> SecretKey {
        HMAC.code(of: inputKeyMaterial, key: salt)
    }

    /// As many bytes as the type of the result says, bound to `info` (RFC 5869 §2.3).
    package static func expand<let count: Int>(
        _ pseudorandomKey: Span<UInt8>, info: Span<UInt8>
    ) throws(OutputTooLong) -> SecretBytes<count> {
        var output = SecretBytes<count>()
        var failure: OutputTooLong?
        output.withMutableBytes { bytes in
            do throws(OutputTooLong) {
                try expand(pseudorandomKey, info: info, into: &bytes)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return output
    }

    /// Fills `output`, bound to `info` (RFC 5869 §2.3).
    package static func expand(
        _ pseudorandomKey: Span<UInt8>, info: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(OutputTooLong) {
        guard output.count <= 255 * SHA256.digestSize else { throw OutputTooLong() }
        var previous = SecretKey()
        var offset = 0
        var counter: UInt8 = 0
        while offset < output.count {
            var hmac = HMAC(key: pseudorandomKey)
            if counter > 0 { previous.withBytes { hmac.update($0) } }
            hmac.update(info)
            counter += 1
            hmac.update([counter].span)
            previous = hmac.finish()
            previous.withBytes { block in
                for index in 0..<min(block.count, output.count - offset) {
                    output[offset + index] = block[index]
                }
            }
            offset += SHA256.digestSize
        }
    }
}
