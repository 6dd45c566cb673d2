import NetworkPrimitives
import Testing

@testable import PacketCapture

@Suite struct LinkLayerTests {
    /// The payload that is found in one frame.
    func payload(_ bytes: [UInt8], _ linkType: LinkType) -> [UInt8]? {
        var extraction = DatagramExtraction()
        return extraction.datagram(in: Sample.frame(bytes, linkType)).map { Array($0.payload) }
    }

    @Test("Ethernet, with tags, trailers and LLC")
    func ethernet() {
        let packet = Sample.packet()
        #expect(payload(Sample.ethernet(packet), .ethernet) == Sample.payload)
        let v6 = Sample.packet(.ipv6)
        #expect(payload(Sample.ethernet(v6, type: [0x86, 0xDD]), .ethernet) == Sample.payload)
        let trailer = [UInt8](repeating: 0xEE, count: 6)
        #expect(payload(Sample.ethernet(packet + trailer), .ethernet) == Sample.payload)
        let tag: [UInt8] = [0x81, 0, 0, 5, 8, 0]
        #expect(payload(Sample.ethernet(packet, type: tag), .ethernet) == Sample.payload)
        let tags: [UInt8] = [0x88, 0xA8, 0, 7, 0x81, 0, 0, 5, 8, 0]
        #expect(payload(Sample.ethernet(packet, type: tags), .ethernet) == Sample.payload)
        let llc: [UInt8] = [0, 100, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0]
        #expect(payload(Sample.ethernet(packet, type: llc), .ethernet) == Sample.payload)
        let endless = [UInt8]((0..<10).flatMap { _ in [0x81, 0, 0, 1] as [UInt8] }) + [8, 0]
        #expect(payload(Sample.ethernet(packet, type: endless), .ethernet) == nil)
        #expect(payload(Sample.ethernet(packet, type: [8, 6]), .ethernet) == nil)
    }

