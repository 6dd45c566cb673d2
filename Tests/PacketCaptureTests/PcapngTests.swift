import Testing

@testable import PacketCapture

@Suite struct PcapngTests {
    @Test("Sections of both orders, each with interfaces of its own")
    func sections() {
        var little = FileBuilder(order: .littleEndian)
        little.addSection()
        little.addInterface(linkType: 1)
        little.addInterface(linkType: 276, resolution: 9)
        little.addEnhancedPacket([1], interface: 1, units: 5_000_000_007)
        little.addEnhancedPacket([2, 3], interface: 0, units: 5_000_007)
        var big = FileBuilder(order: .bigEndian)
        big.addSection()
        big.addInterface(linkType: 101, offset: -3600)
        big.addEnhancedPacket([4], units: 7_200_000_000)
        let (frames, error) = readCapture(little.bytes + big.bytes, pieceLength: 5)
        #expect(error == nil)
        #expect(frames.map { Array($0.bytes) } == [[1], [2, 3], [4]])
        #expect(frames.map(\.linkType) == [.linuxCooked2, .ethernet, .raw])
        #expect(frames.map(\.interface) == [1, 0, 0])
        #expect(
            frames.map(\.time) == [
                CaptureTime(seconds: 5, nanoseconds: 7),
                CaptureTime(seconds: 5, nanoseconds: 7000),
                CaptureTime(seconds: 3600),
            ])
    }

    @Test("An interface of a former section is not known in the next")
    func interfacesEndWithTheirSection() {
        var file = FileBuilder()
        file.addSection()
        file.addInterface()
        file.addSection()
        let end = file.bytes.count
        file.addEnhancedPacket([1])
        #expect(
            readCapture(file.bytes).error == CaptureError(.unknownInterface(0), offset: end + 8))
    }

    @Test("Simple packets have no time and are cut at the snap length")
    func simplePacket() {
        var file = FileBuilder()
        file.addSection()
        file.addInterface(snapLength: 6)
        file.addBlock(3) {
            $0.add32(5)
            $0.bytes += [1, 2, 3, 4, 5]
        }
        file.addBlock(3) {
            $0.add32(100)
            $0.bytes += [1, 2, 3, 4, 5, 6, 0, 0]
        }
        let (frames, error) = readCapture(file.bytes)
        #expect(error == nil)
        #expect(frames.map { Array($0.bytes) } == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]])
        #expect(frames.map(\.originalLength) == [5, 100])
        #expect(frames.map(\.time) == [nil, nil])
    }

    @Test("The obsolete packet block")
    func obsoletePacket() {
        var file = FileBuilder(order: .bigEndian)
        file.addSection()
        file.addInterface()
        file.addBlock(2) {
            $0.add16(0)
            $0.add16(77)
            for value in [0, 2_000_001, 3, 60] as [UInt32] { $0.add32(value) }
            $0.bytes += [9, 8, 7]
        }
        let (frames, error) = readCapture(file.bytes)
        #expect(error == nil)
        #expect(frames.map { Array($0.bytes) } == [[9, 8, 7]])
        #expect(frames.first?.time == CaptureTime(seconds: 2, nanoseconds: 1000))
        #expect(frames.first?.isCut == true)
    }

    @Test("Blocks that we don't know are passed over")
    func unknownBlocks() {
        var file = FileBuilder()
        file.addSection()
        file.addBlock(4) { $0.bytes += [UInt8](repeating: 1, count: 30) }
        file.addInterface()
        file.addBlock(0x4000_0BAD) { $0.add32(1) }
        file.addEnhancedPacket([1])
        file.addBlock(5) { _ in }
        let (frames, error) = readCapture(file.bytes)
        #expect(error == nil && frames.count == 1)
    }

    @Test("Damaged blocks are named, with the place")
    func damage() {
        var start = FileBuilder()
        start.addSection()
        start.addInterface()
        let end = start.bytes.count
        func error(_ build: (inout FileBuilder) -> Void) -> CaptureError? {
            var file = start
            file.addEnhancedPacket([1])
            let good = file.bytes.count
            build(&file)
            let result = readCapture(file.bytes)
            #expect(result.frames.count == 1)
            return result.error.map { CaptureError($0.reason, offset: $0.offset - good + end) }
        }
        #expect(
            error { $0.add32(all: [6, 10, 0]) }
                == CaptureError(.badBlockLength(10), offset: end + 4))
        #expect(
            error { $0.add32(all: [6, 16, 0, 0]) }
                == CaptureError(.blockLengthsDiffer(first: 16, last: 0), offset: end + 12))
        #expect(
            error { $0.add32(all: [6, 16, 0, 16]) }
                == CaptureError(.badBlockLength(16), offset: end + 4))
        #expect(
            error { $0.addBlock(6) { $0.add32(all: [0, 0, 0, 9, 9, 0]) } }
                == CaptureError(.frameExceedsBlock(9), offset: end + 20))
        #expect(
            error {
                $0.addBlock(6) { $0.add32(all: [0, 0, 0, .max, 9, 0]) }
            } == CaptureError(.frameTooLong(.max), offset: end + 20))
        #expect(
            error { $0.add32(all: [0x0A0D_0D0A, 28, 5]) }
                == CaptureError(.badByteOrderMark(0x0500_0000), offset: end + 8))
        #expect(
            error {
                $0.addBlock(0x0A0D_0D0A) {
                    $0.add32(all: [0x1A2B_3C4D, 2, 0, 0])
                }
            } == CaptureError(.unsupportedVersion(major: 2, minor: 0), offset: end + 12))
    }

    @Test("Interfaces are bounded")
    func interfaceBound() {
        var file = FileBuilder()
        file.addSection()
        var one = FileBuilder()
        one.addBlock(1) {
            $0.add32(1)
            $0.add32(0)
        }
        for _ in 0...CaptureReader.maximumInterfaceCount { file.bytes += one.bytes }
        let last = file.bytes.count - one.bytes.count
        #expect(readCapture(file.bytes).error == CaptureError(.tooManyInterfaces, offset: last))
    }

    @Test("Time in powers of ten and of two")
    func resolution() {
        func time(_ raw: UInt8, _ units: UInt64, _ offset: Int64 = 0) -> CaptureTime {
            TimeResolution(rawValue: raw).time(units: units, offset: offset)
        }
        #expect(time(0, 17) == CaptureTime(seconds: 17))
        #expect(time(3, 17_005) == CaptureTime(seconds: 17, nanoseconds: 5_000_000))
        #expect(time(9, 1_000_000_001) == CaptureTime(seconds: 1, nanoseconds: 1))
        #expect(time(12, 1_500_000_000_999) == CaptureTime(seconds: 1, nanoseconds: 500_000_000))
        #expect(time(19, .max) == CaptureTime(seconds: 1, nanoseconds: 844_674_407))
        #expect(time(20, .max) == CaptureTime(seconds: 0, nanoseconds: 184_467_440))
        #expect(time(127, .max) == CaptureTime(seconds: 0))
        #expect(time(0x80 | 1, 3) == CaptureTime(seconds: 1, nanoseconds: 500_000_000))
        #expect(
            time(0x80 | 32, 1 << 33 | 1 << 30) == CaptureTime(seconds: 2, nanoseconds: 250_000_000))
        #expect(time(0x80 | 64, 1 << 63) == CaptureTime(seconds: 0, nanoseconds: 500_000_000))
        #expect(time(0xFF, .max) == CaptureTime(seconds: 0))
        #expect(time(6, 1_000_000, -2) == CaptureTime(seconds: -1))
        #expect(time(0, .max, .max) == CaptureTime(seconds: .max - 1))
    }

    @Test("Times are subtracted to the nanosecond, and without overflow")
    func difference() {
        let a = CaptureTime(seconds: 5, nanoseconds: 1)
        let b = CaptureTime(seconds: 3, nanoseconds: 2)
        #expect(a.nanoseconds(since: b) == 1_999_999_999)
        #expect(b.nanoseconds(since: a) == -1_999_999_999)
        let far = CaptureTime(seconds: .max)
        #expect(far.nanoseconds(since: CaptureTime(seconds: .min)) == .max)
        #expect(CaptureTime(seconds: .min).nanoseconds(since: far) == .min)
    }
}
