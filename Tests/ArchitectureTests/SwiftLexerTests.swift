import Testing

@Suite struct SwiftLexerTests {
    private func texts(_ source: String) -> [String] { SwiftLexer.tokens(of: source).map(\.text) }

    @Test func commentsAreNoTokens() {
        #expect(texts("a // async\n/* b /* c */ d */ e") == ["a", "e"])
    }

    @Test func literalsAreOneToken() {
        let tokens = SwiftLexer.tokens(of: #"let a = "try! \" // b" + c"#)
        #expect(tokens.map(\.text) == ["let", "a", "=", #"try! \" // b"#, "+", "c"])
        #expect(tokens[3].kind == .literal)
    }

    @Test func codeInInterpolationsIsCode() {
        #expect(texts(#""a\(b(c))d" e"#) == ["ad", "(", "b", "(", "c", ")", ")", "e"])
        #expect(texts(##"#"a\(b)\#(c)"# d"##) == [#"a\(b)"#, "(", "c", ")", "d"])
    }

    @Test func linesAreCountedInsideLiteralsAndComments() {
        let tokens = SwiftLexer.tokens(of: "\"\"\"\n  a \"quoted\"\n  \"\"\"\n/*\n*/ b\nc")
        #expect(tokens.map(\.line) == [1, 5, 6])
        #expect(tokens.map(\.isFirstOnLine) == [true, true, true])
    }

    @Test func attributesDirectivesAndQuotedNamesAreWords() {
        #expect(texts("@inlinable #if `class` $0") == ["@inlinable", "#if", "`class`", "$0"])
    }

    @Test func separationIsSeen() {
        #expect(
            SwiftLexer.tokens(of: "a! = !b").map(\.isSeparated) == [true, false, true, true, false])
    }

    @Test(arguments: ["\"abc", "/* abc", "\"\\", "\"\\(a", "`a", "#", "\"\"\"\nabc"])
    func unfinishedTextEnds(_ source: String) {
        #expect(SwiftLexer.tokens(of: source).allSatisfy { $0.line <= 2 })
    }
}