    @Test("Linux cooked, versions 1 and 2")
    func cooked() {
        let packet = Sample.packet()
        let first: [UInt8] = [0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0]
        #expect(payload(first + packet, .linuxCooked) == Sample.payload)
        let second: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0]
        #expect(payload(second + packet, .linuxCooked2) == Sample.payload)
        let tagged = [0x81, 0] + second.dropFirst(2) + [0, 5, 8, 0]
        #expect(payload(tagged + packet, .linuxCooked2) == Sample.payload)
    }

    @Test("Raw IP under all its numbers", arguments: [12, 14, 101] as [UInt16])
    func raw(number: UInt16) {
        let type = LinkType(rawValue: number)
        #expect(type.isSupported)
        #expect(payload(Sample.packet(), type) == Sample.payload)
        #expect(payload(Sample.packet(.ipv6), type) == Sample.payload)
    }

    @Test("BSD loopback in both orders, with each system's number for IPv6")
    func loopback() {
        for type in [LinkType.null, .loop] {
            #expect(payload([0, 0, 0, 2] + Sample.packet(), type) == Sample.payload)
            #expect(payload([2, 0, 0, 0] + Sample.packet(), type) == Sample.payload)
            for family in [10, 24, 28, 30] as [UInt8] {
                let packet = Sample.packet(.ipv6)
                #expect(payload([family, 0, 0, 0] + packet, type) == Sample.payload)
                #expect(payload([0, 0, 0, family] + packet, type) == Sample.payload)
            }
            #expect(payload([7, 0, 0, 0] + Sample.packet(), type) == nil)
        }
    }

    static let snap: [UInt8] = [0xAA, 0xAA, 3, 0, 0, 0, 8, 0]

    /// An 802.11 header of those control bytes, with `length` bytes in all.
    func header(_ control: UInt8, _ flags: UInt8, length: Int) -> [UInt8] {
        [control, flags] + [UInt8](repeating: 0, count: length - 2)
    }

    @Test("802.11 data: plain, QoS, four addresses, HT control")
    func wireless() {
        let data = Self.snap + Sample.packet()
        #expect(payload(header(0x08, 0x01, length: 24) + data, .wireless) == Sample.payload)
        #expect(payload(header(0x08, 0x03, length: 30) + data, .wireless) == Sample.payload)
        #expect(payload(header(0x88, 0x02, length: 26) + data, .wireless) == Sample.payload)
        #expect(payload(header(0x88, 0x82, length: 30) + data, .wireless) == Sample.payload)
        // No data in it, a beacon, a control frame.
        #expect(payload(header(0x48, 0x01, length: 24) + data, .wireless) == nil)
        #expect(payload(header(0x80, 0x00, length: 24) + data, .wireless) == nil)
        #expect(payload(header(0xD4, 0x00, length: 24) + data, .wireless) == nil)
    }

    @Test("802.11 that can't be read is counted: encrypted, aggregated")
    func wirelessCounted() {
        let data = Self.snap + Sample.packet()
        var extraction = DatagramExtraction()
        func look(_ bytes: [UInt8]) {
            #expect(extraction.datagram(in: Sample.frame(bytes, .wireless)) == nil)
        }
        look(header(0x08, 0x41, length: 24) + data)
        var aggregate = header(0x88, 0x01, length: 26)
        aggregate[24] = 0x80
        look(aggregate + data)
        look(header(0x08, 0x05, length: 24) + data)
        #expect(extraction.statistics.encryptedFrames == 1)
        #expect(extraction.statistics.aggregateFrames == 2)
    }

    @Test("Radiotap headers: extended presence words, the clock, padded 802.11 headers")
    func radiotap() {
        let frame = header(0x88, 0x01, length: 26) + [0, 0] + Self.snap + Sample.packet()
        // Clock and flags present, one more presence word: fields begin at 12, clock at 16.
        var tap: [UInt8] = [0, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]
        tap += [UInt8](repeating: 0xFF, count: 8) + [0x20]
        #expect(payload(tap + frame, .radiotap) == Sample.payload)
        let plain = header(0x08, 0x01, length: 24) + Self.snap + Sample.packet()
        #expect(payload([0, 0, 9, 0, 2, 0, 0, 0, 0x10] + plain, .radiotap) == Sample.payload)
        #expect(payload([0, 0, 8, 0, 0, 0, 0, 0] + plain, .radiotap) == Sample.payload)
        #expect(payload([0, 0, 0xFF, 0xFF, 0, 0, 0, 0] + plain, .radiotap) == nil)
    }

    @Test("Link types that we don't know are counted, and have a name")
    func unsupported() {
        var extraction = DatagramExtraction()
        let usb = LinkType(rawValue: 220)
        #expect(extraction.datagram(in: Sample.frame(Sample.packet(), usb)) == nil)
        #expect(extraction.statistics.unsupportedFrames == 1)
        #expect(!usb.isSupported)
        #expect(usb.description == "Linux USB, padded (220)")
        #expect(LinkType(rawValue: 4711).description == "link type 4711")
    }

    @Test("A frame cut anywhere never gives a wrong payload, and never traps")
    func cutAnywhere() {
        let packet = Sample.packet()
        let tap: [UInt8] = [0, 0, 9, 0, 2, 0, 0, 0, 0x10]
        let frames: [(LinkType, [UInt8])] = [
            (.ethernet, Sample.ethernet(packet, type: [0x81, 0, 0, 5, 8, 0])),
            (.ethernet, Sample.ethernet(Sample.packet(.ipv6), type: [0x86, 0xDD])),
            (.null, [2, 0, 0, 0] + packet),
            (.radiotap, tap + header(0x88, 0x82, length: 30) + Self.snap + packet),
        ]
        for (type, bytes) in frames {
            for length in 0..<bytes.count {
                var extraction = DatagramExtraction()
                let frame = Sample.frame(
                    Array(bytes.prefix(length)), type, originalLength: bytes.count)
                let found = extraction.datagram(in: frame)
                if let found {
                    #expect(found.isCut)
                    #expect(
                        Array(found.payload) == Array(Sample.payload.prefix(found.payload.count)))
                    #expect(extraction.statistics.cutDatagrams == 1)
                } else {
                    #expect(extraction.statistics.cutFrames == 1)
                }
                #expect(extraction.statistics.malformedFrames == 0)
            }
        }
    }
}

