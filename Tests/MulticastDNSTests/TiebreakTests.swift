import DNSMessages
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite struct TiebreakTests {
    private let host = named("host.local")

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
        #expect(Tiebreak(low, against: record(raw(300, [0]), recordClass: 2)) == .earlier)
        #expect(Tiebreak(low, against: record(raw(301, [0]))) == .earlier)
        #expect(Tiebreak(low, against: record(raw(299, [9, 10]))) == .later)
        #expect(Tiebreak(low, against: record(raw(300, [9, 8]))) == .later)
        // A type beats any data of a lesser type, a class beats any type.
        let a = record(.a(IPv4Address(255, 255, 255, 255)))
        #expect(Tiebreak(a, against: record(.aaaa(.loopback))) == .earlier)
        #expect(Tiebreak(record(raw(1, [0]), recordClass: 3), against: a) == .later)
    }

    @Test("M8-24 the top bit of the class has no say")
    func topBit() {
        let flush = record(.a(IPv4Address(192, 0, 2, 1)), cacheFlush: true)
        #expect(Tiebreak(flush, against: record(.a(IPv4Address(192, 0, 2, 1)))) == .same)
        #expect(Tiebreak(flush, against: record(.a(IPv4Address(192, 0, 2, 2)))) == .earlier)
    }

    @Test("M8-25 names in data are compared uncompressed, however they were written")
    func uncompressed() throws {
        let records = [record(.srv(ServiceLocation(target: host, port: 80)))]
        let decoded = try [true, false].map { compresses in
            var encoder = MessageEncoder(
                header: .response, limit: 1472, compressesServiceTargets: compresses)
            for record in records {
                let fits = encoder.append(record, to: .answer)
                #expect(fits)
            }
            let bytes = encoder.finish()
            return (bytes.count, try Message.decode(bytes).message.answers)
        }
        #expect(decoded[0].0 < decoded[1].0)
        #expect(Tiebreak(decoded[0].1, against: decoded[1].1) == .same)
        #expect(Tiebreak(decoded[0].1, against: records) == .same)
    }

    @Test("M8-26 bytes are compared as unsigned numbers")
    func unsigned() {
        let high = record(.a(IPv4Address(169, 254, 200, 50)))
        let low = record(.a(IPv4Address(169, 254, 99, 200)))
        #expect(Tiebreak(high, against: low) == .later)
        #expect(Tiebreak(low, against: high) == .earlier)
        #expect(Tiebreak(record(raw(300, [0x80])), against: record(raw(300, [0x7F]))) == .later)
    }

    @Test("M8-26 of data that begins alike the longer is later")
    func prefix() throws {
        let short = record(.txt(try #require(TextStrings([Array("a".utf8)]))))
        let long = record(.txt(try #require(TextStrings([Array("a".utf8), Array("b".utf8)]))))
        #expect(Tiebreak(short, against: long) == .earlier)
        #expect(Tiebreak(long, against: short) == .later)
        #expect(Tiebreak(record(raw(300, [])), against: record(raw(300, [0]))) == .earlier)
    }

    @Test("M8-27 sets are sorted and compared pair by pair up to the first difference")
    func sets() {
        let srv = { (port: UInt16) in
            self.record(.srv(ServiceLocation(target: self.host, port: port)))
        }
        let text = record(.txt(.empty))
        // TXT (16) comes before SRV (33), whatever the order in the packet.
        #expect(Tiebreak([srv(80), text], against: [text, srv(80)]) == .same)
        #expect(Tiebreak([srv(80), text], against: [srv(81), text]) == .earlier)
        let otherText = record(.txt(TextStrings(unchecked: [1, 0x61])))
        #expect(Tiebreak([srv(80), otherText], against: [srv(81), text]) == .later)
        // The least of each come first: 1 against 1, then 5 against 3.
        let address = { (last: UInt8) in self.record(.a(IPv4Address(192, 0, 2, last))) }
        #expect(
            Tiebreak([address(5), address(1)], against: [address(1), address(3)]) == .later)
    }

    @Test("M8-28 if there is no difference, the set with records left is later")
    func moreRecords() {
        let a = record(.a(IPv4Address(192, 0, 2, 1)))
        let b = record(.aaaa(.loopback))
        #expect(Tiebreak([a], against: [a, b]) == .earlier)
        #expect(Tiebreak([b, a], against: [a]) == .later)
        #expect(Tiebreak([], against: [a]) == .earlier)
        // A difference before the end decides, not the number.
        #expect(
            Tiebreak([record(.a(IPv4Address(192, 0, 2, 2)))], against: [a, b]) == .later)
    }

    @Test("M8-29 two equal sets: no conflict")
    func equalSets() {
        let set = [record(.a(IPv4Address(192, 0, 2, 1))), record(.txt(.empty))]
        #expect(Tiebreak(set, against: set.reversed()) == .same)
        #expect(Tiebreak([ResourceRecord](), against: []) == .same)
    }
}
