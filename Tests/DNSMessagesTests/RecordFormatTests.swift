import NetworkPrimitives
import Testing

@testable import DNSMessages

/// The form of the header, of names' limits, and of each type's data.
@Suite struct RecordFormatTests {
    private func encoded(_ data: RecordData) throws -> [UInt8] {
        let record = ResourceRecord(.root, data, timeToLive: .host)
        return Array(try Message(answers: [record]).encoded().dropFirst(12 + 1 + 8))
    }

    private func decodedData(_ record: String) throws -> RecordData? {
        try Message.decode(responseHeader(0, 1) + wire(record)).message.answers.first?.data
    }

    // MARK: Header

    @Test("R1035-1 the header: id, flags and four counts of 16 bits, the first byte on top")
    func header() throws {
        let a = ResourceRecord(.root, .a(.loopback), timeToLive: .seconds(0x0102_0304))
        let bytes = try Message(
            header: MessageHeader(id: 0x1234, flags: 0x8400),
            questions: [Question(.root, RecordType(rawValue: 0x0102))],
            answers: [a, a], authorities: [a, a, a], additionals: [a, a, a, a]
        ).encoded()
        #expect(
            bytes.prefix(17 + 15)
                == wire(
                    "1234 8400 0001 0002 0003 0004 00 0102 0001 00 0001 0001 01020304 0004 7F000001"
                )[...])
        let decoded = try Message.decode(bytes)
        #expect(
            decoded.counts
                == MessageCounts(questions: 1, answers: 2, authorities: 3, additionals: 4))
        #expect(MessageSection.allCases.map { decoded.counts[$0] } == [1, 2, 3, 4])
        #expect(decoded.counts.total == 10)
    }

    @Test("M18-8 M18-9 M18-10 QR is 0 in queries and 1 in responses, OPCODE is 0")
    func headerBits() throws {
        #expect(try Message(header: .query).encoded()[2...3] == [0, 0])
        #expect(try Message(header: .response).encoded()[2...3] == [0x84, 0])
        #expect(MessageHeader.query.operationCode == 0)
        #expect(MessageHeader.response.operationCode == 0)
    }

    @Test("the flags may be changed until the end")
    func lateFlags() throws {
        var encoder = MessageEncoder(header: .query, limit: 100)
        #expect(encoder.isEmpty)
        let fits = encoder.append(Question(name("a"), .a))
        encoder.header.isTruncated = true
        encoder.header.id = 7
        #expect(fits && !encoder.isEmpty)
        #expect(encoder.count(of: .question) == 1)
        #expect(encoder.finish().prefix(6) == [0, 7, 2, 0, 0, 1])
    }

    @Test("M17-1 512 bytes are no limit: 1472 fit by default, and not one more")
    func size() throws {
        func text(_ count: Int) -> Message {
            Message(answers: [
                ResourceRecord(
                    .root, .unknown(RecordType(rawValue: 999), [UInt8](repeating: 0, count: count)),
                    timeToLive: .host)
            ])
        }
        #expect(try text(1472 - 23).encoded().count == 1472)
        #expect(throws: MessageEncodingError.limitExceeded(limit: 1472, section: .answer, index: 0))
        { try text(1472 - 22).encoded() }
        #expect(try text(8972 - 23).encoded(limit: 8972).count == 8972)
        #expect(throws: MessageEncodingError.self) { try text(70_000).encoded(limit: 100_000) }
    }

    // MARK: Names

    @Test("M3-8 MC-1 254 and 255 bytes before the zero are accepted, 256 are refused")
    func longNames() throws {
        func bytes(_ last: Int) -> [UInt8] {
            let label = [63] + [UInt8](repeating: 0x61, count: 63)
            return responseHeader(0, 1) + label + label + label + [UInt8(last)]
                + [UInt8](repeating: 0x62, count: last)
                + wire("00 0001 0001 00000078 0004 7F000001")
        }
        for last in [61, 62] {
            let decoded = try Message.decode(bytes(last))
            #expect(decoded.message.answers.map(\.name.byteCount) == [193 + last])
            #expect(try Message.decode(decoded.message.encoded()).message == decoded.message)
        }
        #expect(try Message.decode(bytes(63)).message.answers.isEmpty)
    }

    @Test("M16-2 M16-3 a byte order mark is a character of the name, and none is ever added")
    func byteOrderMark() throws {
        let with = name("\u{FEFF}a.local")
        let without = name("a.local")
        #expect(with != without)
        let query = Message(questions: [Question(with, .a), Question(without, .a)])
        let bytes = try query.encoded()
        #expect(bytes[12...16] == [4, 0xEF, 0xBB, 0xBF, 0x61])
        #expect(try Message.decode(bytes).message.questions.map(\.name) == [with, without])
        #expect(try Message(questions: [Question(without, .a)]).encoded()[12...13] == [1, 0x61])
    }

    @Test("M16-4 names are sent as they are in UTF-8")
    func utf8() throws {
        let bytes = try Message(questions: [Question(name("Büro.local"), .a)]).encoded()
        #expect(
            bytes == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
                + wire("05 42 C3BC 726F 05 'local' 00 0001 0001"))
    }

    @Test("M16-5 R5198-1 only ASCII case is folded, and what is received is never composed")
    func comparison() throws {
        let decoded = try Message.decode(
            [0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0]
                + wire("03 C384 61 00 0001 0001")  // Äa
                + wire("03 C3A4 41 00 0001 0001")  // äA
                + wire("03 C384 41 00 0001 0001")  // ÄA
                + wire("04 41 CC88 61 00 0001 0001"))  // A, combining diaeresis, a
        let names = decoded.message.questions.map(\.name)
        #expect(names[0] != names[1])
        #expect(names[0] == names[2])
        #expect(names[0] != names[3])
    }

    @Test("names of one message share their bytes and stay names of their own")
    func sharedNames() throws {
        let decoded = try Message.decode(
            responseHeader(0, 2) + wire("\"_x._tcp.local\" 000C 0001 00000078 0004 0169 C00C")
                + wire("C02F 0021 8001 00000078 000A 000000000050 0168 C019"))
        let pointer = decoded.message.answers[0]
        guard case .ptr(let instance) = pointer.data else {
            Issue.record("no PTR")
            return
        }
        #expect(instance.parent == pointer.name)
        #expect(instance.labels.map(\.text) == ["i", "_x", "_tcp", "local"])
        #expect(instance.labelCount == 4)
        #expect(instance.isSubdomain(of: pointer.name))
        #expect(instance.compacted == instance)
        #expect(Set([instance, instance.compacted, name("I._X._tcp.local")]).count == 1)
        #expect(try pointer.name.prepending(Label("i")) == instance)
        #expect(try name("i").appending(pointer.name) == instance)
        #expect(pointer.name < instance || instance < pointer.name)
        #expect(instance.wireBytes == wire("\"i._x._tcp.local\"").dropLast())
    }

    @Test("compacted data is the same data, with bytes of its own")
    func compactedData() throws {
        let host = name("h.local")
        let records = [
            RecordData.ptr(host), .cname(host), .nsec(NextSecure(nextName: host, types: [.a])),
            .srv(ServiceLocation(target: host, port: 1, priority: 2, weight: 3)), .txt(.empty),
        ].map { ResourceRecord(name("i._x._tcp.local"), $0, timeToLive: .host) }
        let decoded = try Message.decode(Message(answers: records).encoded()).message.answers
        #expect(decoded.map(\.data.compacted) == records.map(\.data))
        for case .srv(let location) in decoded.map(\.data.compacted) {
            #expect(location.target.storage.count == host.byteCount)
        }
    }

    @Test("strings of a decoded message share its bytes until they are compacted")
    func sharedStrings() throws {
        let strings = try #require(TextStrings([Array("a=1".utf8), [], Array("b=22".utf8)]))
        let record = ResourceRecord(name("i._x._tcp.local"), .txt(strings), timeToLive: .standard)
        let message = try Message.decode(Message(answers: [record, record]).encoded()).message
        for record in message.answers {
            guard case .txt(let read) = record.data, case .txt(let own) = record.data.compacted
            else {
                Issue.record("no TXT")
                continue
            }
            #expect(read.storage.count > read.byteCount)
            #expect(own.storage.count == own.byteCount)
            for same in [read, own] {
                #expect(same == strings)
                #expect(same.wireBytes == strings.wireBytes)
                #expect(same.strings == strings.strings)
                #expect(same.hashValue == strings.hashValue)
            }
            let other = try #require(TextStrings([Array("a=1".utf8), [], Array("b=23".utf8)]))
            #expect(read != other)
            #expect(read != .empty)
        }
        #expect(message.answers[0] == message.answers[1])
    }

    // MARK: Class and time to live

    @Test("M10-16 M18-32 in questions the top bit of the class is QU, each question's own")
    func unicastBit() throws {
        let query = Message(questions: [
            Question(name("a"), .a, prefersUnicast: true), Question(name("b"), .a),
        ])
        let bytes = try query.encoded()
        #expect(
            bytes == [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]
                + wire("0161 00 0001 8001 0162 00 0001 0001"))
        #expect(try Message.decode(bytes).message.questions.map(\.prefersUnicast) == [true, false])
    }

    @Test("M10-17 M18-33 M22-1 the top bit of a record's class is taken off: a class has 15 bits")
    func flushBit() throws {
        let a = wire("0161 00 0001 8001 00000078 0004 7F000001")
        var b = a
        b[5] = 0
        let decoded = try Message.decode(responseHeader(0, 2) + a + b)
        let (flush, plain) = (decoded.message.answers[0], decoded.message.answers[1])
        #expect(flush.recordClass == .internet && plain.recordClass == .internet)
        #expect(flush.cacheFlush && !plain.cacheFlush)
        #expect(flush.isSameRecord(as: plain))
        #expect(RecordClass(rawValue: 0x8001) == .internet)
        #expect(RecordClass(rawValue: .max).rawValue == 0x7FFF)
        #expect(try Message.decode(decoded.message.encoded()).message == decoded.message)
    }

    @Test("a record can be sent with another time to live and cache-flush bit")
    func otherFields() throws {
        var encoder = MessageEncoder(header: .response, limit: 100)
        let record = ResourceRecord(name("a"), .a(.loopback), timeToLive: .host, cacheFlush: true)
        let fits = encoder.append(
            record, timeToLive: .seconds(10), cacheFlush: false, to: .additional)
        #expect(fits)
        let sent = try Message.decode(encoder.finish()).message.additionals
        #expect(sent == [ResourceRecord(name("a"), .a(.loopback), timeToLive: .seconds(10))])
    }

    @Test("R2181-1 a time to live has 31 bits, and a longer one is never read as goodbye")
    func timeToLive() throws {
        #expect(TimeToLive(rawValue: .max).rawValue == 0x7FFF_FFFF)
        let decoded = try Message.decode(
            responseHeader(0, 1) + wire("00 0001 0001 80000000 0004 7F000001"))
        #expect(decoded.message.answers.isEmpty)
        #expect(decoded.skipped.map(\.reason) == [.timeToLive])
    }

    @Test("R2181-3 any byte may be in a label")
    func anyByte() throws {
        for chunk in 0..<8 {
            let label = (0..<32).map { UInt8(chunk * 32 + $0) }
            let query = Message(questions: [
                Question(try DomainName(labels: [Label(label)]), .a)
            ])
            let decoded = try Message.decode(query.encoded())
            #expect(decoded.message.questions.first?.name.firstLabel?.bytes == label)
        }
    }

    // MARK: Data

    @Test("R3596-1 A takes 4 bytes and AAAA 16")
    func addresses() throws {
        let v4 = RecordData.a(IPv4Address(192, 0, 2, 1))
        let v6 = RecordData.aaaa(IPv6Address(high: 0x2001_0DB8_0001_0002, low: 0x3_0004_0005_0006))
        #expect(try encoded(v4) == wire("0004 C0000201"))
        #expect(try encoded(v6) == wire("0010 20010DB800010002 0003000400050006"))
        #expect(try decodedData("00 0001 0001 00000078 0004 C0000201") == v4)
        #expect(
            try decodedData("00 001C 0001 00000078 0010 20010DB800010002 0003000400050006") == v6)
    }

    @Test("R2782-1 SRV: priority, weight, port, target; at least 7 bytes")
    func service() throws {
        let location = ServiceLocation(target: .root, port: 3, priority: 1, weight: 2)
        #expect(try encoded(.srv(location)) == wire("0007 0001 0002 0003 00"))
        #expect(
            try decodedData("00 0021 0001 00000078 0007 0001 0002 0003 00") == .srv(location))
    }

    @Test("R3597-1 unknown types are kept byte by byte")
    func unknown() throws {
        let data = RecordData.unknown(RecordType(rawValue: 65_280), wire("C00C 03 FF"))
        #expect(try encoded(data) == wire("0004 C00C 03 FF"))
        #expect(try decodedData("00 FF00 0001 00000078 0004 C00C 03 FF") == data)
        #expect(
            try decodedData("00 FF00 0001 00000078 0000")
                == .unknown(RecordType(rawValue: 65_280), []))
    }

    @Test("S6-2 TXT strings: a length byte and so many bytes each, no gaps, RDLENGTH used up")
    func text() throws {
        let strings = try #require(
            TextStrings([Array("a=1".utf8), [], [UInt8](repeating: 0x78, count: 255)]))
        let bytes = try encoded(.txt(strings))
        #expect(bytes.prefix(8) == wire("0105 03 'a=1' 00 FF")[...])
        #expect(bytes.count == 2 + 261)
        #expect(TextStrings([[UInt8](repeating: 0, count: 256)]) == nil)
        #expect(TextStrings(wireBytes: [2, 0x61]) == nil)
    }

    @Test("S6-3 no TXT without bytes is ever sent")
    func emptyText() throws {
        for strings in [TextStrings.empty, TextStrings([]), TextStrings(wireBytes: [])] {
            #expect(try encoded(.txt(try #require(strings))) == wire("0001 00"))
        }
    }

    @Test("S6-20 a value is any bytes")
    func binaryText() throws {
        let value = Array("k=".utf8) + (0...252).map { UInt8($0) }
        let data = RecordData.txt(try #require(TextStrings([value, [0], [0xFF]])))
        let message = Message(answers: [ResourceRecord(.root, data, timeToLive: .host)])
        #expect(try Message.decode(message.encoded()).message == message)
    }

    // MARK: NSEC

    @Test(
        "M6-26 M6-33 NSEC with more than one block is understood",
        arguments: [
            "00 01 40 01 01 40",
            "00 06 40 00 00 00 00 01 05 20"
                + String(
                    repeating: "80", count: 32),
        ])
    func blocks(bitmap: String) throws {
        let length = wire(bitmap).count + 3
        let decoded = try Message.decode(
            responseHeader(0, 1) + wire("0161 00 002F 8001 00000078 00") + [UInt8(length)]
                + wire("0161 00" + bitmap))
        guard case .nsec(let next) = decoded.message.answers.first?.data else {
            Issue.record("no NSEC")
            return
        }
        #expect(next.bitmap == wire(bitmap))
        #expect(next.contains(.a))
        #expect(next.types.count == next.types.filter(next.contains).count)
        #expect(next.types.last.map { $0.rawValue > 255 } == true)
        #expect(try Message.decode(decoded.message.encoded()).message == decoded.message)
    }

    @Test("M6-27 M6-28 the restricted form: own name, block 0, length 1 to 32, so many bytes")
    func restricted() throws {
        let host = name("h.local")
        let one = NextSecure(nextName: host, types: [.a])
        let all = NextSecure(nextName: host, types: (1...255).map(RecordType.init(rawValue:)))
        for (next, length) in [(one, 1), (all, 32)] {
            let record = ResourceRecord(host, .nsec(next), timeToLive: .host, cacheFlush: true)
            let bytes = try Message(header: .response, answers: [record]).encoded()
            let data = bytes.dropFirst(12 + 9 + 8)
            #expect(data.prefix(6) == [0, UInt8(length + 4), 0xC0, 0x0C, 0, UInt8(length)])
            #expect(data.count == 6 + length)
            #expect(try Message.decode(bytes).message.answers == [record])
        }
        #expect(one.bitmap == [0, 1, 0x40])
    }

    @Test("M6-31 M6-32 an NSEC is kept whatever its next name")
    func foreignNextName() throws {
        let data = try decodedData("0161 00 002F 8001 00000078 0007 016200 00 02 4000")
        #expect(
            data == .nsec(NextSecure(nextName: name("b"), uncheckedBitmap: [0, 2, 0x40, 0])))
    }

    @Test("M6-34 a broken NSEC costs nothing but itself")
    func brokenNextSecure() throws {
        try expectDecoding(
            responseHeader(0, 2) + wire("0161 00 002F 8001 00000078 0002 C0FF")
                + goodRecord("2behind"),
            keeps: ["2behind.x"], skips: [Skip(.answer, 0, .pointerNotBackwards)])
    }

    @Test("M6-35 R4034-2 the bits of NSEC itself and of pseudo-types are never set on sending")
    func pseudoTypes() {
        let next = NextSecure(
            nextName: .root, types: [.a, .nsec, .opt, .any, RecordType(rawValue: 252), .srv])
        #expect(next.types == [.a, .srv])
    }

    @Test("R4034-1 blocks in rising order, none empty, no zero bytes at the end")
    func bitmapForm() throws {
        let types = [1300, 28, 1, 257, 256, 1024].map(RecordType.init(rawValue:))
        let next = NextSecure(nextName: .root, types: types)
        #expect(
            next.bitmap == wire("00 04 40000008 01 01 C0 04 01 80 05 03 000008"))
        #expect(next.types.map(\.rawValue) == [1, 28, 256, 257, 1024, 1300])
        // Bytes that are not there read as zero.
        #expect(!next.contains(.srv))
        #expect(!next.contains(RecordType(rawValue: 2000)))
    }

    @Test("R4034-3 type n is bit 7 - n mod 8 of byte n / 8")
    func bitOrder() {
        for (type, byte, bit) in [
            (RecordType.a, 0, 0x40), (.aaaa, 3, 0x08), (.txt, 2, 0x80), (.srv, 4, 0x40),
        ] as [(RecordType, Int, UInt8)] {
            let bitmap = NextSecure(nextName: .root, types: [type]).bitmap
            #expect(bitmap == [0, UInt8(byte + 1)] + [UInt8](repeating: 0, count: byte) + [bit])
        }
    }

    // MARK: OPT

    @Test("M10-18 R6891-1 OPT: the class is a size of 16 bits, the time to live three fields")
    func options() throws {
        let options = ExtensionOptions(
            udpPayloadSize: 0x8123, extendedResponseCode: 1, version: 2, flags: 0x8003,
            options: [.init(code: 4, bytes: [9, 8]), .init(code: 5, bytes: [])])
        let record = ResourceRecord(options)
        let bytes = try Message(additionals: [record]).encoded()
        #expect(
            bytes.dropFirst(12)
                == wire("00 0029 8123 01 02 8003 000A 0004 0002 0908 0005 0000")[...])
        let decoded = try Message.decode(bytes)
        #expect(decoded.message.additionals == [record])
        #expect(decoded.message.additionals.map(\.cacheFlush) == [false])
    }

    @Test("R6891-1 a payload size under 512 is carried as written")
    func smallPayload() throws {
        let decoded = try Message.decode(
            responseHeader(0, 0, 0, 1) + wire("00 0029 0000 00000000 0000"))
        #expect(
            decoded.message.additionals == [ResourceRecord(ExtensionOptions(udpPayloadSize: 0))])
    }

    @Test("R6891-2 a second OPT drops the message")
    func secondOptions() {
        #expect(throws: MessageDecodingError.self) {
            try Message.decode(
                responseHeader(0, 0, 0, 2)
                    + wire("00 0029 05A0 00000000 0000 00 0029 05A0 00000000 0000"))
        }
    }

    @Test("R6891-3 options must add up to RDLENGTH; unknown ones are carried")
    func optionLengths() throws {
        #expect(
            try decodedAdditional("00 0029 05A0 00000000 0005 FDE9 0001 07")
                == .opt(
                    ExtensionOptions(
                        udpPayloadSize: 1440, options: [.init(code: 0xFDE9, bytes: [7])])))
        #expect(try decodedAdditional("00 0029 05A0 00000000 0006 FDE9 0001 07 00") == nil)
    }

    @Test("R6891-4 a version above 0 takes nothing else with it")
    func version() throws {
        let decoded = try Message.decode(
            responseHeader(0, 1, 0, 1) + goodRecord("1before")
                + wire("00 0029 05A0 00010000 0000"))
        #expect(decoded.keptNames == ["1before.x", "."])
        #expect(decoded.skipped.isEmpty)
    }

    @Test("R6891-5 the owner option of sleep proxies, in any of its lengths, is carried")
    func ownerOption() throws {
        for length in [8, 14, 18, 20] {
            let bytes = (0..<length).map { UInt8($0) }
            let record = ResourceRecord(
                ExtensionOptions(udpPayloadSize: 1440, options: [.init(code: 4, bytes: bytes)]))
            let message = Message(additionals: [record])
            #expect(try Message.decode(message.encoded()).message == message)
        }
    }

    private func decodedAdditional(_ record: String) throws -> RecordData? {
        try Message.decode(responseHeader(0, 0, 0, 1) + wire(record))
            .message.additionals.first?.data
    }
}
