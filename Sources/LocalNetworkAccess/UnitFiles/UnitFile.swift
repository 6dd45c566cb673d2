/// A unit file of systemd (systemd.syntax(7)): its assignments in order, with their places.
package struct UnitFile: Hashable, Sendable {
    /// `KEY=VALUE` in a section.
    package struct Assignment: Hashable, Sendable {
        /// The section's name, `Service`.
        package var section: String
        /// What stands before the equals sign.
        package var key: String
        /// What stands behind it, lines joined by spaces, without space around it.
        package var value: String
        /// Where the key begins.
        package var position: SourcePosition
        /// Where each line of the value begins: its place in `value` in bytes, and in the file.
        var pieces: [Piece]
    }

    /// Where a part of a value came from.
    struct Piece: Hashable, Sendable {
        var offset: Int
        var position: SourcePosition
    }

    /// A word of a value, quotes and backslashes resolved.
    package struct Word: Hashable, Sendable {
        /// The word.
        package var text: String
        /// Where it begins, its quote included.
        package var position: SourcePosition
    }

    /// The most bytes that are read.
    package static let maximumBytes = 1 << 20

    /// All assignments, empty ones included.
    package private(set) var assignments: [Assignment] = []
    /// The names of the sections in order.
    package private(set) var sections: [String] = []

    /// Reads a whole file.
    package init(_ bytes: [UInt8]) throws(UnitFileError) {
        var reader = UnitFileReader()
        try reader.read(bytes)
        assignments = reader.assignments
        sections = reader.sections
    }

    /// What is assigned to a key in a section, in order.
    package func assignments(of key: String, in section: String) -> [Assignment] {
        assignments.filter { $0.section == section && $0.key == key }
    }

    /// The last assignment of a key that takes one value; an empty one resets it.
    package func last(_ key: String, in section: String) -> Assignment? {
        assignments(of: key, in: section).last.flatMap { $0.value.isEmpty ? nil : $0 }
    }

    /// What is assigned to a key that takes a list: what an empty assignment resets is left out.
    package func list(_ key: String, in section: String) -> [Assignment] {
        let all = assignments(of: key, in: section)
        guard let reset = all.lastIndex(where: { $0.value.isEmpty }) else { return all }
        return Array(all[(reset + 1)...])
    }
}

/// Why bytes are no unit file: what, where, and what to do.
package struct UnitFileError: Error, Hashable, Sendable {
    /// The kinds of it.
    package enum Code: String, Hashable, Sendable {
        case tooLarge = "too-large"
        case encoding
        case section
        case assignment
    }

    /// Which kind.
    package var code: Code
    /// What is wrong.
    package var what: String
    /// Where.
    package var position: SourcePosition
    /// What to do about it.
    package var fix: String
}

extension UnitFile.Assignment {
    /// A switch's value as systemd reads it; `nil` for any other text.
    package var boolean: Bool? {
        switch value.lowercased() {
        case "1", "yes", "y", "true", "t", "on": true
        case "0", "no", "n", "false", "f", "off": false
        default: nil
        }
    }

    /// The words of the value: separated by space, quoted by either mark, a backslash before
    /// what is meant as it stands.
    package var words: [UnitFile.Word] {
        var words: [UnitFile.Word] = []
        var text: [UInt8] = []
        var start: Int?
        var quote: UInt8?
        var isEscaped = false
        for (offset, byte) in value.utf8.enumerated() {
            let isSpace = byte == 0x20 || byte == 0x09
            if isSpace, quote == nil, !isEscaped {
                if let start { words.append(word(text, at: start)) }
                start = nil
                text = []
                continue
            }
            if start == nil { start = offset }
            if isEscaped {
                text.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if let mark = quote {
                if byte == mark { quote = nil } else { text.append(byte) }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else {
                text.append(byte)
            }
        }
        if let start { words.append(word(text, at: start)) }
        return words
    }

    private func word(_ text: [UInt8], at offset: Int) -> UnitFile.Word {
        UnitFile.Word(text: String(decoding: text, as: UTF8.self), position: position(of: offset))
    }

    private func position(of offset: Int) -> SourcePosition {
        guard let piece = pieces.last(where: { $0.offset <= offset }) else { return position }
        let before = value.utf8.dropFirst(piece.offset).prefix(offset - piece.offset)
        let characters = before.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return SourcePosition(
            line: piece.position.line, column: piece.position.column + characters)
    }
}
