/// Text built as bytes, for output of millions of lines: nothing here makes a string.
extension [UInt8] {
    /// Appends a whole number, with zeros in front up to that many digits.
    mutating func append(decimal value: UInt64, digits: Int = 1) {
        // Most numbers are ports, lengths, or times to live.
        if value < 10_000, digits <= 1 {
            let small = UInt16(truncatingIfNeeded: value)
            if small >= 1000 { append(digit: small / 1000) }
            if small >= 100 { append(digit: small / 100 % 10) }
            if small >= 10 { append(digit: small / 10 % 10) }
            return append(digit: small % 10)
        }
        var width = 1
        var limit: UInt64 = 10
        while value >= limit, width < 20 {
            width += 1
            limit = width < 20 ? limit * 10 : limit
        }
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(width, digits)))
        var rest = value
        var index = count - 1
        while rest > 0 {
            self[index] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            index -= 1
        }
    }

    private mutating func append(digit: UInt16) {
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
    }

    /// Appends text as UTF-8.
    mutating func append(text: String) {
        append(contentsOf: text.utf8)
    }

    /// Appends bytes as pairs of hexadecimal digits.
    mutating func append(hexadecimal bytes: some Sequence<UInt8>) {
        for byte in bytes {
            append(Self.hexadecimalDigit(byte >> 4))
            append(Self.hexadecimalDigit(byte & 15))
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// The same into room that is known to be enough, so that nothing grows byte by byte.
extension OutputSpan<UInt8> {
    /// Appends text as UTF-8.
    mutating func append(text: String) {
        for byte in text.utf8 { append(byte) }
    }

    /// Appends a whole number, with zeros in front up to that many digits: 20 bytes at most.
    mutating func append(decimal value: UInt64, digits: Int = 1) {
        guard value <= 0xFFFF_FFFF, digits <= 9 else {
            var bytes: [UInt8] = []
            bytes.append(decimal: value, digits: digits)
            for byte in bytes { append(byte) }
            return
        }
        // Division of 32 bits is a good deal faster than of 64.
        let value = UInt32(truncatingIfNeeded: value)
        var power: UInt32 = 1
        for _ in 1..<Swift.max(digits, 1) { power *= 10 }
        while value / power >= 10 { power *= 10 }
        var rest = value
        while power > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power))
            rest %= power
            power /= 10
        }
    }

    /// Appends spaces up to the column of a line that began at `origin`, and at least one.
    mutating func pad(from origin: Int, to column: Int) {
        append(repeating: UInt8(ascii: " "), count: Swift.max(column - (count - origin), 1))
    }
}
