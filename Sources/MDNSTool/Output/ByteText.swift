/// Text built as bytes, for output of millions of lines: nothing here makes a string.
extension [UInt8] {
    /// Appends a whole number, with zeros in front up to that many digits.
    mutating func append(decimal value: UInt64, digits: Int = 1) {
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

    /// Appends spaces until what began at `start` has `width` bytes, and at least one.
    mutating func pad(from start: Int, to width: Int) {
        let missing = Swift.max(width - (count - start), 1)
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: missing))
    }
}
