/// A fixture that no test names would rot unseen.
enum FixtureRule {
    /// - Parameters:
    ///   - fixtures: Paths under `Fixtures/`.
    ///   - tests: The test sources.
    /// - Returns: A finding for each fixture that no literal of a test names: by its path or the
    ///   end of it, with or without its extension, or by a folder that holds it.
    static func findings(fixtures: [String], tests: [SourceFile]) -> [Finding] {
        var named: Set<String> = []
        for token in tests.flatMap(\.tokens) where token.kind == .literal && !token.text.isEmpty {
            named.insert(trimmed(token.text))
        }
        return fixtures.filter { $0 != "README.md" && names(for: $0).isDisjoint(with: named) }.map {
            Finding(
                path: "Fixtures/\($0)", line: 1, what: "no test names this file", rule: .fixtures)
        }
    }

    private static func trimmed(_ literal: String) -> String {
        var text = literal[...]
        for prefix in ["../Fixtures/", "Fixtures/"] where text.hasPrefix(prefix) {
            text = text.dropFirst(prefix.count)
        }
        while text.hasSuffix("/") { text = text.dropLast() }
        return String(text)
    }

    /// Every literal that would name the file.
    private static func names(for path: String) -> Set<String> {
        let parts = path.split(separator: "/")
        var names: Set<String> = []
        for start in parts.indices {
            for end in parts.indices where end >= start {
                let isFile = end == parts.count - 1
                // A folder counts by its whole path only, a file by any end of its path.
                guard isFile || start == 0 else { continue }
                let name = parts[start...end].joined(separator: "/")
                names.insert(name)
                if isFile, let dot = name.lastIndex(of: "."), dot != name.startIndex {
                    names.insert(String(name[..<dot]))
                }
            }
        }
        return names
    }
}