@Suite struct InternetPacketTests {
    func datagram(_ packet: [UInt8]) -> CapturedDatagram? {
        var extraction = DatagramExtraction()
        return extraction.datagram(in: Sample.frame(packet, .raw))
    }

    @Test("Addresses, ports, hop limit")
    func fields() throws {
        for family in AddressFamily.allCases {
            let found = try #require(datagram(Sample.packet(family)))
            #expect(found.source == (family == .ipv4 ? Sample.v4 : Sample.v6))
            #expect(found.destination == SocketAddress(.multicastDNS(family), port: 5353))
            #expect(found.hopLimit == 255)
            #expect(found.lengthField == 48)
            #expect(!found.isCut)
        }
    }

    @Test("One side's port is enough; neither is not")
    func ports() throws {
        let group = SocketAddress(.v4(.multicastDNS), port: 5353)
        let other = SocketAddress(.v4(IPv4Address(192, 0, 2, 9)), port: 40_000)
        let there = try #require(
            DatagramFrame.packet(from: other, to: group, payload: Sample.payload))
        let back = try #require(
            DatagramFrame.packet(from: group, to: other, payload: Sample.payload))
        let neither = try #require(
            DatagramFrame.packet(from: other, to: other, payload: Sample.payload))
        #expect(datagram(there)?.source.port == 40_000)
        #expect(datagram(back)?.destination.port == 40_000)
        #expect(datagram(neither) == nil)
    }

    @Test("IPv4 with options")
    func options() {
        var packet = Sample.packet()
        packet[0] = 0x46
        packet.insert(contentsOf: [0x94, 4, 0, 0], at: 20)
        packet[3] += 4
        #expect(datagram(packet).map { Array($0.payload) } == Sample.payload)
    }

    @Test("A total length of 0 means as long as the frame")
    func offloaded() {
        var packet = Sample.packet()
        packet[2] = 0
        packet[3] = 0
        #expect(datagram(packet).map { Array($0.payload) } == Sample.payload)
    }

    @Test("IPv6 with a chain of extension headers")
    func extensionHeaders() {
        var packet = Sample.packet(.ipv6)
        // Hop-by-hop with router alert, destination options, authentication of 24 bytes.
        let chain: [UInt8] =
            [60, 0, 5, 2, 0, 0, 1, 0] + [51, 0, 1, 4, 0, 0, 0, 0]
            + [17, 4] + [UInt8](repeating: 0, count: 22)
        packet[6] = 0
        packet.insert(contentsOf: chain, at: 40)
        packet[5] += UInt8(chain.count)
        #expect(datagram(packet).map { Array($0.payload) } == Sample.payload)
    }

    @Test("Headers that contradict themselves are malformed, other protocols are not")
    func contradictions() {
        func count(_ packet: [UInt8]) -> DatagramExtraction.Statistics {
            var extraction = DatagramExtraction()
            #expect(extraction.datagram(in: Sample.frame(packet, .raw)) == nil)
            return extraction.statistics
        }
        var packet = Sample.packet()
        packet[0] = 0x44
        #expect(count(packet).malformedFrames == 1)
        packet[0] = 0x75
        #expect(count(packet).malformedFrames == 1)
        packet = Sample.packet()
        packet[3] = 10
        #expect(count(packet).malformedFrames == 1)
        packet = Sample.packet()
        packet[25] = 7
        #expect(count(packet).malformedFrames == 1)
        packet = Sample.packet()
        packet[9] = 6
        #expect(count(packet).otherFrames == 1)
        // Not cut by the snap length, and yet shorter than a header.
        #expect(count(Array(packet.prefix(15))).malformedFrames == 1)
        var v6 = Sample.packet(.ipv6)
        v6[6] = 50
        #expect(count(v6).otherFrames == 1)
    }

    @Test("A UDP length beyond the packet leaves what is there")
    func longLengthField() throws {
        var packet = Sample.packet()
        packet[25] = 200
        let found = try #require(datagram(packet))
        #expect(found.lengthField == 200)
        #expect(Array(found.payload) == Sample.payload)
        #expect(!found.isCut)
    }
}
