import DNSMessages
import NetworkPrimitives
import Testing

/// What real devices send and a decoder must take: rows A-… that concern bytes.
@Suite struct AcceptedMessageTests {
    private let address = RecordData.a(IPv4Address(192, 0, 2, 1))

    @Test("A-1 a response that repeats the question")
    func questionInResponse() throws {
        let decoded = try expectDecoding(
            responseHeader(1, 1) + wire("\"1before.x\" 0001 0001") + goodRecord("1before"),
            keeps: ["1before.x", "1before.x"], skips: [])
        #expect(decoded.message.header.isResponse)
        #expect(decoded.message.answers.map(\.data) == [address])
    }

    @Test("A-2 header bits and id that mean nothing here are kept as they are")
    func headerBits() throws {
        // AA clear; TC, RD, RA, Z, AD, CD set; an id.
        let bytes = [0x12, 0x34, 0x83, 0xF0, 0, 0, 0, 1, 0, 0, 0, 0] + goodRecord("1before")
        let decoded = try expectDecoding(bytes, keeps: ["1before.x"], skips: [])
        #expect(decoded.message.header == MessageHeader(id: 0x1234, flags: 0x83F0))
        #expect(!decoded.message.header.isAuthoritative)
        #expect(decoded.message.header.isTruncated)
    }

    @Test("A-3 a response of a header only")
    func headerOnly() throws {
        let decoded = try expectDecoding(responseHeader(), keeps: [], skips: [])
        #expect(decoded.message == Message(header: .response))
        #expect(decoded.trailingByteCount == 0)
        #expect(decoded.positions.isEmpty)
    }

