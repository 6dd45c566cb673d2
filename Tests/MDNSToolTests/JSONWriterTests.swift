import TestSupport
import Testing

@testable import MDNSTool

@Suite struct JSONWriterTests {
    @Test("Objects and arrays within each other, commas where they belong")
    func structure() {
        var json = JSONWriter()
        json.beginObject()
        json.member("a", 1)
        json.key("b")
        json.beginArray()
        json.integer(-2)
        json.null()
        json.beginObject()
        json.endObject()
        json.beginArray()
        json.endArray()
        json.boolean(true)
        json.endArray()
        json.member("c", false)
        json.member("d", "text")
        json.endObject()
        json.endLine()
        json.beginArray()
        json.number(text: "1.500")
        json.endArray()
        #expect(
            String(decoding: json.bytes, as: UTF8.self) == """
                {"a":1,"b":[-2,null,{},[],true],"c":false,"d":"text"}
                [1.500]
                """)
    }

    @Test(
        "What a terminal would act on is escaped, all else is as it is",
        arguments: [
            ("plain", #""plain""#), ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#),
            ("line\nend\r\t\u{0}", #""line\nend\u000d\u0009\u0000""#),
            ("\u{1B}[31m\u{7F}\u{9B}", #""\u001b[31m\u007f\u009b""#),
            ("Küche 客厅 🖨", #""Küche 客厅 🖨""#), ("\u{202E}gpj", #""\u202egpj""#),
            ("\u{E0041}", #""\udb40\udc41""#), ("\u{FEFF}", #""\ufeff""#),
        ])
    func escapes(text: String, expected: String) {
        var json = JSONWriter()
        json.string(text)
        #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
        #expect(JSONValue(json.bytes) == .string(text))
    }

    @Test("Every scalar of the first plane and some beyond come back as they were")
    func roundTrip() {
        for value in Array(UInt32(0)...0x3000) + Array(UInt32(0xE000)...0x10100) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a" + String(Character(scalar)) + "b"
            var json = JSONWriter()
            json.string(text)
            guard case .string(let back) = JSONValue(json.bytes) else {
                Issue.record("U+\(String(value, radix: 16)) is not read")
                continue
            }
            #expect(Array(back.unicodeScalars) == Array(text.unicodeScalars))
        }
    }
}
