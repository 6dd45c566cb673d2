enum SizeRules {
    static let lines = 600
    static let functionLines = 70
    static let columns = 100

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        if file.lines.count > lines {
            findings.append(file.finding(.size, at: lines + 1, "\(file.lines.count) lines"))
        }
        for (index, line) in file.lines.enumerated() where line.utf8.count > columns {
            let count = line.count
            if count > columns {
                findings.append(file.finding(.size, at: index + 1, "\(count) columns"))
            }
        }
        for body in bodies(in: file) where body.lines > functionLines {
            findings.append(
                file.finding(.size, at: body.line, "\(body.name) has \(body.lines) lines"))
        }
        return findings
    }

    /// A function from its first line to its closing brace.
    private struct Body {
        let name: String
        let line: Int
        let lines: Int
    }

    private static let introducers: Set = ["func", "init", "deinit", "subscript"]

    private static func bodies(in file: SourceFile) -> [Body] {
        file.tokens.indices.compactMap { index in
            let token = file.tokens[index]
            guard token.kind == .word, introducers.contains(token.text),
                index == 0 || !file.tokens[index - 1].isSymbol("."),
                let open = bodyStart(after: index, in: file)
            else { return nil }
            let end = file.tokens[file.closing(open)].line
            let name = token.isWord("func") ? file.token(index + 1)?.text ?? "func" : token.text
            return Body(name: name, line: token.line, lines: end - token.line + 1)
        }
    }

    /// Words that begin another declaration: what comes before them had no body.
    private static let declarations: Set = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "associatedtype", "static",
        "mutating", "nonmutating", "public", "package", "private", "fileprivate", "internal",
        "struct", "enum", "class", "actor", "protocol", "extension", "typealias",
    ]

    private static func bodyStart(after index: Int, in file: SourceFile) -> Int? {
        var position = index + 1
        while position < file.tokens.count {
            let token = file.tokens[position]
            if token.isSymbol("{") { return position }
            if token.isSymbol("}") { return nil }
            if token.isFirstOnLine, token.kind == .word,
                declarations.contains(token.text) || token.text.hasPrefix("@")
            {
                return nil
            }
            let opens = token.isSymbol("(") || token.isSymbol("[")
            position = (opens ? file.closing(position) : position) + 1
        }
        return nil
    }
}
