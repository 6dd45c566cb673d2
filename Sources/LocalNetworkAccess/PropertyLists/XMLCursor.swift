/// A place in bytes that are known to be UTF-8, which only moves forward.
struct XMLCursor {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private(set) var position = SourcePosition.start

    /// Begins at the first byte, behind a byte order mark.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// The byte here; `nil` at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }
    var isAtEnd: Bool { offset == bytes.count }

    /// Moves over a byte.
    mutating func advance() {
        guard let byte else { return }
        offset += 1
        if byte == UInt8(ascii: "\n") {
            position = SourcePosition(line: position.line + 1, column: 1)
        } else if byte & 0xC0 != 0x80 {
            position.column += 1
        }
    }

    func starts(with text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount <= bytes.count - offset else { return false }
        return text.withUTF8Buffer { expected in
            expected.indices.allSatisfy { unsafe expected[$0] == bytes[offset + $0] }
        }
    }

    /// Moves over the text if it stands here.
    mutating func skip(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        for _ in 0..<text.utf8CodeUnitCount { advance() }
        return true
    }

    /// Moves behind the next `text`; `nil` if there is none, otherwise what stood before it.
    mutating func skipPast(_ text: StaticString) -> [UInt8]? {
        let start = offset
        while !isAtEnd {
            let end = offset
            if skip(text) { return Array(bytes[start..<end]) }
            advance()
        }
        return nil
    }

    mutating func skipSpace() {
        while let byte, Self.isSpace(byte) { advance() }
    }

    /// Letters, digits and what else is in names; empty if none stands here.
    mutating func word() -> String {
        let start = offset
        while let byte, Self.isNameByte(byte) { advance() }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte >= 0x80
            || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":")]
                .contains(byte)
    }
}
