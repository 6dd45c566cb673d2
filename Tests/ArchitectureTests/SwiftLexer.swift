/// Cuts Swift source into tokens, so that no rule mistakes a comment or a text for code.
///
/// Knows what the rules need and no more: comments (nested ones too), string literals of all
/// kinds with their interpolations, words and single characters.
struct SwiftLexer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var isSeparated = true
    private var isFirstOnLine = true
    private var tokens: [SwiftToken] = []

    private init(_ text: String) { bytes = Array(text.utf8) }

    static func tokens(of text: String) -> [SwiftToken] {
        var lexer = SwiftLexer(text)
        lexer.readCode(isInterpolation: false)
        return lexer.tokens
    }

    private func byte(_ offset: Int) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private func isAt(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        byte(0) == UInt8(ascii: first) && byte(1) == UInt8(ascii: second)
    }

    private func isAtThreeQuotes() -> Bool {
        isAt("\"", "\"") && byte(2) == UInt8(ascii: "\"")
    }

    private mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while position < bytes.count {
            let next = bytes[position]
            if next == UInt8(ascii: "\n") {
                passNewline()
            } else if next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") {
                position += 1
                isSeparated = true
            } else if isAt("/", "/") {
                passLineComment()
            } else if isAt("/", "*") {
                passBlockComment()
            } else if let hashes = hashesBeforeQuote() {
                readString(hashes: hashes)
            } else if startsWord(next) {
                readWord()
            } else {
                if next == UInt8(ascii: "(") { depth += 1 }
                if next == UInt8(ascii: ")") {
                    depth -= 1
                    if isInterpolation && depth == 0 { return append(.symbol, ")", length: 1) }
                }
                append(.symbol, String(UnicodeScalar(next)), length: 1)
            }
        }
    }

    private mutating func passNewline() {
        position += 1
        line += 1
        isSeparated = true
        isFirstOnLine = true
    }

    private mutating func passLineComment() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        isSeparated = true
    }

    private mutating func passBlockComment() {
        var depth = 0
        repeat {
            if isAt("/", "*") {
                depth += 1
                position += 2
            } else if isAt("*", "/") {
                depth -= 1
                position += 2
            } else {
                if bytes[position] == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        } while depth > 0 && position < bytes.count
        isSeparated = true
    }

    private mutating func append(_ kind: SwiftToken.Kind, _ text: String, length: Int) {
        tokens.append(
            SwiftToken(
                kind: kind, text: text, line: line, isSeparated: isSeparated,
                isFirstOnLine: isFirstOnLine))
        position += length
        isSeparated = false
        isFirstOnLine = false
    }

    // MARK: Words

    private func continuesWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private func startsWord(_ next: UInt8) -> Bool {
        switch next {
        case UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "$"): continuesWord(byte(1))
        case UInt8(ascii: "`"): true
        default: continuesWord(next)
        }
    }

    private mutating func readWord() {
        var length = 1
        if byte(0) == UInt8(ascii: "`") {
            while position + length < bytes.count, byte(length) != UInt8(ascii: "`") { length += 1 }
            length += 1
        } else {
            while continuesWord(byte(length)) { length += 1 }
        }
        let end = min(position + length, bytes.count)
        append(
            .word, String(decoding: bytes[position..<end], as: UTF8.self), length: end - position)
    }

    // MARK: String literals

    /// How many `#` stand before the quotation mark here; nil where no literal begins.
    private func hashesBeforeQuote() -> Int? {
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        return byte(hashes) == UInt8(ascii: "\"") ? hashes : nil
    }

    private func hasHashes(_ count: Int, at offset: Int) -> Bool {
        (0..<count).allSatisfy { byte(offset + $0) == UInt8(ascii: "#") }
    }

    private mutating func readString(hashes: Int) {
        position += hashes
        let quotes = isAtThreeQuotes() ? 3 : 1
        position += quotes
        let index = tokens.count
        append(.literal, "", length: 0)
        var text: [UInt8] = []
        while position < bytes.count {
            let next = bytes[position]
            if next == UInt8(ascii: "\""), quotes == 1 || isAtThreeQuotes(),
                hasHashes(hashes, at: quotes)
            {
                position += quotes + hashes
                break
            }
            if next == UInt8(ascii: "\\"), hasHashes(hashes, at: 1) {
                position += 1 + hashes
                if byte(0) == UInt8(ascii: "(") {
                    readCode(isInterpolation: true)
                    continue
                }
                text.append(next)
            }
            guard position < bytes.count else { break }
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            text.append(bytes[position])
            position += 1
        }
        tokens[index].text = String(decoding: text, as: UTF8.self)
        isSeparated = false
    }
}
