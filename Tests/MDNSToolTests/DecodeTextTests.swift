import DNSMessages
import NetworkPrimitives
import PacketCapture
import TestSupport
import Testing

@testable import MDNSTool

@Suite struct DecodeTextTests {
    /// A capture of these messages, one a second, as packets of raw IP.
    static func capture(_ messages: [[UInt8]], cutTo snapLength: Int = 65_535) -> [UInt8] {
        let writer = PcapWriter(linkType: .raw, snapLength: snapLength)
        var file = writer.fileHeader
        let source = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 5353)
        let group = SocketAddress(.v4(.multicastDNS), port: 5353)
        for (index, message) in messages.enumerated() {
            guard let packet = DatagramFrame.packet(from: source, to: group, payload: message)
            else { continue }
            let time = CaptureTime(seconds: 1_456_704_000 + Int64(index), nanoseconds: 1_500)
            writer.append(packet, at: time, to: &file)
        }
        return file
    }

    static func response() throws -> [UInt8] {
        let host = try DomainName("my\\.host.local")
        var message = Message(header: .response)
        message.answers = [
            ResourceRecord(
                try DomainName("_http._tcp.local"),
                .ptr(try DomainName("K\u{FC}che\\027[1m._a.local")),
                timeToLive: .seconds(4500)),
            ResourceRecord(
                host, .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host, cacheFlush: true),
            ResourceRecord(
                host,
                .txt(try #require(TextStrings([Array("a=\"1\"".utf8), [0x1B, 0xFF], []]))),
                timeToLive: .goodbye),
            ResourceRecord(
                host, .nsec(NextSecure(nextName: host, types: [.a, .txt])), timeToLive: .host),
        ]
        message.additionals = [
            ResourceRecord(
                host, .srv(ServiceLocation(target: host, port: 80, priority: 1, weight: 2)),
                timeToLive: .host),
            ResourceRecord(
                host, .unknown(RecordType(rawValue: 4711), [0xAB, 0x01]), timeToLive: .host),
        ]
        return try message.encoded()
    }

    @Test("A packet a block, a record a line, nothing from the network raw")
    func text() throws {
        var query = Message(header: MessageHeader(id: 7, flags: 0x0200))
        query.questions = [Question(try DomainName("a.local"), .any, prefersUnicast: true)]
        let file = Self.capture([try query.encoded(), try Self.response()])
        let (text, error, _) = decodedOutput(ofCapture: file, isJSON: false)
        #expect(error == nil)
        let expected = ##"""
            ;; frame 1  2016-02-29 00:00:00.000001 UTC  192.0.2.1:5353 > 224.0.0.251:5353  25 bytes
            ;; query, id 7, flags tc, questions 1
            ;; question:
            ;a.local                                        IN,QU     ANY

            ;; frame 2  +1.000000 s  192.0.2.1:5353 > 224.0.0.251:5353  155 bytes
            ;; response, id 0, flags aa, answers 4, additional 2
            ;; answer:
            _http._tcp.local                        4500    IN        PTR   Küche\027[1m._a.local
            my\.host.local                          120     IN,flush  A     192.0.2.1
            my\.host.local                          0       IN        TXT   "a=\"1\"" "\027\255" ""
            my\.host.local                          120     IN        NSEC  my\.host.local A TXT
            ;; additional:
            my\.host.local                          120     IN        SRV   1 2 80 my\.host.local
            my\.host.local                          120     IN        TYPE4711 \# 2 ab01

            """##
        #expect(text == expected)
    }

    @Test("Pieces of any length give the same text", arguments: [1, 7, 100])
    func pieces(length: Int) throws {
        let file = Self.capture([try Self.response(), [1, 2, 3], try Self.response()])
        let whole = decodedOutput(ofCapture: file, isJSON: false)
        let pieces = decodedOutput(ofCapture: file, isJSON: false, pieceLength: length)
        #expect(whole.output == pieces.output)
        #expect(whole.output.contains("no DNS message: 3 bytes: a message has at least 12"))
    }

    @Test("A packet that the snap length cut is cut, not malformed")
    func cut() throws {
        let file = Self.capture([try Self.response()], cutTo: 28 + 60)
        let (text, error, statistics) = decodedOutput(ofCapture: file, isJSON: false)
        #expect(error == nil)
        #expect(!text.contains("not for multicast DNS"))
        #expect(text.contains("60 bytes of 155, cut by the snap length"))
        #expect(text.contains(";; cut off from answer 2 at byte 56\n"))
        #expect(
            DecodeNotes.problems(statistics)
                == ["1 packet cut by the snap length (at byte 24)"])
        let line = try #require(try decodedLines(ofCapture: file).first)
        #expect(line["malformed"] == .boolean(false))
        #expect(line["udp_length_field"] == .number("163"))
        #expect(
            line["skipped"]?.elements.first?["reason"] == .string("cut by the snap length"))
    }

    @Test("Dates before 1970 and after 2100, leap years")
    func dates() {
        func text(_ seconds: Int64) -> String {
            var bytes: [UInt8] = []
            DecodeNames.appendDate(CaptureTime(seconds: seconds), to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(text(0) == "1970-01-01 00:00:00.000000 UTC")
        #expect(text(-1) == "1969-12-31 23:59:59.000000 UTC")
        #expect(text(951_782_400) == "2000-02-29 00:00:00.000000 UTC")
        #expect(text(4_107_542_400) == "2100-03-01 00:00:00.000000 UTC")
        #expect(text(1_704_067_199) == "2023-12-31 23:59:59.000000 UTC")
        #expect(!text(.max).isEmpty && !text(.min).isEmpty)
    }

    @Test("Numbers as text")
    func numbers() {
        func text(_ value: UInt64, digits: Int = 1) -> String {
            var bytes: [UInt8] = []
            bytes.append(decimal: value, digits: digits)
            return String(decoding: bytes, as: UTF8.self)
        }
        for value in [0, 1, 9, 10, 99, 100, 65_535, .max / 2, .max] as [UInt64] {
            #expect(text(value) == String(value))
        }
        #expect(text(0, digits: 3) == "000")
        #expect(text(42, digits: 3) == "042")
        #expect(text(1234, digits: 3) == "1234")
        #expect(text(5, digits: 9) == "000000005")
    }
}
