import Testing

@testable import PacketCapture

@Suite struct CaptureReaderTests {
    @Test("Both byte orders, micro- and nanoseconds", arguments: [true, false], [true, false])
    func pcap(isBigEndian: Bool, countsNanoseconds: Bool) {
        var file = FileBuilder(order: isBigEndian ? .bigEndian : .littleEndian)
        file.addPcapHeader(magic: countsNanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4, linkType: 113)
        file.addPcapFrame([1, 2, 3], seconds: 4_000_000_000, fraction: 999_999)
        file.addPcapFrame([], seconds: 1, fraction: 2, originalLength: 9)
        let (frames, error) = readCapture(file.bytes)
        #expect(error == nil)
        #expect(frames.map(\.number) == [1, 2])
        #expect(frames.map { Array($0.bytes) } == [[1, 2, 3], []])
        #expect(frames.map(\.linkType) == [.linuxCooked, .linuxCooked])
        #expect(frames.map(\.originalLength) == [3, 9])
        #expect(frames.map(\.isCut) == [false, true])
        #expect(frames.map(\.fileOffset) == [24, 43])
        let unit: UInt32 = countsNanoseconds ? 1 : 1000
        #expect(
            frames.map(\.time) == [
                CaptureTime(seconds: 4_000_000_000, nanoseconds: 999_999 * unit),
                CaptureTime(seconds: 1, nanoseconds: 2 * unit),
            ])
    }

    @Test("The upper half of the link type is about check sequences")
    func checkSequenceBits() {
        var file = FileBuilder()
        file.addPcapHeader(linkType: 0x5400_0069)
        file.addPcapFrame([1])
        #expect(readCapture(file.bytes).frames.map(\.linkType) == [.wireless])
    }

    @Test("A fraction of more than a second is carried, not trapped on")
    func wildFraction() {
        var file = FileBuilder()
        file.addPcapHeader()
        file.addPcapFrame([1], seconds: .max, fraction: .max)
        let (frames, error) = readCapture(file.bytes)
        #expect(error == nil && frames.count == 1)
    }

    /// A file of each format with three frames.
    static func files() -> [[UInt8]] {
        var pcap = FileBuilder()
        pcap.addPcapHeader()
        var pcapng = FileBuilder()
        pcapng.addSection()
        pcapng.addInterface()
        for length in [1, 50, 7] {
            let frame = [UInt8](repeating: UInt8(length), count: length)
            pcap.addPcapFrame(frame, seconds: UInt32(length))
            pcapng.addEnhancedPacket(frame, units: UInt64(length) * 1_000_000)
        }
        return [pcap.bytes, pcapng.bytes]
    }

    @Test("Pieces of any length give the same frames", arguments: [1, 2, 3, 7, 16, 64])
    func pieces(length: Int) {
        for file in Self.files() {
            let whole = readCapture(file)
            let pieces = readCapture(file, pieceLength: length)
            #expect(whole.error == nil && pieces.error == nil)
            #expect(whole.frames.count == 3)
            #expect(pieces.frames.map(\.bytes) == whole.frames.map(\.bytes))
            #expect(pieces.frames.map(\.time) == whole.frames.map(\.time))
            #expect(pieces.frames.map(\.fileOffset) == whole.frames.map(\.fileOffset))
            #expect(whole.frames.map(\.time?.seconds) == [1, 50, 7])
        }
    }

    @Test("Cut anywhere, the frames before the cut are there and the error says where")
    func cutAnywhere() {
        for file in Self.files() {
            let whole = readCapture(file)
            let ends = whole.frames.dropFirst().map(\.fileOffset) + [file.count]
            for length in 1..<file.count {
                let (frames, error) = readCapture(Array(file.prefix(length)), pieceLength: 13)
                #expect(frames.count == ends.count { $0 <= length })
                if ends.contains(length) {
                    #expect(error == nil)
                } else if let error {
                    #expect(error.offset <= length)
                } else {
                    // Between blocks a file may end.
                    #expect([24, 28, 28 + 32].contains(length), "\(length)")
                }
            }
        }
    }

    @Test("After an error the same error again, frames no more")
    func errorStays() throws {
        var reader = CaptureReader()
        reader.append(Array("not a capture at all".utf8))
        let expected = CaptureError(.unknownFormat(0x6E6F_7420), offset: 0)
        for _ in 0..<2 {
            #expect(throws: expected) { _ = try reader.next() }
        }
        #expect(
            expected.description
                == "neither a pcap nor a pcapng file: it begins with 0x6e6f7420 (at byte 0)")
    }

    @Test("An empty file and cut headers")
    func emptyAndShort() {
        #expect(readCapture([]).error == CaptureError(.emptyFile, offset: 0))
        #expect(readCapture([0xD4, 0xC3]).error == CaptureError(.fileHeaderCut, offset: 0))
        #expect(
            readCapture([0xD4, 0xC3, 0xB2, 0xA1, 2]).error
                == CaptureError(.fileHeaderCut, offset: 0))
    }

    @Test("Versions of pcap that we don't read are refused")
    func pcapVersion() {
        var file = FileBuilder()
        file.addPcapHeader()
        file.bytes[4] = 3
        #expect(
            readCapture(file.bytes).error
                == CaptureError(.unsupportedVersion(major: 3, minor: 4), offset: 4))
    }

    @Test("A length of gigabytes is refused at once, without the bytes")
    func gigabytes() {
        var pcap = FileBuilder()
        pcap.addPcapHeader()
        pcap.addPcapFrame([1, 2])
        for value in [0, 0, 0x4000_0000, 0x4000_0000] as [UInt32] { pcap.add32(value) }
        var result = readCapture(pcap.bytes)
        #expect(result.frames.count == 1)
        #expect(result.error == CaptureError(.frameTooLong(0x4000_0000), offset: 24 + 18 + 8))

        var pcapng = FileBuilder()
        pcapng.addSection()
        for value in [6, 0x8000_0000, 0] as [UInt32] { pcapng.add32(value) }
        result = readCapture(pcapng.bytes)
        #expect(result.error == CaptureError(.blockTooLong(0x8000_0000), offset: 28 + 4))
    }

    @Test("What was read is not kept: the buffer stays as small as the pieces")
    func memory() throws {
        var reader = CaptureReader()
        var file = FileBuilder()
        file.addPcapHeader()
        reader.append(file.bytes)
        var frame = FileBuilder()
        frame.addPcapFrame([UInt8](repeating: 7, count: 1000))
        for _ in 0..<200 {
            reader.append(frame.bytes + frame.bytes)
            while try reader.next() != nil {}
            #expect(reader.bufferedByteCount <= 3 * frame.bytes.count)
        }
    }
}
