import DNSMessages
import NetworkPrimitives
import Testing

@Suite struct MessageCodecTests {
    private let printer = name(#"My\.Printer._ipp._tcp.local"#)
    private let type = name("_ipp._tcp.local")
    private let host = name("printer.local")

    private var response: Message {
        Message(
            header: .response,
            answers: [
                ResourceRecord(type, .ptr(printer), timeToLive: .standard),
                ResourceRecord(
                    printer, .srv(ServiceLocation(target: host, port: 631)), timeToLive: .host,
                    cacheFlush: true),
                ResourceRecord(
                    printer, .txt(TextStrings([Array("a=1".utf8), []]) ?? .empty),
                    timeToLive: .standard, cacheFlush: true),
            ],
            additionals: [
                ResourceRecord(
                    host, .a(IPv4Address(192, 0, 2, 1)), timeToLive: .host, cacheFlush: true),
                ResourceRecord(
                    host, .aaaa(IPv6Address(high: 0x2001_0db8 << 32, low: 1)), timeToLive: .host,
                    cacheFlush: true),
                ResourceRecord(
                    host, .nsec(NextSecure(nextName: host, types: [.a, .aaaa])),
                    timeToLive: .host, cacheFlush: true),
                ResourceRecord(
                    ExtensionOptions(
                        udpPayloadSize: 1440, flags: 0x8000,
                        options: [.init(code: 4, bytes: [0, 1, 2])])),
            ])
    }

    @Test("a response comes back as it was")
    func roundTrip() throws {
        let bytes = try response.encoded()
        let decoded = try Message.decode(bytes)
        #expect(decoded.message == response)
        #expect(decoded.skipped.isEmpty)
        #expect(decoded.trailingByteCount == 0)
        #expect(decoded.counts == MessageCounts(answers: 3, additionals: 4))
        #expect(decoded.positions.map(\.section).map(\.rawValue) == [1, 1, 1, 3, 3, 3, 3])
        #expect(decoded.positions.map(\.dataLength) == [13, 16, 5, 4, 16, 8, 7])
    }

    @Test("a query comes back as it was")
    func query() throws {
        let query = Message(
            questions: [
                Question(type, .ptr, prefersUnicast: true), Question(host, .any),
                Question(.root, .a, recordClass: .any),
            ],
            answers: [ResourceRecord(type, .ptr(printer), timeToLive: .standard)],
            authorities: [
                ResourceRecord(
                    host, .hinfo(HostInformation(processor: [1], operatingSystem: [])!),
                    timeToLive: .host)
            ])
        let decoded = try Message.decode(try query.encoded())
        #expect(decoded.message == query)
        #expect(decoded.skipped.isEmpty)
    }

    @Test("the limit holds, and what does not fit leaves no trace")
    func limit() throws {
        let whole = try response.encoded()
        #expect(throws: MessageEncodingError.self) {
            try response.encoded(limit: whole.count - 1)
        }
        #expect(try response.encoded(limit: whole.count) == whole)

        var encoder = MessageEncoder(header: .response, limit: 60)
        let first = ResourceRecord(type, .ptr(printer), timeToLive: .standard)
        let fits = encoder.append(first, to: .answer)
        #expect(fits)
        let before = encoder.byteCount
        let tooLong = ResourceRecord(
            name("a.long.name.that.does.not.fit.local"), .ptr(printer), timeToLive: .standard)
        let fitsToo = encoder.append(tooLong, to: .additional)
        #expect(!fitsToo)
        #expect(encoder.byteCount == before)
        #expect(encoder.count(of: .answer) == 1)
        #expect(encoder.count(of: .additional) == 0)
    }
}
