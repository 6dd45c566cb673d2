/// Reads a unit file line by line.
struct UnitFileReader {
    private(set) var assignments: [UnitFile.Assignment] = []
    private(set) var sections: [String] = []
    private var section: String?
    /// The assignment that goes on in the next line.
    private var open: UnitFile.Assignment?

    mutating func read(_ bytes: [UInt8]) throws(UnitFileError) {
        guard bytes.count <= UnitFile.maximumBytes else {
            throw UnitFileError(
                code: .tooLarge, what: "the file has more than \(UnitFile.maximumBytes) bytes",
                position: .start, fix: "give the unit file itself")
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
        var number = 0
        for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            guard !line.contains(0), let line = String(validating: line, as: UTF8.self) else {
                throw UnitFileError(
                    code: .encoding, what: "the line is not UTF-8",
                    position: SourcePosition(line: number, column: 1),
                    fix: "save the file as UTF-8")
            }
            try read(line, number)
        }
        if let open { append(open) }
    }

    private mutating func read(_ line: String, _ number: Int) throws(UnitFileError) {
        let content = line.drop(while: Self.isSpace)
        let column = line.unicodeScalars.count - content.unicodeScalars.count + 1
        let position = SourcePosition(line: number, column: column)
        // Comments may stand between the lines of a value.
        if content.hasPrefix("#") || content.hasPrefix(";") { return }
        let trimmed = Self.trimmed(content)
        if let assignment = open {
            open = nil
            extend(assignment, with: trimmed, at: position)
        } else if trimmed.hasPrefix("[") {
            try begin(trimmed, at: position)
        } else if !trimmed.isEmpty {
            try assign(trimmed, at: position)
        }
    }

    private mutating func begin(
        _ line: Substring, at position: SourcePosition
    ) throws(UnitFileError) {
        guard line.hasSuffix("]"), line.count > 2 else {
            throw UnitFileError(
                code: .section, what: "the section's name is not in brackets", position: position,
                fix: "write it as '[Service]'")
        }
        let name = String(line.dropFirst().dropLast())
        section = name
        sections.append(name)
    }

    private mutating func assign(
        _ line: Substring, at position: SourcePosition
    ) throws(UnitFileError) {
        guard let equals = line.firstIndex(of: "=") else {
            throw UnitFileError(
                code: .assignment, what: "the line is neither a section nor KEY=VALUE",
                position: position, fix: "write '#' before it if it is a comment")
        }
        guard let section else {
            throw UnitFileError(
                code: .section, what: "the assignment is in no section", position: position,
                fix: "write '[Service]' above it")
        }
        let key = Self.trimmed(line[..<equals])
        let rest = line[equals...].dropFirst()
        let value = rest.drop(while: Self.isSpace)
        let column = line.unicodeScalars.count - value.unicodeScalars.count
        let start = SourcePosition(line: position.line, column: position.column + column)
        let assignment = UnitFile.Assignment(
            section: section, key: String(key), value: "", position: position, pieces: [])
        extend(assignment, with: value, at: start)
    }

    /// Adds a line to a value; a backslash at its end makes the next line a part of it too.
    private mutating func extend(
        _ assignment: UnitFile.Assignment, with line: Substring, at position: SourcePosition
    ) {
        var assignment = assignment
        let goesOn = line.hasSuffix("\\")
        let part = goesOn ? Self.trimmed(line.dropLast()) : line
        if !part.isEmpty {
            if !assignment.value.isEmpty { assignment.value += " " }
            assignment.pieces.append(
                UnitFile.Piece(offset: assignment.value.utf8.count, position: position))
            assignment.value += part
        }
        if goesOn {
            open = assignment
        } else {
            append(assignment)
        }
    }

    private mutating func append(_ assignment: UnitFile.Assignment) {
        assignments.append(assignment)
        open = nil
    }

    private static func isSpace(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\r"
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
