import DNSMessages
import NetworkPrimitives
import Testing

@Suite struct UncompressedDataTests {
    private let host = name("host.local")

    @Test("M8-25 names in data are uncompressed, however they were written")
    func uncompressed() throws {
        let record = "'' \"host.local\" 0021 0001 00000078"
        for data in ["0012 0000 0000 0050 \"host.local\"", "0008 0000 0000 0050 C00C"] {
            let decoded = try Message.decode(responseHeader(0, 1) + wire(record + data))
            try #require(decoded.message.answers.count == 1)
            #expect(
                decoded.message.answers[0].data.uncompressedBytes
                    == wire("0000 0000 0050 \"host.local\""))
        }
    }

    @Test("the bytes of every kind of data are those on the wire without compression")
    func bytes() throws {
        let data: [(RecordData, String)] = [
            (.a(IPv4Address(192, 0, 2, 1)), "C0000201"),
            (.aaaa(IPv6Address(high: 0xFE80 << 48, low: 1)), "FE80 000000000000 0000000000000001"),
            (.ptr(host), "\"host.local\""), (.cname(.root), "00"),
            (
                .srv(ServiceLocation(target: host, port: 3, priority: 1, weight: 2)),
                "0001 0002 0003 \"host.local\""
            ),
            (.txt(TextStrings(unchecked: [])), "00"),
            (.nsec(NextSecure(nextName: host, types: [.a])), "\"host.local\" 00 01 40"),
            (
                .hinfo(try #require(HostInformation(processor: [1], operatingSystem: [2, 3]))),
                "01 01 02 0203"
            ),
            (
                .opt(ExtensionOptions(udpPayloadSize: 9, options: [.init(code: 4, bytes: [7])])),
                "0004 0001 07"
            ),
            (.unknown(RecordType(rawValue: 300), [1, 2]), "0102"),
        ]
        for (data, text) in data { #expect(data.uncompressedBytes == wire(text)) }
    }
}
