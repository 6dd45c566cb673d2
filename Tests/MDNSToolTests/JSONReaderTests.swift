import Testing

@testable import MDNSTool

@Suite("JSON that is read")
struct JSONReaderTests {
    private func value(_ text: String) throws(JSONError) -> JSONInput {
        try JSONReader.value(of: Array(text.utf8))
    }

    private func error(_ bytes: [UInt8]) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONReader.value(of: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("Values of every kind")
    func values() throws {
        let text = #" {"a": [1, -2.5e+3, true, false, null], "b": {"c": "ü\n\u00e9\uD83D\ude00"}} "#
        #expect(
            try value(text)
                == .object([
                    .init(
                        key: "a",
                        value: .array([
                            .number("1"), .number("-2.5e+3"), .boolean(true), .boolean(false),
                            .null,
                        ])),
                    .init(
                        key: "b",
                        value: .object([.init(key: "c", value: .string("ü\né😀"))])),
                ]))
        #expect(try value("[]") == .array([]))
        #expect(try value("{}") == .object([]))
        #expect(try value(#""\"\\\/\b\f\t""#) == .string("\"\\/\u{8}\u{C}\t"))
    }

    @Test(
        "What is no JSON is refused where it stops being some",
        arguments: [
            ("", 1), ("{", 2), (#"{"a""#, 5), (#"{"a":}"#, 6), (#"{"a":1"#, 7), (#"{"a":1,}"#, 8),
            (#"{"a":1,"a":2}"#, 8), ("[1 2]", 4), ("[1", 3), ("1 2", 3), ("01", 2), ("-", 2),
            ("1.", 3), ("1e", 3), ("tru", 1), ("\"a", 3), (#""\x""#, 3), (#""\u12g4""#, 4),
            (#""\ud800""#, 8), (#""\ud800\u0041""#, 14), (#""\udc00""#, 8), ("\"\t\"", 2),
            ("{a:1}", 2), ("+1", 1), ("NaN", 1), ("\u{FEFF}{}", 1),
        ])
    func faults(_ text: String, _ column: Int) {
        #expect(error(Array(text.utf8))?.column == column, "\(text)")
    }

    @Test("Text that is not UTF-8 is refused")
    func encoding() {
        #expect(error([0x22, 0xFF, 0x22])?.reason == "the text is not UTF-8")
        #expect(error([0x22, 0xC3, 0x22])?.column == 2)
    }

    @Test("Depth is bounded, so that no text can use up the stack")
    func depth() throws {
        let open = String(repeating: "[", count: 16)
        let close = String(repeating: "]", count: 16)
        #expect(error(Array((open + close).utf8)) == nil)
        #expect(error(Array("[\(open)\(close)]".utf8))?.column == 17)
        #expect(error(Array(repeating: UInt8(ascii: "["), count: 1_000_000))?.column == 17)
    }

    @Test("Cut at every byte it is refused, not misread")
    func cuts() {
        let whole = Array(#"{"a":[1,"\u00e9",null,{"b":true}]}"#.utf8)
        #expect(error(whole) == nil)
        for length in whole.indices { #expect(error(Array(whole[..<length])) != nil) }
    }
}
