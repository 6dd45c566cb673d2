import DNSMessages
import NetworkPrimitives
import Testing

@Suite struct MessageDescriptionTests {
    @Test("a message reads like dig's, without anything raw from the network")
    func message() throws {
        let host = name(#"a\.b.local"#)
        let message = Message(
            header: .response,
            questions: [Question(host, .any, prefersUnicast: true)],
            answers: [
                ResourceRecord(
                    host, .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host, cacheFlush: true),
                ResourceRecord(
                    host, .txt(TextStrings(unchecked: wire("03 'a=1' 00 04 22 5C 1B FF"))),
                    timeToLive: .standard),
                ResourceRecord(
                    host, .srv(ServiceLocation(target: .root, port: 9, weight: 1)),
                    timeToLive: .host),
            ],
            additionals: [
                ResourceRecord(
                    host, .nsec(NextSecure(nextName: host, types: [.a, .aaaa])),
                    timeToLive: .host),
                ResourceRecord(
                    host, .unknown(RecordType(rawValue: 999), [10, 11]), timeToLive: .host),
                ResourceRecord(
                    ExtensionOptions(
                        udpPayloadSize: 1440, options: [.init(code: 4, bytes: [0, 1])])),
            ])
        #expect(
            message.description == ##"""
                response id 0 flags qr aa
                question:
                    a\.b.local IN ANY QU
                answer:
                    a\.b.local 120 IN flush A 192.0.2.1
                    a\.b.local 4500 IN TXT "a=1" "" "\"\\\027\255"
                    a\.b.local 120 IN SRV 0 1 9 .
                additional:
                    a\.b.local 120 IN NSEC a\.b.local A AAAA
                    a\.b.local 120 IN TYPE999 \# 2 0a0b
                    . OPT size 1440 option 4 0001
                """##)
    }

    @Test(
        "headers",
        arguments: [
            (MessageHeader.query, "query id 0"),
            (MessageHeader(id: 7, flags: 0x0320), "query id 7 flags tc rd ad"),
            (MessageHeader(flags: 0xA803), "response id 0 flags qr opcode 5 rcode 3"),
            (MessageHeader(flags: 0x87F0), "response id 0 flags qr aa tc rd ra z ad cd"),
        ])
    func header(header: MessageHeader, text: String) {
        #expect(header.description == text)
    }

    @Test("R3597-1 unknown types in text: TYPEnnn and \\# length bytes")
    func unknown() {
        let record = ResourceRecord(
            name("a"), .unknown(RecordType(rawValue: 65_280), []), timeToLive: .seconds(1),
            recordClass: RecordClass(rawValue: 3))
        #expect(record.description == ##"a 1 CLASS3 TYPE65280 \# 0"##)
    }
}
