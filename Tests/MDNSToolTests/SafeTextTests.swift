import Testing

@testable import MDNSTool

@Suite("Text that is safe on a terminal")
struct SafeTextTests {
    @Test(
        "Controls and direction marks are spelled out, all else stays",
        arguments: [
            ("Küche ☕️ 台所", "Küche ☕️ 台所"),
            ("a\u{1B}[31mred", "a\\u{1b}[31mred"),
            ("bell\u{7}\n\u{7F}", "bell\\u{7}\\u{a}\\u{7f}"),
            ("\u{9B}2J", "\\u{9b}2J"),
            ("x\u{202E}gnp.exe", "x\\u{202e}gnp.exe"),
            ("👨‍👩‍👧", "👨‍👩‍👧"),
        ])
    func text(input: String, expected: String) {
        #expect(SafeText.escaped(input) == expected)
    }

    @Test(
        "S6-23 bytes that are no printable UTF-8 are shown in hexadecimal",
        arguments: [
            ([0x61, 0x3D, 0xC3, 0xA9], "a=é"),
            ([0x00, 0xFF, 0x41], "\\x00\\xffA"),
            ([0x5C, 0x78], "\\\\x"),
            ([0xC2, 0x9B, 0xE2, 0x80], "\\xc2\\x9b\\xe2\\x80"),
            ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
            ([], ""),
        ] as [([UInt8], String)])
    func bytes(input: [UInt8], expected: String) {
        #expect(SafeText.escaped(input) == expected)
    }

    @Test("No byte string can smuggle a control character out")
    func everyPair() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let text = SafeText.escaped([first, second])
                for scalar in text.unicodeScalars {
                    #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
                }
            }
        }
    }

    @Test("Widths", arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("台所", 4), ("", 0)])
    func width(text: String, columns: Int) {
        #expect(SafeText.width(text) == columns)
    }
}
