public import DNSMessages

/// What a service says of itself: attributes `key=value` in their order (RFC 6763 §6).
///
/// A record that came from the network is kept byte for byte; what its rules say to ignore is
/// left out of `attributes` only. Keys compare without regard to case, values are bytes.
public struct TXTRecord: Hashable, Sendable {
    /// What stands behind a key. A key that is not there at all is `nil` in look-ups, so four
    /// cases are distinguished: absent, present without value, empty, and a value (RFC 6763 §6.4).
    public enum Value: Hashable, Sendable {
        /// `key` alone: a flag that is present.
        case none
        /// `key=` and these bytes, possibly none.
        case bytes([UInt8])

        /// A value of that text's UTF-8.
        public static func text(_ text: String) -> Value { .bytes(Array(text.utf8)) }

        /// The bytes; `nil` for a key without a value.
        public var bytes: [UInt8]? {
            guard case .bytes(let bytes) = self else { return nil }
            return bytes
        }

        /// The bytes as text; `nil` without a value or if they are not UTF-8.
        public var text: String? {
            guard case .bytes(let bytes) = self else { return nil }
            return String(validating: bytes, as: UTF8.self)
        }
    }

    /// A key and what stands behind it.
    public struct Attribute: Hashable, Sendable {
        /// The key as sent.
        public var key: String
        /// Its value.
        public var value: Value

        /// An attribute.
        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// The record's data as it is on the wire.
    public private(set) var textStrings: TextStrings

    /// A record without attributes: one zero byte on the wire (RFC 6763 §6.1).
    public init() {
        textStrings = .empty
    }

    /// The view of a record from the network. No bytes and one empty string mean the same: no
    /// attributes (RFC 6763 §6.1).
    public init(_ textStrings: TextStrings) {
        self.textStrings = textStrings.wireBytes.isEmpty ? .empty : textStrings
    }

    /// A record of these attributes in this order.
    ///
    /// - Throws: `TXTRecordError`, for a repeated key too.
    public init(_ attributes: some Sequence<Attribute>) throws(TXTRecordError) {
        self.init()
        var seen: Set<String> = []
        for attribute in attributes {
            // RFC 6763 §6.4: a key occurs once (S6-17).
            guard seen.insert(Self.folded(attribute.key)).inserted else {
                throw .repeatedKey(attribute.key)
            }
            try append(attribute)
        }
    }

    /// A record of strings as they are typed, `key`, `key=` or `key=value`, in this order.
    ///
    /// - Throws: `TXTRecordError`, for a repeated key too.
    public init(parsing strings: some Sequence<String>) throws(TXTRecordError) {
        try self.init(
            strings.map { string in
                guard let sign = string.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                    return Attribute(string, .none)
                }
                let value = Array(string.utf8[sign...].dropFirst())
                return Attribute(String(string[..<sign]), .bytes(value))
            })
    }

    /// The strings in order without the empty ones, malformed ones included.
    public var strings: [[UInt8]] { textStrings.strings.filter { !$0.isEmpty } }

    /// The attributes that count: the first of each key; strings that begin with `=` or whose
    /// key has other characters than printable ASCII are ignored (RFC 6763 §6.4).
    public var attributes: [Attribute] {
        var seen: Set<String> = []
        return textStrings.strings.compactMap { string in
            // The first of each key (S6-18).
            guard let attribute = Self.attribute(of: string),
                seen.insert(Self.folded(attribute.key)).inserted
            else { return nil }
            return attribute
        }
    }

    /// Whether there is no attribute.
    public var isEmpty: Bool { attributes.isEmpty }

    /// The size of the record's data on the wire.
    public var byteCount: Int { textStrings.wireBytes.count }

    /// What stands behind `key`, in any case; `nil` if the key is absent.
    public subscript(key: String) -> Value? {
        let key = Self.folded(key)
        for string in textStrings.strings {
            if let attribute = Self.attribute(of: string), Self.folded(attribute.key) == key {
                return attribute.value
            }
        }
        return nil
    }

    /// Puts `value` behind `key`: in the key's place if it is there, else at the end.
    ///
    /// - Throws: `TXTRecordError`; the record is unchanged then.
    public mutating func set(_ key: String, to value: Value) throws(TXTRecordError) {
        var attributes = attributes
        let folded = Self.folded(key)
        if let place = attributes.firstIndex(where: { Self.folded($0.key) == folded }) {
            attributes[place] = Attribute(key, value)
        } else {
            attributes.append(Attribute(key, value))
        }
        self = try TXTRecord(attributes)
    }

    /// Takes `key` out, in any case.
    public mutating func remove(_ key: String) {
        let folded = Self.folded(key)
        let kept = textStrings.strings.filter { string in
            Self.attribute(of: string).map { Self.folded($0.key) != folded } ?? true
        }
        textStrings = TextStrings(kept) ?? .empty
    }

    /// A key of printable characters, one string of at most 255 bytes, and what a packet holds
    /// (S6-2, S6-10, S6-13).
    private mutating func append(_ attribute: Attribute) throws(TXTRecordError) {
        let key = Array(attribute.key.utf8)
        guard !key.isEmpty else { throw .emptyKey }
        for (position, byte) in key.enumerated() where !Self.isKeyCharacter(byte) {
            throw .badKeyCharacter(byte, key: attribute.key, position: position + 1)
        }
        var string = key
        if case .bytes(let value) = attribute.value {
            string.append(UInt8(ascii: "="))
            string += value
        }
        guard string.count <= DiscoveryLimits.attributeBytes else {
            throw .attributeTooLong(key: attribute.key, bytes: string.count)
        }
        let old = textStrings == .empty ? [] : textStrings.wireBytes
        let bytes = old + [UInt8(string.count)] + string
        guard bytes.count <= DiscoveryLimits.textRecordBytes,
            let new = TextStrings(wireBytes: bytes)
        else {
            throw .tooLarge(bytes: bytes.count)
        }
        textStrings = new
    }

    /// RFC 6763 §6.4: the key ends at the first `=`; one without characters, or with
    /// others than it may have, is ignored (S6-11, S6-13).
    private static func attribute(of string: [UInt8]) -> Attribute? {
        let sign = string.firstIndex(of: UInt8(ascii: "="))
        let key = string[..<(sign ?? string.endIndex)]
        guard !key.isEmpty, key.allSatisfy(isKeyCharacter) else { return nil }
        let value: Value = sign.map { .bytes(Array(string[($0 + 1)...])) } ?? .none
        return Attribute(String(decoding: key, as: UTF8.self), value)
    }

    /// RFC 6763 §6.4: printable ASCII without the equals sign (S6-13).
    private static func isKeyCharacter(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=")
    }

    private static func folded(_ key: String) -> String { key.lowercased() }
}

extension TXTRecord: CustomStringConvertible {
    /// The strings in quotes, bytes that are not printable ASCII as `\DDD`.
    public var description: String {
        strings.map { string in
            var text = "\""
            for byte in string {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    text += "\\"
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                case 0x20...0x7E:
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    let digits = String(byte)
                    text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                }
            }
            return text + "\""
        }.joined(separator: " ")
    }
}
