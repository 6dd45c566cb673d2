/// What a user can see is explained where it is declared.
enum DocumentationRule {
    private static let introducers: Set = [
        "func", "init", "subscript", "var", "let", "struct", "enum", "class", "actor", "protocol",
        "typealias", "associatedtype", "case", "macro", "operator",
    ]

    /// Members whose explanation comes with the standard library's protocol. Operators, which
    /// have no name that is a word, are of the same kind.
    private static let inherited: Set = [
        "func hash", "var rawValue", "init rawValue", "func",
        "var startIndex", "var endIndex", "subscript index",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isSource else { return [] }
        return file.tokens.indices.compactMap { index in
            let token = file.tokens[index]
            guard isModifier(at: index, in: file),
                let name = declaredName(after: index, in: file), !inherited.contains(name),
                !isDocumented(line: token.line, in: file)
            else { return nil }
            return file.finding(.documentation, at: token.line, "\(name) has no doc comment")
        }
    }

    /// Whether `public` or `open` stands there as a modifier: `case open` and `.open` are names.
    private static func isModifier(at index: Int, in file: SourceFile) -> Bool {
        let token = file.tokens[index]
        if token.isWord("public") { return true }
        return token.isWord("open") && file.token(index + 1)?.line == token.line
            && (index == 0 || !["case", "."].contains(file.tokens[index - 1].text))
    }

    /// What the modifier at `index` makes public; nil for imports, `public(set)` and the like.
    private static func declaredName(after index: Int, in file: SourceFile) -> String? {
        var position = index + 1
        if file.token(position)?.isSymbol("(") == true { return nil }
        while let token = file.token(position), token.kind == .word {
            if token.text == "import" || token.text == "extension" { return nil }
            if introducers.contains(token.text) {
                // `init(rawValue: …)` is called by its first label.
                let isNamed = file.token(position + 1)?.isSymbol("(") != true
                let name = file.token(isNamed ? position + 1 : position + 2)
                guard let name, name.kind == .word else { return token.text }
                return "\(token.text) \(name.text)"
            }
            position += 1
            // `private(set)`, `nonisolated(unsafe)`, `@available(…)`
            if file.token(position)?.isSymbol("(") == true { position = file.closing(position) + 1 }
        }
        return nil
    }

    /// Whether a doc comment ends right above, with nothing but attributes in between.
    private static func isDocumented(line: Int, in file: SourceFile) -> Bool {
        for text in file.lines[..<(line - 1)].reversed() {
            let text = text.drop { $0 == " " }
            if text.hasPrefix("///") { return true }
            if !text.hasPrefix("@") && !text.hasPrefix("//") { return false }
        }
        return false
    }
}
