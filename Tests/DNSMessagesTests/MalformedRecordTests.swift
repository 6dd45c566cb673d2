import DNSMessages
import NetworkPrimitives
import Testing

/// Rows D-12 to D-15, D-17 to D-19, D-26 and D-27 of the rules for refusing: single records.
@Suite struct MalformedRecordTests {
    /// Expects that a record is lost between two that are kept.
    private func expectSkip(
        _ record: String, _ reason: SkippedItem.Reason,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectDecoding(
            responseHeader(0, 3) + goodRecord("1before") + wire(record) + goodRecord("2behind"),
            keeps: ["1before.x", "2behind.x"], skips: [Skip(.answer, 1, reason)],
            sourceLocation: sourceLocation)
    }

    /// Expects that a record is kept between two others.
    private func expectKept(
        _ record: String, _ data: RecordData, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let decoded = try Message.decode(
            responseHeader(0, 3) + goodRecord("1before") + wire(record) + goodRecord("2behind"))
        #expect(decoded.skipped.isEmpty, sourceLocation: sourceLocation)
        #expect(decoded.message.answers[1].data == data, sourceLocation: sourceLocation)
    }

    @Test(
        "D-12 an A whose RDLENGTH is not 4",
        arguments: [
            "0000", "0003 C00002", "0005 C000020100", "0010 FE800000000000000000000000000001",
        ])
    func a(data: String) throws {
        try expectSkip("00 0001 0001 00000078" + data, .dataLength)
    }

    @Test("D-12 an A of eleven bytes, as a door camera sends it")
    func longA() throws {
        try expectSkip("00 0001 8001 00000078 000B C0000201 00000000000000", .dataLength)
    }

    @Test(
        "D-12 an AAAA whose RDLENGTH is not 16",
        arguments: ["0000", "0004 C0000201", "000F FE8000000000000000000000000000"])
    func aaaa(data: String) throws {
        try expectSkip("00 001C 0001 00000078" + data, .dataLength)
    }

    @Test("D-13 an SRV under 7 bytes", arguments: ["0000", "0006 000000000050", "0001 00"])
    func shortSRV(data: String) throws {
        try expectSkip("00 0021 0001 00000078" + data, .dataLength)
    }

    @Test(
        "D-13 left-over bytes behind the name of a PTR, CNAME, NS, DNAME or SRV",
        arguments: [
            "000C 0001 00000078 0004 016100 00", "0005 0001 00000078 0003 C00C 00",
            "0002 0001 00000078 0004 016100 00", "0027 0001 00000078 0002 0000",
            "0021 0001 00000078 0008 000000000050 0000",
        ])
    func leftOver(record: String) throws {
        try expectSkip("00" + record, .dataLeftOver)
    }

    @Test("D-13 other types with a name in them, too short or too long")
    func layouts() throws {
        try expectSkip("00 000F 0001 00000078 0001 00", .dataLength)  // MX
        try expectSkip("00 000F 0001 00000078 0002 0000", .nameLeavesData)
        try expectSkip("00 000F 0001 00000078 0005 0000 C00C 00", .dataLeftOver)
        try expectSkip("00 0006 0001 00000078 0004 C00C C00C", .dataLength)  // SOA
        try expectSkip("00 0023 0001 00000078 0006 0000 0000 05 61", .stringCut)  // NAPTR
        try expectSkip("00 000F 0001 00000078 0004 0000 C0FF", .pointerNotBackwards)
    }

    @Test(
        "D-14 a TXT whose last string runs past RDLENGTH",
        arguments: ["0001 01", "0003 0361 62", "0004 0161 0262", "0005 FF 61626364"])
    func text(data: String) throws {
        try expectSkip("00 0010 0001 00000078" + data, .stringCut)
    }

    @Test("D-14 a TXT without any length byte")
    func unframedText() throws {
        try expectSkip("00 0010 0001 00000078 0007 'version'", .stringCut)
    }

