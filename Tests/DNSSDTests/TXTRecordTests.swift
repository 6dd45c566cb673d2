import DNSMessages
import DNSSD
import Testing

@Suite("TXT records")
struct TXTRecordTests {
    private func record(_ strings: [String]) throws -> TXTRecord {
        TXTRecord(try #require(TextStrings(strings.map { Array($0.utf8) })))
    }

    @Test("S6-2 strings are framed without gaps, at most 255 bytes each")
    func framing() throws {
        let txt = try TXTRecord(parsing: ["a=1", "flag"])
        #expect(txt.textStrings.wireBytes == [3] + Array("a=1".utf8) + [4] + Array("flag".utf8))
        let longest = String(repeating: "v", count: 253)
        #expect(try TXTRecord(parsing: ["k=" + longest]).byteCount == 256)
        #expect(throws: TXTRecordError.attributeTooLong(key: "k", bytes: 256)) {
            try TXTRecord(parsing: ["k=v" + longest])
        }
        let many = (0..<36).map { "\($0)=" + String(repeating: "v", count: 250) }
        #expect(throws: TXTRecordError.tooLarge(bytes: 9134)) { try TXTRecord(parsing: many) }
    }

    @Test("S6-3 a record without attributes is one zero byte")
    func noZeroLength() throws {
        #expect(TXTRecord().textStrings.wireBytes == [0])
        #expect(try TXTRecord(parsing: []).textStrings.wireBytes == [0])
        var txt = try TXTRecord(parsing: ["a=1"])
        txt.remove("A")
        #expect(txt.textStrings.wireBytes == [0])
    }

    @Test("S6-4 no bytes, one zero byte and no record mean the same")
    func emptyForms() throws {
        let none = TXTRecord(try #require(TextStrings(wireBytes: [])))
        let zero = TXTRecord(try #require(TextStrings(wireBytes: [0])))
        #expect(none == zero)
        #expect(none == TXTRecord())
        #expect(none.attributes.isEmpty && none.isEmpty)
    }

    @Test("A-4 field 24: empty strings between good ones are skipped")
    func emptyStrings() throws {
        let txt = try record(["a=1", "", "b", ""])
        #expect(txt.attributes == [.init("a", .text("1")), .init("b", .none)])
        #expect(txt.strings.count == 2)
    }

    @Test("S6-5 sizes over 200 and 400 bytes are pointed out")
    func sizes() throws {
        func warned(_ strings: Int) throws -> [TXTRecordWarning] {
            let value = String(repeating: "v", count: 97)
            return try TXTRecord(parsing: (0..<strings).map { "k\($0)=\(value)" }).warnings()
        }
        #expect(try warned(1).isEmpty)
        #expect(try warned(2) == [.large(bytes: 202, over: 200)])
        #expect(try warned(4) == [.large(bytes: 404, over: 400)])
    }

    @Test("S6-6 over 1300 bytes is not recommended")
    func tooBig() throws {
        let value = String(repeating: "v", count: 250)
        let txt = try TXTRecord(parsing: (0..<6).map { "k\($0)=\(value)" })
        #expect(txt.warnings() == [.large(bytes: 6 * 254, over: 1300)])
    }

    @Test("S6-7 the key ends at the first equals sign")
    func firstEqualsSign() throws {
        #expect(try record(["a=b=c"])["a"] == .text("b=c"))
        #expect(try TXTRecord(parsing: ["a=b=c"])["a"] == .text("b=c"))
    }

    @Test("S6-8 unknown keys do no harm")
    func unknownKeys() throws {
        let txt = try record(["zz-unheard-of=1", "a=1"])
        #expect(txt["a"] == .text("1"))
    }

    @Test("S6-9 a value that repeats host or port is pointed out")
    func repeatsLocation() throws {
        let txt = try TXTRecord(parsing: ["port=8080", "h=box.local", "n=8080"])
        let warnings = txt.warnings(port: 8080, host: try DomainName("box.local"))
        #expect(warnings == [.repeatsLocation(key: "port"), .repeatsLocation(key: "h")])
    }

    @Test("S6-10 the empty key is refused")
    func emptyKey() {
        #expect(throws: TXTRecordError.emptyKey) { try TXTRecord(parsing: ["=x"]) }
        #expect(throws: TXTRecordError.emptyKey) { try TXTRecord([.init("", .none)]) }
    }

    @Test("S6-11 strings that begin with an equals sign are ignored")
    func missingKey() throws {
        let txt = try record(["a=1", "=x", "b=2"])
        #expect(txt.attributes.map(\.key) == ["a", "b"])
        #expect(txt[""] == nil)
    }

    @Test("S6-12 keys of over nine characters are pointed out")
    func longKeys() throws {
        #expect(try TXTRecord(parsing: ["ninechars"]).warnings().isEmpty)
        #expect(try TXTRecord(parsing: ["tenletters"]).warnings() == [.longKey("tenletters")])
    }

    @Test("S6-13 keys are printable ASCII without the equals sign", arguments: [0x1F, 0x7F, 0x00])
    func keyCharacters(byte: UInt8) throws {
        let key = "k" + String(Character(Unicode.Scalar(byte)))
        #expect(throws: TXTRecordError.badKeyCharacter(byte, key: key, position: 2)) {
            try TXTRecord([.init(key, .none)])
        }
        let received = TXTRecord(
            try #require(TextStrings([[0x6B, byte, 0x3D, 0x31], Array("ok=1".utf8)])))
        #expect(received.attributes.map(\.key) == ["ok"])
        #expect(received.strings.count == 2)
        #expect(throws: TXTRecordError.badKeyCharacter(0x3D, key: "a=b", position: 2)) {
            try TXTRecord([.init("a=b", .none)])
        }
        #expect(throws: TXTRecordError.badKeyCharacter(0xC3, key: "é", position: 1)) {
            try TXTRecord([.init("é", .none)])
        }
    }

