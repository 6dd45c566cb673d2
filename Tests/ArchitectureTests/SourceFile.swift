/// A Swift file of the project: where it lies, its lines and its tokens.
struct SourceFile {
    /// From the top of the project, as `Sources/DNSMessages/Label.swift`.
    let path: String
    let lines: [Substring]
    let tokens: [SwiftToken]

    init(path: String, text: String) {
        self.path = path
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
        tokens = SwiftLexer.tokens(of: text)
    }

    private var parts: [Substring] { path.split(separator: "/") }

    var isSource: Bool { parts.first == "Sources" }
    var isTest: Bool { parts.first == "Tests" }

    /// The folder under `Sources` or `Tests`: the name of the target.
    var target: String { parts.count > 2 ? String(parts[1]) : "" }

    var fileName: String { String(parts.last ?? "") }

    /// The token at an index, where there is one.
    func token(_ index: Int) -> SwiftToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    /// The index of the bracket that closes the one at `index`; the last token if none does.
    func closing(_ index: Int) -> Int {
        let pairs = ["(": ")", "[": "]", "{": "}"]
        guard tokens[index].kind == .symbol, let close = pairs[tokens[index].text] else {
            return index
        }
        let open = tokens[index].text
        var depth = 0
        for position in index..<tokens.count where tokens[position].kind == .symbol {
            if tokens[position].text == open { depth += 1 }
            if tokens[position].text == close {
                depth -= 1
                if depth == 0 { return position }
            }
        }
        return tokens.count - 1
    }

    func finding(_ rule: Rule, at line: Int, _ what: String) -> Finding {
        Finding(path: path, line: line, what: what, rule: rule)
    }
}
