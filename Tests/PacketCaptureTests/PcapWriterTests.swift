import NetworkPrimitives
import Testing

@testable import PacketCapture

@Suite struct PcapWriterTests {
    @Test("What is written is read again")
    func roundTrip() {
        let writer = PcapWriter(linkType: .raw)
        var file = writer.fileHeader
        let time = CaptureTime(seconds: 1_700_000_000, nanoseconds: 123_456_789)
        writer.append(Sample.packet(), at: time, to: &file)
        writer.append(Sample.packet(.ipv6), at: CaptureTime(seconds: -5), to: &file)
        let (frames, error) = readCapture(file)
        #expect(error == nil)
        #expect(frames.map { Array($0.bytes) } == [Sample.packet(), Sample.packet(.ipv6)])
        #expect(frames.map(\.time) == [time, CaptureTime(seconds: 0)])
        #expect(frames.map(\.linkType) == [.raw, .raw])
    }

    @Test("Frames are cut at the snap length, their length kept")
    func snapLength() {
        let writer = PcapWriter(linkType: .ethernet, snapLength: 10)
        var file = writer.fileHeader
        writer.append(Sample.packet(), at: CaptureTime(seconds: 0), to: &file)
        let frames = readCapture(file).frames
        #expect(frames.map(\.bytes.count) == [10])
        #expect(frames.map(\.originalLength) == [Sample.packet().count])
    }

    /// The checksum rule read the other way: the sum over what it covers is all ones.
    func onesSum(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0
        for (index, byte) in bytes.enumerated() {
            sum += index.isMultiple(of: 2) ? UInt32(byte) << 8 : UInt32(byte)
            if sum > 0xFFFF { sum = sum & 0xFFFF + 1 }
        }
        return sum
    }

    @Test("Checksums of IP and UDP are right", arguments: [0, 1, 2, 39, 40, 1472])
    func checksums(length: Int) {
        let payload = [UInt8]((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 200) })
        let v4 = Sample.packet(.ipv4, payload: payload)
        #expect(onesSum(Array(v4[..<20])) == 0xFFFF)
        let count = UInt16(length + 8)
        let pseudo: [UInt8] = [0, 17, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
        #expect(onesSum(Array(v4[12..<20]) + pseudo + v4[20...]) == 0xFFFF)
        let v6 = Sample.packet(.ipv6, payload: payload)
        #expect(onesSum(Array(v6[8..<40]) + pseudo + v6[40...]) == 0xFFFF)
    }

    @Test("No packet for mixed families or for too much")
    func refused() {
        #expect(DatagramFrame.packet(from: Sample.v4, to: Sample.v6, payload: [1]) == nil)
        let tooLong = [UInt8](repeating: 0, count: 65_508)
        #expect(DatagramFrame.packet(from: Sample.v4, to: Sample.v4, payload: tooLong) == nil)
    }
}
