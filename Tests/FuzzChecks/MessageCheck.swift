import DNSMessages

/// Decodes bytes as a message, and what was kept of it once more after encoding: it must be the
/// same, with nothing left out; the strict door must agree with the open one; printing must not
/// fail.
package func checkMessage(_ bytes: [UInt8]) -> String? {
    guard let decoded = try? Message.inspect(bytes) else {
        return bytes.count < 12 ? nil : "a message with a header was not read"
    }
    let strict = try? Message.decode(bytes)
    guard (strict == nil) == (decoded.rejectionReason != nil) else {
        return "inspecting and decoding differ on whether the message is refused"
    }
    if let strict, strict.message != decoded.message {
        return "inspecting and decoding differ"
    }
    // Printing takes longer than all the rest, and does not depend on how much there is.
    if bytes.count < 80, decoded.message.description.isEmpty { return "nothing was printed" }
    let kept =
        decoded.message.questions.count + decoded.message.answers.count
        + decoded.message.authorities.count + decoded.message.additionals.count
    guard kept == decoded.positions.count, kept + decoded.skipped.count <= decoded.counts.total
    else { return "the counts don't add up" }

    guard let encoded = try? decoded.message.encoded(limit: 1 << 20) else {
        // Only a record whose names took more than 65,535 bytes can't be written.
        return bytes.count > 60_000 ? nil : "what was kept can't be encoded"
    }
    guard let again = try? Message.inspect(encoded) else { return "the encoded can't be read" }
    guard again.skipped.isEmpty, again.trailingByteCount == 0 else {
        return "something is left out when read again: \(again.skipped)"
    }
    guard again.message == decoded.message else { return "it is not the same when read again" }
    // Names are equal in any case; their bytes must be the same, too.
    guard (try? again.message.encoded(limit: 1 << 20)) == encoded else {
        return "it is not encoded the same way again"
    }
    return nil
}
