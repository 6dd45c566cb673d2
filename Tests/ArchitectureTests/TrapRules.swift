enum TrapRules {
    /// Traps in sources, sleep in tests.
    static func findings(in file: SourceFile) -> [Finding] {
        file.isSource ? trapFindings(in: file) : sleepFindings(in: file)
    }

    private static func trapFindings(in file: SourceFile) -> [Finding] {
        file.tokens.indices.compactMap { index in
            let token = file.tokens[index]
            if token.isWord("fatalError"), file.token(index + 1)?.isSymbol("(") == true {
                return file.finding(.traps, at: token.line, "fatalError")
            }
            guard token.isSymbol("!"), !token.isSeparated, index > 0 else { return nil }
            let before = file.tokens[index - 1]
            if before.isWord("try") || before.isWord("as") {
                return file.finding(.traps, at: token.line, "\(before.text)!")
            }
            return isForced(at: index, in: file)
                ? file.finding(.traps, at: token.line, "\(before.text)! is forced") : nil
        }
    }

    /// `a!`, `f()!`, `a[0]!`, `T!`, but not `a != b`, `a!=b` or `(!a)`.
    private static func isForced(at index: Int, in file: SourceFile) -> Bool {
        if let next = file.token(index + 1), next.isSymbol("="), !next.isSeparated { return false }
        let before = file.tokens[index - 1]
        switch before.kind {
        case .word: return !before.text.hasPrefix("#")
        case .literal: return true
        case .symbol: return [")", "]", "}", ">", "?", "!"].contains(before.text)
        }
    }

    private static func sleepFindings(in file: SourceFile) -> [Finding] {
        file.tokens.indices.compactMap { index in
            let token = file.tokens[index]
            guard token.kind == .word, ["sleep", "usleep", "nanosleep"].contains(token.text),
                file.token(index + 1)?.isSymbol("(") == true, isOurs(at: index, in: file)
            else { return nil }
            return file.finding(.sleeping, at: token.line, token.text)
        }
    }

    /// Whether it is this process that sleeps: `Task.sleep`, a clock's, a plain call; not a
    /// host of a virtual network.
    private static func isOurs(at index: Int, in file: SourceFile) -> Bool {
        guard index > 1, file.tokens[index - 1].isSymbol(".") else { return true }
        let owner = file.tokens[index - 2].text.lowercased()
        return owner == "task" || owner == ")" || owner.hasSuffix("clock")
    }
}
