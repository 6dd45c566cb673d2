enum NameRules {
    private static let banned: Set = [
        "Manager", "Helper", "Helpers", "Handler", "Util", "Utils", "Utility", "Utilities", "Base",
        "Impl",
    ]

    private static let introducers: Set = [
        "struct", "enum", "class", "actor", "protocol", "typealias",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        for (index, token) in file.tokens.enumerated() {
            guard token.kind == .word, introducers.contains(token.text),
                let name = file.token(index + 1), name.kind == .word
            else { continue }
            if let word = words(of: name.text).first(where: banned.contains) {
                findings.append(
                    file.finding(.names, at: name.line, "\(name.text) is called \(word)"))
            }
        }
        return findings
    }

    /// `InterfaceSocketImpl` is Interface, Socket, Impl.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        for character in name {
            if character.isUppercase || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }
}

enum UnfinishedRule {
    private static let phrases = [
        "todo", "fixme", "xxx", "hack", "placeholder", "for now", "simplified", "not implemented",
        "unimplemented",
    ]

    /// Words that admit that something is missing, in sources and their comments.
    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isSource else { return [] }
        return file.lines.enumerated().flatMap { index, line -> [Finding] in
            let words = line.lowercased().split { !$0.isLetter }.joined(separator: " ")
            return phrases.filter { " \(words) ".contains(" \($0) ") }.map {
                file.finding(.unfinished, at: index + 1, "“\($0)”")
            }
        }
    }
}
