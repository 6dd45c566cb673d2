import NetworkPrimitives
import Testing

@testable import PeerProtocol

@Suite("Integers of the wire")
struct VariableIntegerTests {
    /// The examples of RFC 9000 A.1, and both sides of each step.
    @Test(arguments: [
        (37, "25"), (15_293, "7bbd"), (494_878_333, "9d7f3e7d"),
        (151_288_809_941_952_652, "c2197c5eff14e88c"), (0, "00"), (63, "3f"), (64, "4040"),
        (16_383, "7fff"), (16_384, "80004000"), (1_073_741_823, "bfffffff"),
        (1_073_741_824, "c000000040000000"), ((1 << 62) - 1, "ffffffffffffffff"),
    ])
    func forms(_ number: UInt64, _ text: String) throws {
        var bytes: [UInt8] = []
        VariableInteger.append(number, to: &bytes)
        #expect(Hexadecimal.text(bytes) == text)
        #expect(VariableInteger.size(of: number) == bytes.count)
        var reader = WireReader(bytes)
        #expect(try reader.integer() == number)
        #expect(reader.isAtEnd)
        for count in 0..<bytes.count {
            var cut = WireReader(Array(bytes.prefix(count)))
            #expect(throws: FrameError.cutShort) { try cut.integer() }
        }
    }

    @Test(arguments: ["4025", "80000025", "8000003f", "c000000000000025", "c00000003fffffff"])
    func longerFormsAreRefused(_ text: String) throws {
        var reader = WireReader(try #require(Hexadecimal.bytes(text)))
        #expect(throws: FrameError.integerNotShortest) { try reader.integer() }
    }

    @Test func tooLargeIsTheMaximum() throws {
        var bytes: [UInt8] = []
        VariableInteger.append(.max, to: &bytes)
        var reader = WireReader(bytes)
        #expect(try reader.integer() == VariableInteger.maximum)
    }
}

@Suite("Frames")
struct FrameTests {
    static let samples: [Frame] = [
        Frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8]), Frame(.rekey, flags: .critical),
        Frame(.data, flags: .end, stream: 5, payload: []),
        Frame(.data, stream: 70_000, payload: [UInt8](repeating: 7, count: 100)),
        Frame(.window, stream: 1 << 40, payload: [0x25]),
    ]

    private func record(_ frames: [Frame]) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames { frame.append(to: &bytes) }
        return bytes
    }

    private func frames(_ record: [UInt8]) throws -> [Frame] {
        var reader = FrameReader(record)
        var frames: [Frame] = []
        while let frame = try reader.next() { frames.append(frame) }
        return frames
    }

    @Test func bytesAreAsSpecified() {
        #expect(Hexadecimal.text(record([Frame(.ping, payload: [9])])) == "0100000109")
        #expect(
            Hexadecimal.text(record([Frame(.data, flags: .end, stream: 100, payload: [1, 2])]))
                == "11014064020102")
    }

    @Test func roundTrip() throws {
        let bytes = record(Self.samples)
        #expect(try frames(bytes) == Self.samples)
        #expect(bytes.count == Self.samples.reduce(0) { $0 + $1.size })
        #expect(try frames([]).isEmpty)
    }

    @Test func cutAtEveryByteIsAnErrorExceptBetweenFrames() throws {
        let bytes = record(Self.samples)
        var ends: Set<Int> = [0]
        for count in Self.samples.indices {
            ends.insert(record(Array(Self.samples[...count])).count)
        }
        for count in 0..<bytes.count {
            let cut = Array(bytes.prefix(count))
            if ends.contains(count) {
                #expect(try frames(cut).count < Self.samples.count)
            } else {
                #expect(throws: FrameError.cutShort, "\(count)") { try frames(cut) }
            }
        }
    }

    @Test func unknownTypesAreSkippedUnlessCritical() throws {
        let unknown = Frame(FrameType(rawValue: 200), stream: 3, payload: [1, 2])
        let ping = Frame(.ping)
        let padding = Frame(.padding, payload: [0, 0, 0])
        #expect(try frames(record([unknown, ping, padding, ping])) == [ping, ping])
        let critical = Frame(FrameType(rawValue: 200), flags: .critical)
        #expect(throws: FrameError.unknownCritical(FrameType(rawValue: 200))) {
            try frames(record([ping, critical]))
        }
    }

    @Test func framesOfTheConnectionNameNoStream() throws {
        for type in (0...8 as ClosedRange<UInt8>).map(FrameType.init(rawValue:)) {
            let frame = Frame(type, stream: 3, payload: [1])
            #expect(throws: FrameError.streamOfConnectionFrame(type, 3)) {
                try frames(record([frame]))
            }
        }
    }

    @Test func lengthsBeyondTheRecordAreRefused() throws {
        for text in [
            "0100003f", "01000080ffffff", "010000ffffffffffffffff", "0100ffffffffffffffff",
        ] {
            let bytes = try #require(Hexadecimal.bytes(text))
            #expect(throws: FrameError.self, "\(text)") { try frames(bytes) }
        }
    }

    @Test func chanceNeverCrashes() {
        var generator = SeededGenerator(seed: 8)
        let bytes = record(Self.samples)
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                changed[Int.random(in: changed.indices, using: &generator)] =
                    .random(in: 0...255, using: &generator)
            }
            // Whatever comes out is no longer than what went in.
            guard let frames = try? frames(changed) else { continue }
            #expect(frames.reduce(0) { $0 + $1.size } <= changed.count)
        }
    }
}

