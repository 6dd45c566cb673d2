/// A value of JSON as it was read. Numbers stay text, so that none is rounded; the members of an
/// object stay in their order.
indirect enum JSONInput: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONInput])
    case object([Member])

    /// A key and its value.
    struct Member: Hashable, Sendable {
        var key: String
        var value: JSONInput
    }

    /// What it is, for a message.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// What makes a text no JSON, and where.
struct JSONError: Error, Hashable, Sendable {
    /// The byte at which it can't go on, counted from 1.
    var column: Int
    var reason: String
}

/// Reads one value, strictly (RFC 8259): no lone surrogates, no control characters, no bad UTF-8,
/// no key twice.
struct JSONReader {
    /// Deeper ones are refused: nothing that is read here needs more.
    private static let depthLimit = 16

    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The value that the bytes are.
    static func value(of bytes: some Collection<UInt8>) throws(JSONError) -> JSONInput {
        var reader = JSONReader(Array(bytes))
        let value = try reader.value()
        reader.skipSpace()
        guard reader.at == reader.bytes.count else {
            throw reader.error("there is more behind the value")
        }
        return value
    }

    private func error(_ reason: String) -> JSONError {
        JSONError(column: at + 1, reason: reason)
    }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let wanted = text.description.utf8
        guard bytes[at...].starts(with: wanted) else { return false }
        at += wanted.count
        return true
    }

    private mutating func value() throws(JSONError) -> JSONInput {
        skipSpace()
        guard let byte = next else { throw error("a value is missing") }
        switch byte {
        case UInt8(ascii: "{"):
            return try nested { (reader) throws(JSONError) in
                try reader.object()
            }
        case UInt8(ascii: "["):
            return try nested { (reader) throws(JSONError) in
                try reader.array()
            }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t") where skip("true"): return .boolean(true)
        case UInt8(ascii: "f") where skip("false"): return .boolean(false)
        case UInt8(ascii: "n") where skip("null"): return .null
        case UInt8(ascii: "-"), 0x30...0x39: return .number(try number())
        default: throw error("no value begins like this")
        }
    }

    private mutating func nested(
        _ body: (inout JSONReader) throws(JSONError) -> JSONInput
    ) throws(JSONError) -> JSONInput {
        guard depth < Self.depthLimit else {
            throw error("more than \(Self.depthLimit) values inside each other")
        }
        depth += 1
        at += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func object() throws(JSONError) -> JSONInput {
        var members: [JSONInput.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if skip("}") { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a key in quotes is missing") }
            let start = at
            let key = try string()
            guard keys.insert(key).inserted else {
                at = start
                throw error("the key '\(key)' is there twice")
            }
            skipSpace()
            guard skip(":") else { throw error("a colon is missing behind the key") }
            members.append(JSONInput.Member(key: key, value: try value()))
            skipSpace()
            if skip("}") { return .object(members) }
            guard skip(",") else { throw error("a comma or } is missing") }
        }
    }

    private mutating func array() throws(JSONError) -> JSONInput {
        var elements: [JSONInput] = []
        skipSpace()
        if skip("]") { return .array(elements) }
        while true {
            elements.append(try value())
            skipSpace()
            if skip("]") { return .array(elements) }
            guard skip(",") else { throw error("a comma or ] is missing") }
        }
    }

    private mutating func string() throws(JSONError) -> String {
        at += 1
        let start = at
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else {
                    at = start
                    throw error("the text is not UTF-8")
                }
                at += 1
                return valid
            case UInt8(ascii: "\\"):
                at += 1
                let scalar = try escape()
                text.append(contentsOf: String(Character(scalar)).utf8)
            case 0..<0x20: throw error("a control character has to be escaped in a text")
            default:
                text.append(byte)
                at += 1
            }
        }
        throw error("the text has no end")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = next else { throw error("the text has no end") }
        let signs: [UInt8: Unicode.Scalar] = [
            UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
            UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n",
            UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
        ]
        if let sign = signs[byte] {
            at += 1
            return sign
        }
        guard skip("u"), let unit = fourDigits() else { throw error("there is no such escape") }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, skip("\\u"), let low = fourDigits(), (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("half of a surrogate pair") }
        return scalar
    }

    private mutating func fourDigits() -> UInt32? {
        guard at + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[at..<at + 4] {
            let digit = Character(Unicode.Scalar(byte))
            guard let value = digit.hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(truncatingIfNeeded: value)
        }
        at += 4
        return unit
    }

    private mutating func number() throws(JSONError) -> String {
        let start = at
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try digits()
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func digits() throws(JSONError) {
        let start = at
        while let byte = next, (0x30...0x39).contains(byte) { at += 1 }
        guard at > start else { throw error("a digit is missing") }
    }
}
