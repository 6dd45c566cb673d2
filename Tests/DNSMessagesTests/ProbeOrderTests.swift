import DNSMessages
import NetworkPrimitives
import Testing

@Suite struct ProbeOrderTests {
    private let host = name("host.local")

    private func record(
        _ data: RecordData, recordClass: UInt16 = 1, cacheFlush: Bool = false
    ) -> ResourceRecord {
        ResourceRecord(
            host, data, timeToLive: .host, recordClass: RecordClass(rawValue: recordClass),
            cacheFlush: cacheFlush)
    }
    private func raw(_ type: UInt16, _ bytes: [UInt8]) -> RecordData {
        .unknown(RecordType(rawValue: type), bytes)
    }

    @Test("M8-24 field 43: class first, then type, then data; the greater number is later")
    func order() {
        let low = record(raw(300, [9, 9]))
        #expect(ProbeOrder(low, against: record(raw(300, [0]), recordClass: 2)) == .earlier)
        #expect(ProbeOrder(low, against: record(raw(301, [0]))) == .earlier)
        #expect(ProbeOrder(low, against: record(raw(299, [9, 10]))) == .later)
        #expect(ProbeOrder(low, against: record(raw(300, [9, 8]))) == .later)
        // A type beats any data of a lesser type, a class beats any type.
        let a = record(.a(IPv4Address(255, 255, 255, 255)))
        #expect(ProbeOrder(a, against: record(.aaaa(.loopback))) == .earlier)
        #expect(ProbeOrder(record(raw(1, [0]), recordClass: 3), against: a) == .later)
    }

    @Test("M8-24 the top bit of the class has no say")
    func topBit() {
        let flush = record(.a(IPv4Address(192, 0, 2, 1)), cacheFlush: true)
        #expect(ProbeOrder(flush, against: record(.a(IPv4Address(192, 0, 2, 1)))) == .same)
        #expect(ProbeOrder(flush, against: record(.a(IPv4Address(192, 0, 2, 2)))) == .earlier)
    }

    @Test("M8-25 names in data are compared uncompressed, however they were written")
    func uncompressed() throws {
        let target = "'' \"host.local\" 0021 0001 00000078"
        let full = try Message.decode(
            responseHeader(0, 1) + wire(target + "0012 0000 0000 0050 \"host.local\""))
        let compressed = try Message.decode(
            responseHeader(0, 1) + wire(target + "0008 0000 0000 0050 C00C"))
        #expect(compressed.message.answers.count == 1)
        #expect(
            ProbeOrder(full.message.answers, against: compressed.message.answers) == .same)
        #expect(
            compressed.message.answers[0].data.uncompressedBytes
                == wire("0000 0000 0050 \"host.local\""))
    }

    @Test("M8-26 bytes are compared as unsigned numbers")
    func unsigned() {
        let high = record(.a(IPv4Address(169, 254, 200, 50)))
        let low = record(.a(IPv4Address(169, 254, 99, 200)))
        #expect(ProbeOrder(high, against: low) == .later)
        #expect(ProbeOrder(low, against: high) == .earlier)
        #expect(ProbeOrder(record(raw(300, [0x80])), against: record(raw(300, [0x7F]))) == .later)
    }

    @Test("M8-26 of data that begins alike the longer is later")
    func prefix() throws {
        let short = record(.txt(try #require(TextStrings([Array("a".utf8)]))))
        let long = record(.txt(try #require(TextStrings([Array("a".utf8), Array("b".utf8)]))))
        #expect(ProbeOrder(short, against: long) == .earlier)
        #expect(ProbeOrder(long, against: short) == .later)
        #expect(ProbeOrder(record(raw(300, [])), against: record(raw(300, [0]))) == .earlier)
    }

    @Test("M8-27 sets are sorted and compared pair by pair up to the first difference")
    func sets() {
        let srv = { (port: UInt16) in
            self.record(.srv(ServiceLocation(target: self.host, port: port)))
        }
        let text = record(.txt(.empty))
        // TXT (16) comes before SRV (33), whatever the order in the packet.
        #expect(ProbeOrder([srv(80), text], against: [text, srv(80)]) == .same)
        #expect(ProbeOrder([srv(80), text], against: [srv(81), text]) == .earlier)
        let otherText = record(.txt(TextStrings(unchecked: [1, 0x61])))
        #expect(ProbeOrder([srv(80), otherText], against: [srv(81), text]) == .later)
        // The least of each come first: 1 against 1, then 5 against 3.
        let address = { (last: UInt8) in self.record(.a(IPv4Address(192, 0, 2, last))) }
        #expect(
            ProbeOrder([address(5), address(1)], against: [address(1), address(3)]) == .later)
    }

    @Test("M8-28 if there is no difference, the set with records left is later")
    func moreRecords() {
        let a = record(.a(IPv4Address(192, 0, 2, 1)))
        let b = record(.aaaa(.loopback))
        #expect(ProbeOrder([a], against: [a, b]) == .earlier)
        #expect(ProbeOrder([b, a], against: [a]) == .later)
        #expect(ProbeOrder([], against: [a]) == .earlier)
        // A difference before the end decides, not the number.
        #expect(
            ProbeOrder([record(.a(IPv4Address(192, 0, 2, 2)))], against: [a, b]) == .later)
    }

    @Test("M8-29 two equal sets: no conflict")
    func equalSets() {
        let set = [record(.a(IPv4Address(192, 0, 2, 1))), record(.txt(.empty))]
        #expect(ProbeOrder(set, against: set.reversed()) == .same)
        #expect(ProbeOrder([ResourceRecord](), against: []) == .same)
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
            (raw(300, [1, 2]), "0102"),
        ]
        for (data, text) in data { #expect(data.uncompressedBytes == wire(text)) }
    }
}
