/// A piece of Swift source, without its comments.
struct SwiftToken: Equatable {
    enum Kind {
        /// A name, keyword, number, attribute (`@inlinable`) or directive (`#if`).
        case word
        /// A single character of punctuation.
        case symbol
        /// The text of a string literal; code in its interpolations follows as tokens.
        case literal
    }

    var kind: Kind
    var text: String
    var line: Int
    /// Whether white space, a comment or the start of the file stands before it.
    var isSeparated: Bool
    var isFirstOnLine: Bool

    func isWord(_ word: String) -> Bool { kind == .word && text == word }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }
}
