import DNSMessages
import NetworkPrimitives
import Testing

/// Rows D-1, D-2, D-9 to D-11, D-16, D-24 and D-25 of the rules for refusing: whole messages.
@Suite struct MalformedMessageTests {
    /// As the engine must: the message is refused.
    private func expectRefusal(
        _ bytes: [UInt8], _ error: MessageDecodingError,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: error, sourceLocation: sourceLocation) { try Message.decode(bytes) }
        expectCutsSurvived(bytes, sourceLocation: sourceLocation)
    }

    @Test("D-1 fewer than 12 bytes are no message", arguments: 0...11)
    func tooShort(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(throws: MessageDecodingError.tooShort(byteCount: count)) {
            try Message.decode(bytes)
        }
        #expect(throws: MessageDecodingError.tooShort(byteCount: count)) {
            try Message.inspect(bytes)
        }
    }

    @Test("D-2 an operation code other than 0 drops the message", arguments: 1...15)
    func operationCode(code: UInt16) throws {
        var bytes = responseHeader(0, 1) + goodRecord("1before")
        let header = MessageHeader(flags: 0x8400 | code << 11)
        bytes[2] = UInt8(header.flags >> 8)
        expectRefusal(bytes, .operationCode(header, MessageCounts(answers: 1)))
        #expect(header.operationCode == UInt8(code))
        let shown = try Message.inspect(bytes)
        #expect(shown.keptNames == ["1before.x"])
        #expect(shown.rejectionReason?.header == header)
        #expect(shown.rejectionReason?.counts?.answers == 1)
    }

    @Test("D-2 a response code other than 0 drops the message", arguments: 1...15)
    func responseCode(code: UInt16) throws {
        var bytes = responseHeader(0, 1) + goodRecord("1before")
        bytes[3] = UInt8(code)
        expectRefusal(
            bytes,
            .responseCode(MessageHeader(flags: 0x8400 | code), MessageCounts(answers: 1)))
        #expect(try Message.inspect(bytes).keptNames == ["1before.x"])
    }

    @Test(
        "D-9 RDLENGTH beyond the message end: the rest is lost",
        arguments: ["0005 C0000201", "FFFF C0000201", "0001", "8000 00"])
    func dataCut(data: String) throws {
        let bytes =
            responseHeader(0, 2) + goodRecord("1before")
            + wire("0161 00 0001 0001 00000078" + data)
        try expectDecoding(
            bytes, keeps: ["1before.x"], skips: [Skip(.answer, 1, .dataCut, ends: true)])
    }

    @Test("D-9 so that what follows is not read from within the data")
    func dataCutWithMore() throws {
        let bytes =
            responseHeader(0, 3) + goodRecord("1before")
            + wire("0161 00 0001 0001 00000078 0400 C0000201") + goodRecord("2behind")
        try expectDecoding(
            bytes, keeps: ["1before.x"], skips: [Skip(.answer, 1, .dataCut, ends: true)])
    }

    @Test(
        "D-10 fields cut short: the rest is lost",
        arguments: [
            "0161 00", "0161 00 00", "0161 00 0001 00", "0161 00 0001 0001 0000",
            "0161 00 0001 0001 00000078 00", "00 0001",
        ])
    func fieldsCut(bytes: String) throws {
        try expectDecoding(
            responseHeader(0, 2) + goodRecord("1before") + wire(bytes), keeps: ["1before.x"],
            skips: [Skip(.answer, 1, .fieldsCut, ends: true)])
    }

    @Test("D-10 a query keeps the questions before the fault")
    func questionCut() throws {
        let two = wire("\"abc.local\" 000C 0001 C00C 0010 8001")
        for cut in ["C00C", "C00C 00FF", "C00C 00FF 00"] {
            let bytes = [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0] + two + wire(cut)
            let decoded = try expectDecoding(
                bytes, keeps: ["abc.local", "abc.local"],
                skips: [Skip(.question, 2, .fieldsCut, ends: true)])
            #expect(decoded.message.questions.map(\.prefersUnicast) == [false, true])
        }
    }

    @Test("D-10 a question with a bad name that is cut short ends the reading", arguments: 0...3)
    func badQuestionCut(count: Int) throws {
        // A pointer forward: its end is known, but the four bytes behind it are not all there.
        let bytes =
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + wire("03616263 C0FF") + [0, 12, 0].prefix(count)
        try expectDecoding(
            bytes, keeps: [], skips: [Skip(.question, 0, .fieldsCut, ends: true)])
    }

    @Test("D-10 counts larger than what is there: what is there is kept")
    func countsTooLarge() throws {
        try expectDecoding(
            responseHeader(0, 2) + goodRecord("1before"), keeps: ["1before.x"],
            skips: [Skip(.answer, 1, .missing, ends: true)])
        // Three sections on.
        try expectDecoding(
            responseHeader(0, 1, 0, 1) + goodRecord("1before"), keeps: ["1before.x"],
            skips: [Skip(.additional, 0, .missing, ends: true)])
    }

    @Test("D-11 counts that could not fit drop the message and drive no allocation")
    func impossibleCounts() throws {
        let most = MessageCounts(
            questions: .max, answers: .max, authorities: .max, additionals: .max)
        let bytes = [0, 0, 0x84, 0] + [UInt8](repeating: 0xFF, count: 8) + goodRecord("1before")
        expectRefusal(bytes, .countsExceedData(MessageHeader(flags: 0x8400), most))
        // Where it is to be shown, reading ends at the first item that is not there.
        #expect(try Message.inspect(bytes).skipped.count == 1)

        let record = goodRecord("1before")
        // 25 bytes have room for two records of 11 bytes, or one and two questions of 5.
        #expect(try Message.decode(responseHeader(0, 2) + record).keptNames.count == 1)
        #expect(throws: MessageDecodingError.self) {
            try Message.decode(responseHeader(0, 3) + record)
        }
        #expect(throws: MessageDecodingError.self) {
            try Message.decode(responseHeader(1, 1, 1) + record)
        }
    }

    @Test("D-16 an OPT whose owner is not the root is ignored")
    func optionsOwner() throws {
        try expectDecoding(
            responseHeader(0, 1, 0, 2) + goodRecord("1before")
                + wire("0161 00 0029 05A0 00000000 0000") + goodRecord("2behind"),
            keeps: ["1before.x", "2behind.x"], skips: [Skip(.additional, 0, .optionsOwner)])
    }

    @Test("D-16 an OPT in the wrong section is ignored", arguments: 1...2)
    func optionsSection(section: Int) throws {
        let header =
            section == 1 ? responseHeader(0, 1, 0, 1) : responseHeader(0, 0, 1, 1)
        try expectDecoding(
            header + wire("00 0029 05A0 00000000 0000") + goodRecord("2behind"),
            keeps: ["2behind.x"],
            skips: [Skip(section == 1 ? .answer : .authority, 0, .optionsSection)])
    }

    @Test(
        "D-16 an OPT whose options don't add up is ignored",
        arguments: [
            "0001 00", "0003 000400", "0004 00040001", "0006 00040003 0102",
            "0005 00040000 00", "0009 00040001 07 00050001",
        ])
    func optionsLength(data: String) throws {
        try expectDecoding(
            responseHeader(0, 1, 0, 2) + goodRecord("1before")
                + wire("00 0029 05A0 00000000" + data) + goodRecord("2behind"),
            keeps: ["1before.x", "2behind.x"], skips: [Skip(.additional, 0, .optionsLength)])
    }

    @Test(
        "D-16 two OPT records drop the message, also when one of them is no good",
        arguments: ["00 0029 05A0 00000000 0000", "0161 00 0029 05A0 00000000 0000"])
    func secondOptions(second: String) throws {
        let bytes =
            responseHeader(0, 1, 0, 2) + goodRecord("1before")
            + wire("00 0029 05A0 00000000 0000" + second)
        expectRefusal(
            bytes,
            .secondOptions(
                MessageHeader(flags: 0x8400), MessageCounts(answers: 1, additionals: 2),
                offset: 48))
        #expect(try Message.inspect(bytes).keptNames.first == "1before.x")
    }

    @Test("D-16 several reasons to refuse: the first is reported; several OPT records: the second")
    func firstObjection() throws {
        let options = wire("00 0029 05A0 00000000 0000")
        let three = responseHeader(0, 0, 0, 3) + options + options + options
        #expect(
            try Message.inspect(three).rejectionReason
                == .secondOptions(
                    MessageHeader(flags: 0x8400), MessageCounts(additionals: 3), offset: 23))
        var refused = three
        refused[3] = 5
        #expect(
            try Message.inspect(refused).rejectionReason
                == .responseCode(MessageHeader(flags: 0x8405), MessageCounts(additionals: 3)))
    }

    @Test("D-24 what follows an early zero is read as type and class")
    func emptyLabel() throws {
        // `a`, an empty label, `b`: the name ends at the zero.
        let bytes =
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + wire("0161 00 0162 00 0001 0001")
        let decoded = try expectDecoding(bytes, keeps: ["a"], skips: [])
        #expect(decoded.message.questions.first?.type.rawValue == 0x0162)
        #expect(decoded.message.questions.first?.recordClass.rawValue == 0)
        #expect(decoded.trailingByteCount == 3)
        expectCutsSurvived(
            responseHeader(0, 1) + wire("0161 00 0162 00 0001 0001 00000078 0004 C0000201"))
    }

    @Test(
        "D-25 what is not DNS is refused",
        arguments: [
            #"{"type":"hello","id":"3f2a","port":5353}"#,
            "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "\u{16}\u{03}\u{01}\u{00}\u{50}\u{01}\u{00}\u{00}\u{4c}\u{03}\u{03} a TLS hello",
        ])
    func notDNS(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: MessageDecodingError.self) { try Message.decode(bytes) }
        expectCutsSurvived(bytes)
    }

    @Test("D-25 an SNMP scan on port 5353 is refused")
    func snmp() {
        let bytes = wire(
            "3082 002F 0201 0004 0670 7562 6C69 63A0 8200 2002 0448 0000 0002 0100 0201 0030")
        #expect(throws: MessageDecodingError.self) { try Message.decode(bytes) }
        expectCutsSurvived(bytes)
    }

    @Test("every refusal reads as a sentence")
    func descriptions() {
        let counts = MessageCounts(answers: 7)
        let header = MessageHeader(flags: 0x2803)
        #expect(
            [
                MessageDecodingError.tooShort(byteCount: 4), .operationCode(header, counts),
                .responseCode(header, counts), .countsExceedData(header, counts),
                .secondOptions(header, counts, offset: 48),
            ].map(\.description) == [
                "4 bytes: a message has at least 12",
                "operation code 5: multicast DNS has only 0",
                "response code 3: multicast DNS has only 0",
                "the header promises 7 questions and records, more than fit the message",
                "a second OPT record at byte 48: a message has at most one",
            ])
        #expect(
            Set(SkippedItem.Reason.allCases.map(\.description)).count
                == SkippedItem.Reason.allCases.count)
    }
}