@Suite("Records")
struct RecordReaderTests {
    private let records: [[UInt8]] = [16, 17, 300, 65_535].map {
        [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0)
    }

    private var stream: [UInt8] {
        records.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
    }

    @Test(arguments: [1, 2, 3, 7, 100, 1_000, 70_000])
    func anyPiecesGiveTheSameRecords(_ size: Int) throws {
        var reader = RecordReader()
        var found: [[UInt8]] = []
        let stream = stream
        for start in stride(from: 0, to: stream.count, by: size) {
            reader.append(Array(stream[start..<min(start + size, stream.count)]))
            while let record = try reader.next() { found.append(record) }
            #expect(reader.bufferedCount < 2 + RecordReader.maximumSize)
        }
        #expect(found == records)
        #expect(reader.bufferedCount == 0)
    }

    /// Each byte is moved a few times, whether a large record comes byte by byte or a thousand
    /// small ones come at once and are read one between two pieces.
    @Test func theRestIsNotMovedAtEachPiece() throws {
        var bytes = UnreadBytes()
        bytes.append([UInt8](repeating: 1, count: 100_000))
        var start = 0
        var moves = 0
        for _ in 0..<50_000 {
            bytes.position += 1
            bytes.append([2])
            if bytes.position <= start { moves += 1 }
            start = bytes.position
        }
        #expect(bytes.count == 100_000)
        #expect(moves <= 1)
    }

    @Test func everyCutOfAShortStream() throws {
        let stream = Array(stream.prefix(18 + 19))
        for count in 0...stream.count {
            var reader = RecordReader()
            reader.append(Array(stream.prefix(count)))
            var found: [[UInt8]] = []
            while let record = try reader.next() { found.append(record) }
            #expect(found.count == (count >= 37 ? 2 : count >= 18 ? 1 : 0))
            reader.append(Array(stream.dropFirst(count)))
            while let record = try reader.next() { found.append(record) }
            #expect(found == Array(records.prefix(2)))
        }
    }

    @Test(arguments: 0...15)
    func shorterThanATagIsRefused(_ count: Int) {
        var reader = RecordReader()
        reader.append([0, UInt8(count)])
        #expect(throws: RecordError.tooShort(count)) { try reader.next() }
    }
}
