/// The text of an element as its value.
enum PropertyListScalar {
    /// - Throws: `PropertyListError` if the text is none of that type.
    static func content(
        _ type: String, _ text: String, at position: SourcePosition
    ) throws(PropertyListError) -> PropertyListValue.Content {
        if type == "string" { return .string(text) }
        let words = text.split { $0.isWhitespace }
        let content: PropertyListValue.Content? =
            switch type {
            case "integer": words.count == 1 ? integer(words[0]).map { .integer($0) } : nil
            case "real": words.count == 1 ? Double(words[0]).map { .real($0) } : nil
            case "date": words.count == 1 && isDate(words[0]) ? .date(String(words[0])) : nil
            default: bytes(words).map { .data($0) }
            }
        guard let content else {
            throw PropertyListError(
                .value, "the text of this element is no \(type)", at: position,
                fix: "correct it, or make it a string")
        }
        return content
    }

    /// Decimal, or hexadecimal behind `0x`.
    private static func integer(_ text: Substring) -> Int64? {
        guard let prefix = ["0x", "0X", "-0x", "-0X"].first(where: { text.hasPrefix($0) }) else {
            return Int64(text, radix: 10)
        }
        let digits = text.dropFirst(prefix.count)
        guard digits.first.map({ $0.isHexDigit }) == true else { return nil }
        return Int64((prefix.hasPrefix("-") ? "-" : "") + digits, radix: 16)
    }

    /// `2026-12-03T04:00:00Z`.
    private static func isDate(_ text: Substring) -> Bool {
        let form = Array("dddd-dd-ddTdd:dd:ddZ".utf8)
        guard text.utf8.count == form.count else { return false }
        return zip(text.utf8, form).allSatisfy { byte, expected in
            expected == UInt8(ascii: "d") ? (0x30...0x39).contains(byte) : byte == expected
        }
    }

    /// The bytes of base 64 (RFC 4648 §4).
    private static func bytes(_ words: [Substring]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for byte in words.joined().utf8 {
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let digit = digit(byte) else { return nil }
            bits = bits << 6 | digit
            count += 1
            if count % 4 == 0 {
                bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
                bits = 0
            }
        }
        guard (count + padding) % 4 == 0, padding <= 2 else { return nil }
        switch count % 4 {
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3: bytes += [10, 2].map { UInt8(truncatingIfNeeded: bits >> $0) }
        default: break
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
