import DNSMessages
import NetworkPrimitives
import Testing

/// Rows M18-34 to M18-43 and R1035-2 to R1035-7: names on the wire.
@Suite struct NameCompressionTests {
    private func message(_ records: [ResourceRecord], limit: Int = 1472) throws -> [UInt8] {
        try Message(header: .response, answers: records).encoded(limit: limit)
    }
    private func record(_ owner: String, _ data: RecordData) -> ResourceRecord {
        ResourceRecord(name(owner), data, timeToLive: .host)
    }
    private func raw(_ type: UInt16, _ bytes: String) -> RecordData {
        .unknown(RecordType(rawValue: type), wire(bytes))
    }

    @Test("M18-34 owner names are compressed as far as they go")
    func owners() throws {
        let bytes = try message([
            record("a.b.local", .a(.loopback)), record("c.b.local", .a(.loopback)),
            record("a.b.local", .a(.loopback)), record("local", .a(.loopback)),
        ])
        let data = "0001 0001 00000078 0004 7F000001"
        #expect(
            bytes == responseHeader(0, 4)
                + wire("\"a.b.local\"" + data + "0163 C00E" + data + "C00C" + data + "C010" + data))
    }

    @Test("M18-35 questions are compressed as well")
    func questions() throws {
        let query = Message(questions: [
            Question(name("_x._tcp.local"), .ptr), Question(name("_y._tcp.local"), .ptr),
            Question(name("_x._tcp.local"), .any),
        ])
        #expect(
            try query.encoded() == [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]
                + wire("\"_x._tcp.local\" 000C 0001 025F79 C00F 000C 0001 C00C 00FF 0001"))
    }

    @Test("M18-36 names in known answers and in a probe's authority records too")
    func otherSections() throws {
        let query = Message(
            questions: [Question(name("i._x._tcp.local"), .any)],
            answers: [record("_x._tcp.local", .ptr(name("i._x._tcp.local")))],
            authorities: [
                record("i._x._tcp.local", .srv(ServiceLocation(target: name("h.local"), port: 1)))
            ])
        #expect(
            try query.encoded() == [0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0]
                + wire("\"i._x._tcp.local\" 00FF 0001 C00E 000C 0001 00000078 0002 C00C")
                + wire("C00C 0021 0001 00000078 000A 0000 0000 0001 0168 C016"))
    }

    @Test(
        "M18-37 names in the data of the listed types are compressed",
        arguments: [
            (2, "\"a.b\"", "C00C"), (39, "\"a.b\"", "C00C"),  // NS, DNAME
            (15, "000A \"a.b\"", "000A C00C"),  // MX
            (18, "0001 \"x.a.b\"", "0001 0178 C00C"), (21, "0001 \"a.b\"", "0001 C00C"),
            (36, "0001 \"b\"", "0001 C00E"),  // AFSDB, RT, KX
            (17, "\"a.b\" \"b\"", "C00C C00E"),  // RP
            (26, "0007 \"a.b\" \"x.a.b\"", "0007 C00C 0178 C00C"),  // PX
            (
                6, "\"a.b\" \"x.b\" 00000001 00000002 00000003 00000004 00000005",
                "C00C 0178 C00E 00000001 00000002 00000003 00000004 00000005"
            ),  // SOA
        ])
    func data(type: UInt16, full: String, compressed: String) throws {
        let bytes = try message([record("a.b", raw(type, full))])
        #expect(Array(bytes.dropFirst(12 + 5 + 10)) == wire(compressed))
        let decoded = try Message.decode(bytes)
        #expect(decoded.skipped.isEmpty)
        #expect(decoded.message.answers == [record("a.b", raw(type, full))])
    }

    @Test("M18-37 PTR, CNAME, SRV and NSEC as well")
    func knownData() throws {
        let target = name("a.b")
        let bytes = try message([
            record("a.b", .ptr(target)), record("a.b", .cname(target)),
            record("a.b", .srv(ServiceLocation(target: target, port: 1))),
            record("a.b", .nsec(NextSecure(nextName: target, types: [.a]))),
        ])
        #expect(
            bytes == responseHeader(0, 4)
                + wire("\"a.b\" 000C 0001 00000078 0002 C00C C00C 0005 0001 00000078 0002 C00C")
                + wire("C00C 0021 0001 00000078 0008 0000 0000 0001 C00C")
                + wire("C00C 002F 0001 00000078 0005 C00C 00 01 40"))
    }

    @Test(
        "M18-38 names in the data of any other type are never compressed",
        arguments: [
            (35, "0001 0002 00 00 00 \"a.b\""),  // NAPTR
            (64, "0001 \"a.b\" 0003 0002 0050"), (65, "0001 \"a.b\""),  // SVCB, HTTPS
            (14, "\"a.b\" \"a.b\""), (7, "\"a.b\""), (30, "\"a.b\" 40"),  // MINFO, MB, NXT
            (24, "000000000000000000000000000000000000 \"a.b\" FFFF"),  // SIG
            (999, "\"a.b\""), (46, "\"a.b\""),
        ])
    func neverCompressed(type: UInt16, data: String) throws {
        let bytes = try message([record("a.b", raw(type, data))])
        #expect(Array(bytes.dropFirst(12 + 5 + 10)) == wire(data))
        #expect(try Message.decode(bytes).message.answers == [record("a.b", raw(type, data))])
    }

    @Test("M18-38 nor can any other name be shortened by pointing into such data")
    func noTargets() throws {
        let bytes = try message([
            record("x", raw(999, "\"a.b\"")), record("a.b", .a(.loopback)),
        ])
        #expect(Array(bytes.suffix(19)) == wire("\"a.b\" 0001 0001 00000078 0004 7F000001"))
    }

    @Test("M18-39 compressed names are read in questions and as owners in every section")
    func readEverywhere() throws {
        let record = "C00C 0001 0001 00000078 0004 C0000201"
        try expectDecoding(
            responseHeader(2, 1, 1, 1)
                + wire("\"a.b\" 0001 0001 0163 C00E 0001 0001" + record + record + record),
            keeps: ["a.b", "c.b", "a.b", "a.b", "a.b"], skips: [])
    }

    @Test(
        "M18-40 M18-41 compressed names are read in the data of all types known to have them",
        arguments: [
            (2, "C00C", "\"a.b\""), (3, "C00C", "\"a.b\""), (4, "C00C", "\"a.b\""),
            (
                6, "C00C 0178 C00E 0102030405060708090A 0102030405060708090A",
                "\"a.b\" \"x.b\" 0102030405060708090A 0102030405060708090A"
            ),
            (7, "0178 C00C", "\"x.a.b\""), (8, "C00E", "\"b\""), (9, "C00C", "\"a.b\""),
            (14, "C00C C00E", "\"a.b\" \"b\""), (15, "000A C00C", "000A \"a.b\""),
            (17, "C00C C00C", "\"a.b\" \"a.b\""), (18, "0001 C00C", "0001 \"a.b\""),
            (21, "0001 C00C", "0001 \"a.b\""),
            (
                24, "000102030405060708090A0B0C0D0E0F1011 C00C FFFE",
                "000102030405060708090A0B0C0D0E0F1011 \"a.b\" FFFE"
            ),
            (26, "0001 C00C C00E", "0001 \"a.b\" \"b\""), (30, "C00C 40", "\"a.b\" 40"),
            (35, "0001 0002 01 73 00 02 7474 C00C", "0001 0002 01 73 00 02 7474 \"a.b\""),
            (36, "0001 C00C", "0001 \"a.b\""), (39, "0179 C00C", "\"y.a.b\""),
        ])
    func readInData(type: UInt16, compressed: String, full: String) throws {
        let data = wire(compressed)
        let decoded = try expectDecoding(
            responseHeader(0, 2) + wire("\"a.b\" 00") + [UInt8(type)] + wire("0001 00000078 00")
                + [UInt8(data.count)] + data + goodRecord("2behind"),
            keeps: ["a.b", "2behind.x"], skips: [])
        #expect(decoded.message.answers[0].data == raw(type, full))
        #expect(decoded.positions[0].dataLength == data.count)
    }

    @Test("M18-42 a compressed SRV target is read")
    func serviceTarget() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 1)
                + wire("\"i.local\" 0021 8001 00000078 000A 0000 0000 0050 0168 C00E"),
            keeps: ["i.local"], skips: [])
        #expect(
            decoded.message.answers[0].data
                == .srv(ServiceLocation(target: name("h.local"), port: 80)))
    }

    @Test("M18-43 in a legacy unicast reply the target of an SRV is written in full")
    func legacyTarget() throws {
        var encoder = MessageEncoder(
            header: .response, limit: 512, compressesServiceTargets: false)
        let service = record("i.b", .srv(ServiceLocation(target: name("i.b"), port: 80)))
        let fits = encoder.append(service, to: .answer)
        #expect(fits)
        // Later names may point into it.
        let more = encoder.append(record("i.b", .ptr(name("i.b"))), to: .answer)
        #expect(more)
        #expect(
            encoder.finish() == responseHeader(0, 2)
                + wire("\"i.b\" 0021 0001 00000078 000B 0000 0000 0050 \"i.b\"")
                + wire("C021 000C 0001 00000078 0002 C021"))
    }

    @Test("R1035-2 R1035-3 R1035-4 a pointer counts only backwards; labels have at most 63 bytes")
    func pointers() throws {
        let a = "0001 0001 00000078 0004 C0000201"
        let longest = "3F" + String(repeating: "61", count: 63) + "00"
        #expect(try Message.decode(responseHeader(0, 1) + wire(longest + a)).skipped.isEmpty)
        for owner in ["40" + String(repeating: "61", count: 64) + "00", "80", "C00C", "C00D"] {
            let bytes = responseHeader(0, 1) + wire(owner + a)
            #expect(try Message.decode(bytes).message.answers.isEmpty)
        }
    }

    @Test("R1035-5 a pointer ends a name, and RDLENGTH counts the compressed form")
    func compressedLength() throws {
        let decoded = try Message.decode(
            responseHeader(0, 1) + wire("\"a.b\" 000C 0001 00000078 0002 C00C"))
        #expect(decoded.positions.map(\.dataLength) == [2])
        #expect(decoded.trailingByteCount == 0)
        #expect(decoded.message.answers[0].data.uncompressedBytes.count == 5)
    }

    @Test("R1035-6 the case of every name is kept, also beside the same name in another case")
    func keepsCase() throws {
        let bytes = try message([
            record("Host.Local", .a(.loopback)), record("HOST.local", .a(.loopback)),
            record("x.Local", .a(.loopback)),
        ])
        #expect(
            try Message.decode(bytes).message.answers.map(\.name.description)
                == ["Host.Local", "HOST.local", "x.Local"])
    }

    @Test("R1035-7 nothing beyond offset 0x3FFF is ever pointed to")
    func farOffsets() throws {
        let filler = ResourceRecord(
            name("filler"),
            .unknown(RecordType(rawValue: 999), [UInt8](repeating: 0, count: 16_346)),
            timeToLive: .host)
        var records = [filler]
        for _ in 0..<3 { records.append(record("far.away.local", .ptr(name("far.away.local")))) }
        let bytes = try Message(header: .response, answers: records).encoded(limit: 20_000)
        let decoded = try Message.decode(bytes)
        #expect(decoded.skipped.isEmpty)
        #expect(decoded.message.answers == records)
        // The first of the names begins at 0x3FF8: `far` and `away` are in reach, `local` is not.
        let first = decoded.positions[1].offset
        #expect(first < 0x3FFF && first + 4 < 0x3FFF && first + 9 > 0x3FFF)
        #expect(decoded.positions[1].dataLength == 2)
    }

    @Test("field 6: what is taken back is never pointed to")
    func rollBack() throws {
        // Two messages in a row, as when a record moves to the next packet: the second record of
        // each attempt is too long, the third shares its suffix.
        var encoder = MessageEncoder(header: .response, limit: 80)
        let first = record("a.local", .a(.loopback))
        let tooLong = record("b.shared.suffix.local", raw(999, String(repeating: "00", count: 60)))
        let third = record("c.shared.suffix.local", .a(.loopback))
        let results = [
            encoder.append(first, to: .answer), encoder.append(tooLong, to: .answer),
            encoder.append(third, to: .answer), encoder.append(tooLong, to: .answer),
        ]
        #expect(results == [true, false, true, false])
        let decoded = try Message.decode(encoder.finish())
        #expect(decoded.skipped.isEmpty)
        #expect(decoded.message.answers == [first, third])
    }

    @Test("what is rolled back to a mark leaves no item, count, section or name")
    func rollBackToMark() throws {
        var encoder = MessageEncoder(header: .response, limit: 500)
        let first = record("a.local", .a(.loopback))
        let others = ["b.shared.suffix.local", "c.b.shared.suffix.local"].map {
            record($0, .a(.loopback))
        }
        var results = [encoder.append(first, to: .answer)]
        let mark = encoder.mark
        let before = encoder.byteCount
        results += others.map { encoder.append($0, to: .additional) }
        encoder.rollBack(to: mark)
        #expect(encoder.byteCount == before)
        #expect(encoder.count(of: .additional) == 0 && encoder.count(of: .answer) == 1)
        // Answers may follow again; the names are written anew.
        results += others.reversed().map { encoder.append($0, to: .answer) }
        #expect(results == [true, true, true, true, true])
        let bytes = encoder.finish()
        #expect(try Message.decode(bytes).message.answers == [first] + others.reversed())
        #expect(try bytes == message([first] + others.reversed()))
    }

    @Test("a name whose own labels repeat is written right")
    func repeatingLabels() throws {
        let names = ["x.x.x.x", "x.x", "aa.a.aa.a", "a.aa.a", "local.local"]
        let records = names.map { record($0, .a(.loopback)) }
        #expect(try Message.decode(message(records)).message.answers == records)
    }

    @Test("hundreds of names are pointed to, and those rolled back among them are not")
    func manyNames() throws {
        var encoder = MessageEncoder(header: .response, limit: 9000)
        var kept: [ResourceRecord] = []
        for index in 0..<150 {
            let target = name("host\(index).x\(index % 7).local")
            let pair = record("i\(index)._x._tcp.local", .ptr(target))
            let mark = encoder.mark
            let fits = encoder.append(pair, to: .answer) && encoder.append(pair, to: .answer)
            #expect(fits)
            if index % 3 == 2 { encoder.rollBack(to: mark) } else { kept += [pair, pair] }
        }
        let bytes = encoder.finish()
        #expect(try bytes == message(kept, limit: 9000))
        let decoded = try Message.decode(bytes)
        #expect(decoded.message.answers == kept)
        // The second of each pair is two pointers.
        #expect(decoded.positions[kept.count - 1].dataLength == 2)
    }
}
