import NetworkPrimitives
import Testing

@testable import PacketCapture

@Suite struct FragmentReassemblyTests {
    static let payload = [UInt8]((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    /// An IP packet as fragments of `size` bytes each.
    static func fragments(
        _ family: AddressFamily, size: Int = 1000, identification: UInt8 = 1,
        payload: [UInt8] = payload
    ) -> [[UInt8]] {
        let packet = Sample.packet(family, payload: payload)
        let headerLength = family == .ipv4 ? 20 : 40
        let body = Array(packet[headerLength...])
        return stride(from: 0, to: body.count, by: size).map { offset in
            let piece = Array(body[offset..<min(offset + size, body.count)])
            let hasMore = offset + piece.count < body.count
            return fragment(
                header: Array(packet.prefix(headerLength)), piece: piece, offset: offset,
                hasMore: hasMore, identification: identification)
        }
    }

    static func fragment(
        header: [UInt8], piece: [UInt8], offset: Int, hasMore: Bool, identification: UInt8,
        next: UInt8 = 17
    ) -> [UInt8] {
        var header = header
        if header.count == 20 {
            let field = UInt16(offset / 8) | (hasMore ? 0x2000 : 0)
            header[2] = UInt8((20 + piece.count) >> 8)
            header[3] = UInt8(truncatingIfNeeded: 20 + piece.count)
            header[5] = identification
            header[6] = UInt8(field >> 8)
            header[7] = UInt8(truncatingIfNeeded: field)
            return header + piece
        }
        let field = UInt16(offset) | (hasMore ? 1 : 0)
        header[4] = UInt8((8 + piece.count) >> 8)
        header[5] = UInt8(truncatingIfNeeded: 8 + piece.count)
        header[6] = 44
        let extra = [
            next, 0, UInt8(field >> 8), UInt8(truncatingIfNeeded: field), 0, 0, 0, identification,
        ]
        return header + extra + piece
    }

    /// Feeds packets; the payloads found, with the number of the frame that completed each.
    func run(
        _ packets: [[UInt8]], secondsBetween: Int64 = 0
    ) -> (found: [Int: [UInt8]], statistics: DatagramExtraction.Statistics) {
        var extraction = DatagramExtraction()
        var found: [Int: [UInt8]] = [:]
        for (index, packet) in packets.enumerated() {
            let frame = Sample.frame(
                packet, .raw, number: index + 1, seconds: Int64(index) * secondsBetween)
            if let datagram = extraction.datagram(in: frame) {
                found[datagram.frameNumber] = Array(datagram.payload)
            }
        }
        extraction.finish()
        return (found, extraction.statistics)
    }

    @Test("In order, in reverse, and with frames captured twice", arguments: AddressFamily.allCases)
    func whole(family: AddressFamily) {
        let fragments = Self.fragments(family)
        #expect(fragments.count == 4)
        #expect(run(fragments).found == [4: Self.payload])
        #expect(run(fragments.reversed()).found == [4: Self.payload])
        let doubled = fragments.flatMap { [$0, $0] }
        let (found, statistics) = run(doubled)
        #expect(found == [7: Self.payload])
        #expect(statistics.fragments == 8)
        #expect(statistics.conflictingDatagrams == 0)
    }

    @Test("Two datagrams in between each other", arguments: AddressFamily.allCases)
    func interleaved(family: AddressFamily) {
        let one = Self.fragments(family, identification: 1)
        let other = Self.fragments(family, identification: 2, payload: Self.payload.reversed())
        let (found, _) = run(zip(one, other).flatMap { [$0, $1] })
        #expect(found == [7: Self.payload, 8: Self.payload.reversed()])
    }

    @Test("A missing fragment is counted", arguments: AddressFamily.allCases, 0..<4)
    func missing(family: AddressFamily, index: Int) {
        var fragments = Self.fragments(family)
        fragments.remove(at: index)
        let (found, statistics) = run(fragments)
        #expect(found.isEmpty)
        #expect(statistics.incompleteDatagrams == 1)
    }

    @Test("Of fragments that overlap none is believed", arguments: AddressFamily.allCases)
    func overlapping(family: AddressFamily) {
        var fragments = Self.fragments(family)
        let headerLength = family == .ipv4 ? 20 : 40
        fragments.insert(
            Self.fragment(
                header: Array(fragments[0].prefix(headerLength)),
                piece: [UInt8](repeating: 9, count: 16),
                offset: 992, hasMore: true, identification: 1), at: 1)
        let (found, statistics) = run(fragments)
        #expect(found.isEmpty)
        #expect(statistics.conflictingDatagrams >= 1)
    }

    @Test("After a minute the rest is not awaited any more")
    func timeout() {
        let fragments = Self.fragments(.ipv4, size: 2000)
        #expect(run(fragments, secondsBetween: 60).found == [2: Self.payload])
        let (found, statistics) = run(fragments, secondsBetween: 61)
        #expect(found.isEmpty)
        #expect(statistics.incompleteDatagrams == 2)
    }

    @Test("Beginnings without end are bounded in number and bytes")
    func bounds() {
        var reassembly = FragmentReassembly()
        var abandoned: [Int] = []
        for number in 0..<500 {
            let piece = [UInt8](repeating: 0, count: 60_000)
            var packet = Sample.packet()
            packet = Self.fragment(
                header: Array(packet.prefix(20)), piece: [], offset: 0, hasMore: true,
                identification: UInt8(truncatingIfNeeded: number))
            packet[4] = UInt8(number >> 8)
            do {
                let parsed = try InternetPacket(packet.span, at: 0)
                abandoned +=
                    reassembly.add(piece[...], of: parsed, at: nil, fileOffset: number)
                    .abandoned
            } catch {
                Issue.record("\(error)")
            }
        }
        // 17 of 60,000 bytes are within a mebibyte.
        #expect(abandoned == Array(0..<500 - 17))
        #expect(reassembly.removeAll() == Array(500 - 17..<500))
    }

    @Test("A datagram beyond 65,535 bytes is refused")
    func tooLong() {
        let header = Array(Sample.packet().prefix(20))
        let last = Self.fragment(
            header: header, piece: [UInt8](repeating: 0, count: 64), offset: 65_504,
            hasMore: false, identification: 3)
        #expect(run([last]).statistics.conflictingDatagrams == 1)
    }

    @Test("IPv6 destination options between the fragment header and UDP")
    func optionsInsideFragments() {
        let packet = Sample.packet(.ipv6, payload: Self.payload)
        let body: [UInt8] = [17, 0, 1, 4, 0, 0, 0, 0] + packet[40...]
        let header = Array(packet.prefix(40))
        let fragments = [
            Self.fragment(
                header: header, piece: Array(body[..<1600]), offset: 0, hasMore: true,
                identification: 5, next: 60),
            Self.fragment(
                header: header, piece: Array(body[1600...]), offset: 1600, hasMore: false,
                identification: 5, next: 60),
        ]
        #expect(run(fragments).found == [2: Self.payload])
    }

    @Test("A fragment that is first and last is a whole datagram")
    func atomic() {
        let packet = Sample.packet(.ipv6)
        let only = Self.fragment(
            header: Array(packet.prefix(40)), piece: Array(packet[40...]), offset: 0,
            hasMore: false, identification: 5)
        #expect(run([only]).found == [1: Sample.payload])
    }
}
