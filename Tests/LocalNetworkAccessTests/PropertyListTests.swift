import Testing

@testable import LocalNetworkAccess

@Suite("Property lists in XML")
struct PropertyListTests {
    private func read(_ text: String) throws -> PropertyListValue {
        try PropertyList.read(Array(text.utf8))
    }

    private func failure(_ bytes: [UInt8]) -> PropertyListError? {
        do throws(PropertyListError) {
            _ = try PropertyList.read(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func failure(_ text: String) -> PropertyListError? { failure(Array(text.utf8)) }

    private let sample = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <!-- made by hand -->
        <plist version="1.0">
        <dict>
            <key>a&amp;b</key>
            <string>&lt;x&#x41;&#66;é<![CDATA[<&]]></string>
            <key>n</key>
            <integer>-12</integer>
            <key>r</key><real>1.5</real>
            <key>t</key><true/>
            <key>d</key><date>2026-12-03T04:00:00Z</date>
            <key>b</key><data>
                aGVs
                bG8=
            </data>
            <key>l</key><array><string/><dict/></array>
        </dict>
        </plist>

        """

    @Test("all values are read, with their positions")
    func values() throws {
        guard case .dictionary(let entries) = try read(sample).content else {
            Issue.record("no dictionary")
            return
        }
        #expect(entries.map(\.key) == ["a&b", "n", "r", "t", "d", "b", "l"])
        #expect(entries[0].position == SourcePosition(line: 6, column: 5))
        #expect(entries[0].value.position == SourcePosition(line: 7, column: 5))
        #expect(entries[0].value.content == .string("<xABé<&"))
        #expect(entries[1].value.content == .integer(-12))
        #expect(entries[2].value.content == .real(1.5))
        #expect(entries[2].value.position == SourcePosition(line: 10, column: 17))
        #expect(entries[3].value.content == .boolean(true))
        #expect(entries[4].value.content == .date("2026-12-03T04:00:00Z"))
        #expect(entries[5].value.content == .data(Array("hello".utf8)))
        guard case .array(let list) = entries[6].value.content else {
            Issue.record("no array")
            return
        }
        #expect(list.map(\.content) == [.string(""), .dictionary([])])
    }

    @Test("a byte order mark changes nothing")
    func mark() throws {
        #expect(try PropertyList.read([0xEF, 0xBB, 0xBF] + Array(sample.utf8)) == read(sample))
    }

    @Test("a list cut at any byte is an error inside the file")
    func cut() {
        let bytes = Array(sample.utf8)
        let lines = sample.split(separator: "\n", omittingEmptySubsequences: false).count
        for length in 0..<(bytes.count - 1) {
            let error = failure(Array(bytes[..<length]))
            #expect(error != nil, "cut at \(length)")
            #expect((1...lines).contains(error?.position.line ?? 0), "cut at \(length)")
        }
        #expect(failure(Array(bytes.dropLast())) == nil)
    }

    @Test("entities that are declared, nested or external are refused, not expanded")
    func entities() {
        let bomb = """
            <?xml version="1.0"?>
            <!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <plist><string>&b;</string></plist>
            """
        #expect(failure(bomb)?.code == .internalSubset)
        #expect(failure(bomb)?.position == SourcePosition(line: 2, column: 17))
        let unknown = failure("<plist><string>ab&b;</string></plist>")
        #expect(unknown?.code == .entity)
        #expect(unknown?.position == SourcePosition(line: 1, column: 18))
        #expect(failure("<plist><string>a & b</string></plist>")?.fix == "write '&amp;'")
        #expect(failure("<plist><string>&#0;</string></plist>")?.code == .entity)
        #expect(failure("<plist><string>&#xD800;</string></plist>")?.code == .entity)
        #expect(failure("<plist><string>&#99999999999;</string></plist>")?.code == .entity)
    }

    @Test("nesting is bounded at the limit, and no stack is lost beyond it")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            "<plist>" + String(repeating: "<array>", count: depth)
                + String(repeating: "</array>", count: depth) + "</plist>"
        }
        #expect(failure(nested(PropertyList.maximumDepth)) == nil)
        #expect(failure(nested(PropertyList.maximumDepth + 1))?.code == .tooDeep)
        #expect(failure(nested(200_000))?.code == .tooDeep)
    }

    @Test("elements and bytes are bounded")
    func size() {
        let many = String(repeating: "<true/>", count: PropertyList.maximumElements)
        #expect(failure("<plist><array>\(many)</array></plist>")?.code == .tooManyElements)
        let large = [UInt8](repeating: 0x20, count: PropertyList.maximumBytes + 1)
        #expect(failure(large)?.code == .tooLarge)
        #expect(failure(large)?.what.contains("\(PropertyList.maximumBytes)") == true)
    }

    @Test("other encodings and the binary form are named, with the command")
    func encodings() {
        #expect(failure("bplist00\u{1}")?.fix.contains("plutil -convert xml1") == true)
        for (mark, isBig) in [([0xFE, 0xFF], true), ([0xFF, 0xFE], false)] as [([UInt8], Bool)] {
            let units = Array(sample.utf16).flatMap { unit -> [UInt8] in
                let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isBig ? pair : pair.reversed()
            }
            for bytes in [mark + units, units] {
                #expect(failure(bytes)?.code == .encoding)
                #expect(failure(bytes)?.fix.contains("iconv") == true)
            }
        }
        let latin = Array("<plist>\n<string>B".utf8) + [0xFC] + Array("ro</string></plist>".utf8)
        #expect(failure(latin)?.position == SourcePosition(line: 2, column: 10))
        #expect(
            failure("<?xml version='1.0' encoding='ISO-8859-1'?><plist><true/></plist>")?.code
                == .encoding)
        #expect(failure("<plist><string>\u{1}</string></plist>")?.code == .encoding)
        #expect(failure("")?.code == .empty)
    }

    @Test(
        "what is no property list is a syntax error",
        arguments: [
            "<plist/>", "<plist></plist>", "<dict/>", "<plist><dict><key>a</key></dict></plist>",
            "<plist><dict><string>a</string></dict></plist>", "<plist><array></dict></plist>",
            "<plist><true>x</true></plist>", "<plist><foo/></plist>",
            "<plist><true/><true/></plist>",
            "<plist><true/></plist>x", "<plist><string a='b'/></plist>",
            "<plist a=b><true/></plist>",
            "x<plist><true/></plist>", "<plist><!-- <true/></plist>", "{ a = b; }",
            "<plist><string><b>x</b></string></plist>",
        ])
    func syntax(text: String) {
        #expect(failure(text)?.code == .syntax)
    }

    @Test(
        "text that is no value of its type is told",
        arguments: [
            "<integer>1x</integer>", "<integer/>", "<integer>99999999999999999999</integer>",
            "<real>a</real>", "<date>yesterday</date>", "<data>a</data>", "<data>a=bc</data>",
        ])
    func scalars(text: String) {
        #expect(failure("<plist>\(text)</plist>")?.code == .value)
    }
}