    @Test("S6-14 spaces in a key count")
    func spacesInKeys() throws {
        let txt = try TXTRecord(parsing: [" a=1", "a=2", "a =3"])
        #expect(txt[" a"] == .text("1"))
        #expect(txt["a"] == .text("2"))
        #expect(txt["a "] == .text("3"))
    }

    @Test("S6-15 keys are compared without case")
    func keyCase() throws {
        let txt = try record(["PaperSize=A4"])
        #expect(txt["papersize"] == .text("A4"))
        #expect(txt.attributes.first?.key == "PaperSize")
    }

    @Test("S6-16 a string without an equals sign is present without value")
    func flags() throws {
        #expect(try record(["passreq"])["passreq"] == TXTRecord.Value.none)
    }

    @Test("S6-17 a repeated key is refused")
    func repeatedKeys() {
        #expect(throws: TXTRecordError.repeatedKey("A")) {
            try TXTRecord(parsing: ["a=1", "A=2"])
        }
    }

    @Test("S6-18 of repeated keys the first counts")
    func firstWins() throws {
        let txt = try record(["a=1", "A=2", "b", "b=3"])
        #expect(txt["a"] == .text("1"))
        #expect(txt["b"] == TXTRecord.Value.none)
        #expect(txt.attributes.count == 2)
    }

    @Test("S6-19 field 24: absent, no value, empty value and value are four things")
    func fourStates() throws {
        let txt = try record(["k", "e=", "v=1"])
        #expect(txt["missing"] == nil)
        #expect(txt["k"] == TXTRecord.Value.none)
        #expect(txt["e"] == .bytes([]))
        #expect(txt["v"] == .bytes([0x31]))
        #expect(Set([txt["missing"], txt["k"], txt["e"], txt["v"]]).count == 4)
    }

    @Test("S6-20 a value is any bytes")
    func binaryValues() throws {
        let value = (0...252).map { UInt8($0) }
        let txt = try TXTRecord([.init("b", .bytes(value))])
        let again = TXTRecord(try #require(TextStrings(wireBytes: txt.textStrings.wireBytes)))
        #expect(again["b"]?.bytes == value)
        #expect(again["b"]?.text == nil)
    }

    @Test("S6-21 quotation marks around a value are pointed out")
    func quotes() throws {
        let txt = try TXTRecord(parsing: ["q=\"x\"", "r=\""])
        #expect(txt.warnings() == [.quotedValue(key: "q")])
    }

    @Test("S6-22 quotes and spaces belong to the value")
    func valuesUntouched() throws {
        let txt = try TXTRecord(parsing: ["q=\" x \""])
        #expect(txt["q"]?.text == "\" x \"")
        #expect(txt.description == "\"q=\\\" x \\\"\"")
    }

    @Test("S6-25 txtvers comes first")
    func version() throws {
        #expect(try TXTRecord(parsing: ["txtvers=1", "a"]).warnings().isEmpty)
        #expect(try TXTRecord(parsing: ["a", "txtvers=1"]).warnings() == [.versionNotFirst])
    }

    @Test("S6-26 the version is there to be judged by the application")
    func versionExposed() throws {
        #expect(try record(["TxtVers=9", "a"])["txtvers"]?.text == "9")
    }

    @Test("setting keeps the order and the other attributes")
    func setting() throws {
        var txt = try TXTRecord(parsing: ["a=1", "b=2"])
        try txt.set("A", to: .text("9"))
        try txt.set("c", to: .none)
        #expect(txt.textStrings.strings == ["A=9", "b=2", "c"].map { Array($0.utf8) })
        let before = txt
        #expect(throws: TXTRecordError.emptyKey) { try txt.set("", to: .none) }
        #expect(txt == before)
    }
}