    @Test(
        "D-14 HINFO strings likewise",
        arguments: [("0001 00", false), ("0003 01 61 01", false), ("0004 01 61 00 00", true)])
    func hostInformation(data: String, leftOver: Bool) throws {
        try expectSkip(
            "00 000D 0001 00000078" + data, leftOver ? .dataLeftOver : .stringCut)
    }

    @Test(
        "D-15 an NSEC bitmap that is not well formed",
        arguments: [
            "0002 C00C",  // no block
            "0003 C00C 00",  // half a block header
            "0004 C00C 00 00",  // an empty block
            "0005 C00C 00 02 40",  // a block cut short
            "0008 C00C 01 01 40 00 01 40",  // blocks out of order
            "0008 C00C 00 01 40 00 01 40",  // a block twice
            "0006 C00C 00 01 40 00",  // half a second block
        ])
    func bitmap(data: String) throws {
        try expectSkip("C00C 002F 8001 00000078" + data, .typeBitmap)
    }

    @Test("D-15 an NSEC block of more than 32 bytes")
    func longBlock() throws {
        try expectSkip(
            "C00C 002F 8001 00000078 0025 C00C 00 21 " + String(repeating: "01", count: 33),
            .typeBitmap)
    }

    @Test(
        "D-17 types that can only be asked for, and type 0",
        arguments: ["0000", "00FF", "00FC", "00FB", "00FE", "00FD"])
    func queryTypes(type: String) throws {
        try expectSkip("00" + type + "0001 00000078 0004 C0000201", .queryType)
    }

    @Test(
        "D-18 a class other than IN is never read as IN",
        arguments: ["0000", "0002", "0003", "0004", "00FE", "8003", "7FFF", "0101"])
    func classes(recordClass: String) throws {
        try expectSkip("00 0001" + recordClass + "00000078 0004 C0000201", .recordClass)
    }

    @Test("D-19 class ANY in a record", arguments: ["00FF", "80FF"])
    func classAny(recordClass: String) throws {
        try expectSkip("00 0001" + recordClass + "00000078 0004 C0000201", .recordClass)
    }

    @Test("D-19 a time to live with its top bit set", arguments: ["80000000", "FFFFFFFF"])
    func timeToLive(seconds: String) throws {
        try expectSkip("00 0001 0001" + seconds + "0004 C0000201", .timeToLive)
    }

    @Test("D-19 the longest time to live is kept")
    func longestTimeToLive() throws {
        try expectKept("00 0001 0001 7FFFFFFF 0004 C0000201", .a(IPv4Address(192, 0, 2, 1)))
    }

    @Test("D-26 labels that are not UTF-8 are kept as bytes")
    func notUTF8() throws {
        let decoded = try Message.decode(
            responseHeader(0, 1) + wire("03 FF C3 28 00 000C 0001 00000078 0004 02 C0AF 00"))
        let record = try #require(decoded.message.answers.first)
        #expect(record.name.labels.map(\.bytes) == [[0xFF, 0xC3, 0x28]])
        #expect(record.name.description == #"\255\195("#)
        guard case .ptr(let target) = record.data else {
            Issue.record("no PTR")
            return
        }
        #expect(target.wireBytes == [2, 0xC0, 0xAF])
        #expect(try Message.decode(decoded.message.encoded()).message == decoded.message)
    }

    @Test("D-27 zero bytes, control characters, dots and backslashes in labels are kept")
    func strangeBytes() throws {
        let label: [UInt8] = [0x61, 0, 0x2E, 0x5C, 0x1B, 0x7F, 0x0A, 0x62]
        let decoded = try Message.decode(
            responseHeader(0, 1) + [8] + label + wire("00 0001 0001 00000078 0004 C0000201"))
        let record = try #require(decoded.message.answers.first)
        #expect(record.name.labels.map(\.bytes) == [label])
        #expect(record.name.description == #"a\000\.\\\027\127\010b"#)
        #expect(try DomainName(record.name.description) == record.name)
        #expect(try Message.decode(decoded.message.encoded()).message == decoded.message)
    }
}
