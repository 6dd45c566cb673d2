/// Text that came from the network, made fit for a terminal.
enum SafeText {
    /// `text` with every character that a terminal may obey, or that reorders what stands
    /// around it, replaced by `\u{…}`.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Bytes as text: what is UTF-8 and printable as it is, everything else as `\xHH`.
    static func escaped(_ bytes: [UInt8]) -> String {
        var result = ""
        var decoder = UTF8()
        var rest = bytes[...]
        while let first = rest.first {
            var iterator = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator), !isUnsafe(scalar),
                scalar != "\\"
            {
                result.unicodeScalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                result += first == 0x5C ? "\\\\" : hexadecimal(first)
                rest = rest.dropFirst()
            }
            decoder = UTF8()
        }
        return result
    }

    /// The columns that `text` takes on a terminal, wide characters counted twice.
    static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { sum, character in
            sum + (character.unicodeScalars.contains(where: isWide) ? 2 : 1)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return "\\x" + (digits.utf8.count == 1 ? "0" : "") + digits
    }

    /// Whether a terminal may obey the character, or it reorders or hides what stands around it.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F:  // C0, DEL, C1
            true
        case 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0x061C:
            true  // invisible, line-breaking or direction-changing; joiners are harmless
        case 0xE0000...0xE007F:  // tags: invisible
            true
        default:
            false
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default:
            false
        }
    }
}