    @Test("A-4 a TXT without data means the same as one empty string")
    func emptyText() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 2)
                + wire("0161 00 0010 0001 00000078 0000 0161 00 0010 0001 00000078 0001 00"),
            keeps: ["a", "a"], skips: [])
        #expect(decoded.message.answers[0] == decoded.message.answers[1])
        #expect(decoded.message.answers[0].data == .txt(.empty))
        #expect(decoded.positions.map(\.dataLength) == [0, 1])
    }

    @Test("A-4 empty strings between good ones are kept in their places")
    func emptyStrings() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 1) + wire("0161 00 0010 0001 00000078 0007 00 01 61 00 00 01 62"),
            keeps: ["a"], skips: [])
        guard case .txt(let strings) = decoded.message.answers[0].data else {
            Issue.record("no TXT")
            return
        }
        #expect(strings.strings == [[], [0x61], [], [], [0x62]])
    }

    @Test("A-5 TXT strings of any bytes")
    func strangeText() throws {
        let data = "06 'noeqls' 05 '=novl' 04 'k=' FFFE 04 00010203 11 'averylongkey=1234' 03 'K=1'"
        let length = wire(data).count
        let decoded = try expectDecoding(
            responseHeader(0, 1) + wire("0161 00 0010 0001 00000078 00") + [UInt8(length)]
                + wire(data), keeps: ["a"], skips: [])
        #expect(decoded.message.answers[0].data.uncompressedBytes == wire(data))
    }

    @Test(
        "A-6 an NSEC as loudspeakers and lamps send it costs nothing but itself",
        arguments: [
            ("0006 C0FF 00 04 40 00", SkippedItem.Reason.pointerNotBackwards),  // reflected
            ("0006 C040 00 04 40 00", .pointerNotBackwards),  // forward
            ("0008 C00C 0000 0004 4000", .typeBitmap),  // two-byte block and length
            ("0002 C00C", .typeBitmap),
        ])
    func brokenNextSecure(data: String, reason: SkippedItem.Reason) throws {
        try expectDecoding(
            responseHeader(0, 2, 0, 1) + goodRecord("1before")
                + wire("C00C 002F 8001 00000078" + data) + goodRecord("2behind"),
            keeps: ["1before.x", "2behind.x"], skips: [Skip(.answer, 1, reason)])
    }

    @Test("A-6 an NSEC whose next name is written in full is used")
    func fullNextName() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 1)
                + wire("\"h.local\" 002F 8001 00000078 000C \"h.local\" 00 01 40"),
            keeps: ["h.local"], skips: [])
        #expect(
            decoded.message.answers[0].data
                == .nsec(NextSecure(nextName: name("h.local"), types: [.a])))
    }

    @Test("A-7 an NSEC with the NSEC bit set, and another time to live, is used")
    func nextSecureBit() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 1)
                + wire("\"h.local\" 002F 8001 00001194 000A C00C 00 06 40 00 00 00 00 01"),
            keeps: ["h.local"], skips: [])
        guard case .nsec(let next) = decoded.message.answers[0].data else {
            Issue.record("no NSEC")
            return
        }
        #expect(next.contains(.a))
        #expect(next.contains(.nsec))
        #expect(!next.contains(.aaaa))
    }

    @Test("A-8 names without any compression")
    func uncompressed() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 2)
                + wire("\"_x._tcp.local\" 000C 0001 00000078 0011 \"i._x._tcp.local\"")
                + wire("\"i._x._tcp.local\" 0021 8001 00000078 000F 000000000050 \"h.local\""),
            keeps: ["_x._tcp.local", "i._x._tcp.local"], skips: [])
        #expect(decoded.message.answers[0].data == .ptr(name("i._x._tcp.local")))
        #expect(
            decoded.message.answers[1].data
                == .srv(ServiceLocation(target: name("h.local"), port: 80)))
    }

    @Test("A-9 A-10 the cache-flush bit as it comes, also mixed within a set")
    func flushBits() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 3)
                + wire("\"h.local\" 0001 8001 00000078 0004 C0000201")
                + wire("C00C 0001 0001 00000078 0004 C0000202")
                + wire("\"_x._tcp.local\" 000C 8001 00000078 0002 C00C"),
            keeps: ["h.local", "h.local", "_x._tcp.local"], skips: [])
        #expect(decoded.message.answers.map(\.cacheFlush) == [true, false, true])
    }

    @Test("A-11 bytes after the last record are ignored and counted", arguments: [1, 2, 13])
    func trailing(count: Int) throws {
        let decoded = try expectDecoding(
            responseHeader(0, 1) + goodRecord("1before") + [UInt8](repeating: 0xAA, count: count),
            keeps: ["1before.x"], skips: [])
        #expect(decoded.trailingByteCount == count)
    }

    @Test("A-12 the root as owner of addresses and as target of an SRV")
    func root() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 2)
                + wire("00 0001 8001 00000078 0004 C0000201 \"i\" 0021 8001 00000078 0007")
                + wire("000000000050 00"),
            keeps: [".", "i"], skips: [])
        #expect(decoded.message.answers[0].name.isRoot)
        #expect(
            decoded.message.answers[1].data == .srv(ServiceLocation(target: .root, port: 80)))
    }

    @Test("A-13 host names of one label get nothing appended")
    func singleLabel() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 2)
                + wire("\"cam\" 0001 8001 00000078 0004 C0000201")
                + wire("\"i.local\" 0021 8001 00000078 0008 000000000050 C00C"),
            keeps: ["cam", "i.local"], skips: [])
        #expect(
            decoded.message.answers[1].data
                == .srv(ServiceLocation(target: name("cam"), port: 80)))
    }

    @Test("A-14 service names that break the rules")
    func serviceNames() throws {
        let long = "_a-name-of-more-than-15.under_score._TCP.local"
        let decoded = try expectDecoding(
            responseHeader(0, 1) + wire("\"\(long)\" 000C 0001 00000078 0004 0149 C00C"),
            keeps: [long], skips: [])
        #expect(decoded.message.answers[0].data == .ptr(name("I." + long)))
    }

    @Test("A-25 OPT in queries and responses, with options nobody knows", arguments: [0, 0x84])
    func options(flags: UInt8) throws {
        let decoded = try expectDecoding(
            [0, 0, flags, 0, 0, 0, 0, 0, 0, 0, 0, 2]
                + wire("00 0029 05A0 00001194 0016 0004 000E 0005 112233445566 112233445566")
                + wire("FDE9 0000") + goodRecord("2behind"),
            keeps: [".", "2behind.x"], skips: [])
        #expect(
            decoded.message.additionals[0]
                == ResourceRecord(
                    ExtensionOptions(
                        udpPayloadSize: 1440, flags: 0x1194,
                        options: [
                            .init(code: 4, bytes: wire("0005 112233445566 112233445566")),
                            .init(code: 0xFDE9, bytes: []),
                        ])))
    }

    @Test("A-26 names in another case are equal, and kept as sent")
    func otherCase() throws {
        let decoded = try expectDecoding(
            responseHeader(1, 1)
                + wire("\"host.local\" 0001 0001 \"HOST.Local\" 0001 8001 00000078 0004 C0000201"),
            keeps: ["host.local", "HOST.Local"], skips: [])
        #expect(decoded.message.questions[0].matches(decoded.message.answers[0]))
        #expect(decoded.message.answers[0].name.description == "HOST.Local")
    }

    @Test(
        "A-27 instance labels are kept byte for byte",
        arguments: ["  two spaces ", ".lead", "🖨️ printer", "e\u{301}", "\u{FEFF}mark", "a\\b"])
    func labels(text: String) throws {
        let label = Array(text.utf8)
        let decoded = try expectDecoding(
            responseHeader(0, 1) + wire("\"_x._tcp.local\" 000C 0001 00000078 00")
                + [UInt8(label.count + 3), UInt8(label.count)] + label + [0xC0, 0x0C],
            keeps: ["_x._tcp.local"], skips: [])
        guard case .ptr(let target) = decoded.message.answers[0].data else {
            Issue.record("no PTR")
            return
        }
        #expect(target.firstLabel?.bytes == label)
        #expect(target.parent == name("_x._tcp.local"))
    }

    @Test("A-28 an SRV with port 0")
    func portZero() throws {
        let decoded = try expectDecoding(
            responseHeader(0, 1) + wire("\"i\" 0021 8001 00000078 0008 000000000000 C00C"),
            keeps: ["i"], skips: [])
        #expect(
            decoded.message.answers[0].data == .srv(ServiceLocation(target: name("i"), port: 0)))
    }
}
