/// Writes JSON into bytes as it goes, without a tree: commas are its business, nesting the
/// caller's.
///
/// The text is ASCII but for letters and signs that a terminal shows: control characters and
/// those that are invisible or reorder text are escaped. Half a surrogate pair can't come out,
/// because a `String` never holds one.
struct JSONWriter: Sendable {
    /// What was written and not taken away yet.
    var bytes: [UInt8] = []
    private var needsComma = false

    /// Begins an object: keys and values in turn, then `endObject`.
    mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Ends an object.
    mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Begins an array: values, then `endArray`.
    mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Ends an array.
    mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Ends the line; the next value begins anew, without a comma.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// The key of the value that follows.
    mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A text.
    mutating func string(_ text: String) {
        string { $0.append(contentsOf: text.utf8) }
    }

    /// A text that `body` appends as UTF-8, for what can be written without making a string.
    mutating func string(_ body: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        body(&bytes)
        var index = start
        while index < bytes.count, Self.isPlain(bytes[index]) { index += 1 }
        if index < bytes.count {
            let text = String(decoding: bytes[index...], as: UTF8.self)
            bytes.removeSubrange(index...)
            for scalar in text.unicodeScalars { append(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A whole number.
    mutating func integer(_ value: some BinaryInteger) {
        separate()
        if let small = UInt64(exactly: value) {
            bytes.append(decimal: small)
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
    }

    /// A number whose text is known to be one of JSON's.
    mutating func number(text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// True or false.
    mutating func boolean(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Nothing.
    mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A key and a text.
    mutating func member(_ key: String, _ text: String) {
        self.key(key)
        string(text)
    }

    /// A key and a text that `body` appends as UTF-8.
    mutating func member(_ key: String, _ body: (inout [UInt8]) -> Void) {
        self.key(key)
        string(body)
    }

    /// A key and a whole number.
    mutating func member(_ key: String, _ value: some BinaryInteger) {
        self.key(key)
        integer(value)
    }

    /// A key and true or false.
    mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        boolean(value)
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x22, 0x5C:
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        case 0x0A:
            bytes.append(contentsOf: "\\n".utf8)
        case _ where SafeText.isUnsafe(scalar):
            // Beyond 16 bits JSON escapes are pairs.
            for unit in UTF16.encode(scalar) ?? .init() { appendEscape(unit) }
        default:
            bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
        }
    }

    private mutating func appendEscape(_ unit: UInt16) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
            bytes.append(
                digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
