import CryptoPrimitives
import LinuxNetworking
import NetworkPrimitives

/// The primitives for scripts that compare them with others'.
enum Computations {
    /// Answers each line of the standard input, `OPERATION HEX…`, with a line; "-" stands for no
    /// bytes, and "refused" is an answer.
    static func answerAll() throws {
        let input = try SystemFile.Reader.standardInput()
        var pending: [UInt8] = []
        while true {
            let bytes = try input.next()
            if bytes.isEmpty { return }
            pending += bytes
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                try StandardStream.output.writeLine(answer(line))
            }
        }
    }

    private static func answer(_ line: String) -> String {
        let words = line.split(separator: " ")
        let operands = words.dropFirst().compactMap { word in
            word == "-" ? [] : Hexadecimal.bytes(String(word))
        }
        guard operands.count == words.count - 1, let operation = words.first,
            let result = result(String(operation), operands)
        else { return "refused" }
        return result.isEmpty ? "-" : Hexadecimal.text(result)
    }

    private static func result(_ operation: String, _ operands: [[UInt8]]) -> [UInt8]? {
        switch (operation, operands.count) {
        case ("sha256", 1): hashed(operands[0])
        case ("hmac", 2): authenticated(key: operands[0], operands[1])
        case ("hkdf", 4): derived(operands[0], operands[1], operands[2], operands[3].count)
        case ("x25519", 2) where operands[0].count == 32 && operands[1].count == 32:
            multiplied(operands[0], operands[1])
        case ("seal", 4): sealed(operands[0], operands[1], operands[2], operands[3])
        case ("open", 4) where operands[3].count >= AuthenticationTag.size:
            opened(operands[0], operands[1], operands[2], operands[3])
        default: nil
        }
    }

    private static func copied(_ bytes: Span<UInt8>) -> [UInt8] {
        bytes.indices.map { bytes[$0] }
    }

    private static func hashed(_ message: [UInt8]) -> [UInt8] { SHA256.hash(message.span) }

    private static func authenticated(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        HMAC.code(of: message.span, key: key.span).withBytes { copied($0) }
    }

    private static func derived(
        _ salt: [UInt8], _ material: [UInt8], _ info: [UInt8], _ count: Int
    ) -> [UInt8]? {
        let key = HKDF.extract(salt: salt.span, inputKeyMaterial: material.span)
        let pseudorandomKey = key.withBytes { copied($0) }
        var output = [UInt8](repeating: 0, count: count)
        var bytes = output.mutableSpan
        do throws(HKDF.OutputTooLong) {
            try HKDF.expand(pseudorandomKey.span, info: info.span, into: &bytes)
        } catch { return nil }
        return output
    }

    private static func multiplied(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        var bytes = result.mutableSpan
        X25519.multiply(scalar.span, point.span, into: &bytes)
        return result
    }

    private static func sealed(
        _ key: [UInt8], _ nonce: [UInt8], _ data: [UInt8], _ message: [UInt8]
    ) -> [UInt8]? {
        guard let key = SecretKey(copying: key.span), let nonce = ChaCha20.Nonce(nonce.span)
        else { return nil }
        var ciphertext = message
        var bytes = ciphertext.mutableSpan
        let tag = ChaCha20Poly1305.seal(&bytes, authenticating: data.span, key: key, nonce: nonce)
        return ciphertext + tag.bytes
    }

    /// Of a ciphertext with its tag.
    private static func opened(
        _ key: [UInt8], _ nonce: [UInt8], _ data: [UInt8], _ sealed: [UInt8]
    ) -> [UInt8]? {
        let tagBytes = Array(sealed.suffix(AuthenticationTag.size))
        guard let key = SecretKey(copying: key.span), let nonce = ChaCha20.Nonce(nonce.span),
            let tag = AuthenticationTag(tagBytes.span)
        else { return nil }
        var message = Array(sealed.dropLast(AuthenticationTag.size))
        var bytes = message.mutableSpan
        do throws(ChaCha20Poly1305.AuthenticationFailure) {
            try ChaCha20Poly1305.open(
                &bytes, tag: tag, authenticating: data.span, key: key, nonce: nonce)
        } catch { return nil }
        return message
    }

    /// The loop of RFC 7748 §5.2, which begins with the point 9.
    static func iterated(_ count: Int) -> [UInt8] {
        var scalar = [9] + [UInt8](repeating: 0, count: 31)
        var point = scalar
        for _ in 0..<count { (scalar, point) = (multiplied(scalar, point), scalar) }
        return scalar
    }
}
