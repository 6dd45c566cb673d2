/// One label of a domain name: 1 to 63 bytes, any bytes (RFC 2181 §11).
public struct Label: Sendable {
    /// The label's bytes as they were given.
    public let bytes: [UInt8]

    /// A label of these bytes.
    ///
    /// - Throws: `NameError` if there are none or more than 63.
    public init(_ bytes: some Collection<UInt8>) throws(NameError) {
        guard !bytes.isEmpty else { throw .emptyLabel(position: 0) }
        guard bytes.count <= 63 else {
            throw .labelTooLong(label: String(decoding: bytes, as: UTF8.self), bytes: bytes.count)
        }
        self.bytes = Array(bytes)
    }

    /// A label of the text's UTF-8 bytes; dots and backslashes stand for themselves.
    ///
    /// - Throws: `NameError` if it is empty or has more than 63 bytes.
    public init(_ text: String) throws(NameError) {
        try self.init(Array(text.utf8))
    }

    init(unchecked bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The bytes read as UTF-8, nothing escaped; damaged sequences show as U+FFFD.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Label: Hashable {
    /// Equal but for the case of ASCII letters (RFC 6762 §16).
    public static func == (left: Label, right: Label) -> Bool {
        left.bytes.count == right.bytes.count
            && zip(left.bytes, right.bytes).allSatisfy { foldedCase($0) == foldedCase($1) }
    }

    public func hash(into hasher: inout Hasher) {
        for byte in bytes { hasher.combine(foldedCase(byte)) }
    }
}

extension Label: CustomStringConvertible {
    /// The label in the text form of names, dots and backslashes escaped.
    public var description: String { NameText.escaped(bytes[...]) }
}

/// Lower case for A to Z, every other byte as it is (RFC 6762 §16).
@inline(__always)
func foldedCase(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}
