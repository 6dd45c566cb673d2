import DNSMessages
import NetworkPrimitives
import PacketCapture
import TestSupport
import Testing

@testable import MDNSTool

@Suite struct DecodeJSONTests {
    @Test("An object has the keys that the help describes, in every kind of record")
    func keys() throws {
        let file = DecodeTextTests.capture([try DecodeTextTests.response()])
        let line = try #require(try decodedLines(ofCapture: file).first)
        #expect(
            line.keys == [
                "counts", "dport", "dst", "flags", "frame", "id", "malformed", "records",
                "skipped", "sport", "src", "time", "udp_payload_len",
            ])
        #expect(line["time"] == .number("1456704000.000001500"))
        #expect(line["counts"] == .array([0, 4, 0, 2].map { .number(String($0)) }))
        let records = line["records"]?.elements ?? []
        #expect(records.count == 6)
        for record in records {
            #expect(
                record.keys == [
                    "class", "class_top_bit", "name", "offset", "rdata", "rdlength", "section",
                    "ttl", "type",
                ])
        }
        let data = records.map { $0["rdata"]?.keys ?? [] }
        #expect(
            data == [
                ["target"], ["address"], ["strings"], ["next_name", "types"],
                ["port", "priority", "target", "weight"], ["hex"],
            ])
        #expect(records[0]["rdata"]?["target"] == .string("Küche\\027[1m._a.local"))
        #expect(
            records[2]["rdata"]?["strings"]
                == .array([
                    .string("a=\"1\""), .object(["hex": .string("1bff")]), .string(""),
                ]))
        #expect(records[5]["rdata"]?["hex"] == .string("ab01"))
    }

    @Test("Questions have no data, OPT has fields of its own")
    func questionsAndOptions() throws {
        var query = Message()
        query.questions = [Question(.local, .ptr, prefersUnicast: true)]
        let options = ExtensionOptions(
            udpPayloadSize: 1440, extendedResponseCode: 1, version: 0, flags: 0x8000,
            options: [.init(code: 4, bytes: [0, 0xFF])])
        query.additionals = [ResourceRecord(options)]
        let line = decodedLine(ofMessage: try query.encoded())
        let records = line["records"]?.elements ?? []
        #expect(
            records.first
                == .object([
                    "section": .string("question"), "offset": .number("12"),
                    "name": .string("local"), "type": .number("12"), "class": .number("1"),
                    "class_top_bit": .boolean(true),
                ]))
        #expect(
            records.last
                == .object([
                    "section": .string("additional"), "offset": .number("23"),
                    "name": .string("."), "type": .number("41"), "rdlength": .number("6"),
                    "udp_payload_size": .number("1440"), "extended_rcode": .number("1"),
                    "version": .number("0"), "flags": .number("32768"),
                    "options": .array([
                        .object(["code": .number("4"), "hex": .string("00ff")])
                    ]),
                ]))
    }

    @Test("A refused record is shown without its data, and told among the skipped")
    func refused() throws {
        let bytes: [UInt8] =
            [0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0]
            + [1, 0x61, 0, 0, 1, 0x80, 1, 0, 0, 0, 1, 0, 3, 7, 8, 9]
            + [1, 0x62, 0, 0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4, 192, 0, 2, 1]
        let line = decodedLine(ofMessage: bytes)
        #expect(line["malformed"] == .boolean(true))
        let records = line["records"]?.elements ?? []
        #expect(records.map { $0["name"]?.text } == ["a", "b"])
        #expect(records.map { $0["rdata"] == .null } == [true, false])
        #expect(
            line["skipped"]
                == .array([
                    .object([
                        "section": .string("answer"), "index": .number("0"),
                        "offset": .number("12"),
                        "reason": .string("RDLENGTH does not fit the type"),
                    ])
                ]))
    }

    @Test("Less than a header has nothing but that")
    func unreadable() {
        let line = decodedLine(ofMessage: [1, 2, 3, 4])
        #expect(line["id"] == .null && line["flags"] == .null && line["counts"] == .null)
        #expect(line["malformed"] == .boolean(true))
        #expect(line["records"] == .array([]))
        #expect(line["skipped"]?.elements.first?["section"] == .string("header"))
    }

    @Test("Times before 1970 keep their fraction")
    func negativeTime() throws {
        var json = DecodeJSON()
        let datagram = try #require(
            Self.datagram(at: CaptureTime(seconds: -5, nanoseconds: 250_000_000)))
        json.write(datagram, ReadMessage(datagram.payload.span))
        #expect(JSONValue(json.json.bytes)?["time"] == .number("-4.750000000"))
    }

    private static func datagram(at time: CaptureTime) -> CapturedDatagram? {
        let endpoint = SocketAddress(.v4(.multicastDNS), port: 5353)
        guard
            let packet = DatagramFrame.packet(
                from: endpoint, to: endpoint, payload: [UInt8](repeating: 0, count: 12))
        else { return nil }
        var extraction = DatagramExtraction()
        return extraction.datagram(
            in: CapturedFrame(
                number: 1, time: time, linkType: .raw, originalLength: packet.count,
                bytes: packet[...]))
    }
}
