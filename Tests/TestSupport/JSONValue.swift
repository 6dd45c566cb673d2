/// A JSON value, for tests that read what the program wrote. Numbers stay text, so that none is
/// rounded.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads one value; `nil` if the text is not exactly one.
    package init?(_ text: some Sequence<UInt8>) {
        var reader = JSONReader(bytes: Array(text))
        guard let value = reader.value(), reader.isAtEnd else { return nil }
        self = value
    }

    /// The member of an object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    /// The elements of an array; empty for other values.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The whole number that it is.
    package var integer: Int? {
        if case .number(let text) = self { return Int(text) }
        return nil
    }

    /// The text that it is.
    package var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The keys of an object, sorted.
    package var keys: [String] {
        if case .object(let members) = self { return members.keys.sorted() }
        return []
    }
}

/// A strict reader (RFC 8259): no lone surrogates, no control characters, no bad UTF-8.
private struct JSONReader {
    let bytes: [UInt8]
    var at = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return at == bytes.count
        }
    }

    mutating func value() -> JSONValue? {
        skipSpace()
        guard at < bytes.count else { return nil }
        switch bytes[at] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func skipSpace() {
        while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[at...].starts(with: text.utf8) else { return false }
        at += text.utf8.count
        return true
    }

    private mutating func object() -> JSONValue? {
        at += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\""), let key = string() else {
                return nil
            }
            skipSpace()
            guard take(":"), let value = value(), members.updateValue(value, forKey: key) == nil
            else { return nil }
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { return nil }
        }
    }

    private mutating func array() -> JSONValue? {
        at += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            guard let value = value() else { return nil }
            elements.append(value)
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { return nil }
        }
    }

    private mutating func string() -> String? {
        at += 1
        var text: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: Array(String(Character(scalar)).utf8))
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard at < bytes.count else { return nil }
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = fourDigits() else { return nil }
            guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
            guard take("\\u"), let low = fourDigits(), (0xDC00..<0xE000).contains(low) else {
                return nil
            }
            return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        default: return nil
        }
    }

    private mutating func fourDigits() -> UInt32? {
        guard at + 4 <= bytes.count else { return nil }
        let digits = String(decoding: bytes[at..<at + 4], as: UTF8.self)
        at += 4
        return digits.hasPrefix("+") || digits.hasPrefix("-") ? nil : UInt32(digits, radix: 16)
    }

    private mutating func number() -> JSONValue? {
        let start = at
        _ = take("-")
        guard at < bytes.count else { return nil }
        if !take("0") {
            guard digits() else { return nil }
        }
        if take(".") {
            guard digits() else { return nil }
        }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard digits() else { return nil }
        }
        return .number(String(decoding: bytes[start..<at], as: UTF8.self))
    }

    private mutating func digits() -> Bool {
        let start = at
        while at < bytes.count, (0x30...0x39).contains(bytes[at]) { at += 1 }
        return at > start
    }
}
