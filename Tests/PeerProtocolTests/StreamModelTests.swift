import NetworkPrimitives
import PeerProtocol
import Testing

/// Two tables with delays in both directions and applications that act by chance; what arrives
/// is compared with what was written.
private struct StreamModel {
    private var tables = [StreamTable(role: .initiator), StreamTable(role: .responder)]
    private var flights: [[Frame]] = [[], []]
    private var generator: SeededGenerator
    private var now = Instant.zero
    /// Bytes written to a stream by the side, and read from it by the other one.
    private var written: [[UInt64: Int]] = [[:], [:]]
    private var read: [[UInt64: Int]] = [[:], [:]]
    private var ended: [Set<UInt64>] = [[], []]
    private var open: [Set<UInt64>] = [[], []]
    private var resets: Set<UInt64> = []

    var mostBuffered = 0
    var endsRead = 0
    var bytesRead = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static func byte(_ stream: UInt64, _ side: Int, _ offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: UInt64(offset &* 7) &+ stream &* 13 &+ UInt64(side))
    }

    private mutating func chance(_ of: Int) -> Bool {
        Int.random(in: 0..<of, using: &generator) == 0
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            now = now.advanced(by: .milliseconds(10))
            for side in 0...1 {
                try act(side)
                if chance(2) { try transmit(from: side) }
            }
        }
        // In the end all is sent, read and ended.
        for _ in 0..<200 {
            now = now.advanced(by: .milliseconds(10))
            for side in 0...1 {
                for number in open[side].sorted() where !ended[side].contains(number) {
                    try finish(number, side)
                }
                for number in open[side].sorted() { try read(number, side, .max) }
                try transmit(from: side)
            }
        }
        #expect(tables.allSatisfy { $0.count == 0 })
        #expect(tables.allSatisfy { $0.bufferedCount == 0 })
        for side in 0...1 {
            for (number, count) in written[side] where !resets.contains(number) {
                #expect(read[1 - side][number, default: 0] == count)
            }
        }
    }

    private mutating func act(_ side: Int) throws {
        if chance(5), open[side].count < 40 {
            let kind = StreamClass.allCases.randomElement(using: &generator) ?? .stream
            let id = try tables[side].open(
                StreamOpening(kind), weight: Int.random(in: 1...3, using: &generator))
            open[side].insert(id.rawValue)
        }
        guard let number = open[side].sorted().randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: try finish(number, side)
        case 1: try reset(number, side)
        case 2...10: try write(number, side)
        default: try read(number, side, Int.random(in: 1...60_000, using: &generator))
        }
    }

    private mutating func write(_ number: UInt64, _ side: Int) throws {
        guard !ended[side].contains(number) else { return }
        let offset = written[side][number, default: 0]
        let count = Int.random(in: 1...40_000, using: &generator)
        let bytes = (0..<count).map { Self.byte(number, side, offset + $0) }
        do throws(StreamError) {
            let taken = try tables[side].write(bytes, to: StreamID(rawValue: number))
            written[side][number] = offset + taken
        } catch { #expect(error == .closed) }
    }

    private mutating func finish(_ number: UInt64, _ side: Int) throws {
        guard !ended[side].contains(number) else { return }
        ended[side].insert(number)
        do throws(StreamError) {
            try tables[side].finish(StreamID(rawValue: number))
        } catch { #expect(error == .closed) }
    }

    private mutating func reset(_ number: UInt64, _ side: Int) throws {
        guard chance(3) else { return }
        do throws(StreamError) {
            try tables[side].reset(StreamID(rawValue: number), code: 5)
            resets.insert(number)
        } catch { #expect(error == .closed) }
        ended[side].insert(number)
        open[side].remove(number)
    }

    private mutating func read(_ number: UInt64, _ side: Int, _ limit: Int) throws {
        do throws(StreamError) {
            let (bytes, isEnd) = try tables[side].read(StreamID(rawValue: number), upTo: limit)
            let offset = read[side][number, default: 0]
            let isRight = bytes.indices.allSatisfy {
                bytes[$0] == Self.byte(number, 1 - side, offset + $0)
            }
            #expect(isRight, "stream \(number) at \(offset)")
            read[side][number] = offset + bytes.count
            bytesRead += bytes.count
            if isEnd { endsRead += 1 }
        } catch { #expect(error == .closed) }
    }

    /// What was sent before arrives, and what is due is sent.
    private mutating func transmit(from side: Int) throws {
        for frame in flights[side] {
            for event in try tables[1 - side].receive(frame) {
                switch event {
                case .opened(let id, _): open[1 - side].insert(id.rawValue)
                case .reset(let id, _): open[1 - side].remove(id.rawValue)
                default: break
                }
            }
        }
        mostBuffered = max(mostBuffered, tables[1 - side].bufferedCount)
        flights[side] = []
        while flights[side].count < 20, let frame = tables[side].nextFrame(now: now) {
            flights[side].append(frame)
        }
    }
}

@Suite("Streams by chance")
struct StreamModelTests {
    @Test(arguments: 0..<3 as Range<UInt64>)
    func nothingIsLostDoubledOrStuck(_ seed: UInt64) throws {
        var model = StreamModel(seed: seed)
        try model.run(steps: 100)
        #expect(model.endsRead > 0)
        #expect(model.bytesRead > 100_000)
        #expect(model.mostBuffered <= 64 << 20)
    }

    /// A side that sends anything meets an error or nothing, and never more memory than its room.
    @Test func chanceFramesNeverCrash() {
        var generator = SeededGenerator(seed: 2)
        let types: [FrameType] = [.open, .data, .window, .reset]
        for _ in 0..<300 {
            var table = StreamTable(role: .responder)
            for _ in 0..<200 {
                let type = types[Int.random(in: 0..<4, using: &generator)]
                let count = Int.random(in: 0...3, using: &generator)
                var payload = (0..<count).map { _ in UInt8.random(in: 0...3, using: &generator) }
                if type == .data { payload = [UInt8](repeating: 0, count: count * 9_000) }
                let frame = Frame(
                    type, flags: Bool.random(using: &generator) ? .end : [],
                    stream: UInt64.random(in: 0...7, using: &generator), payload: payload)
                _ = try? table.receive(frame)
                while table.nextFrame(now: .zero) != nil {}
                #expect(table.bufferedCount <= 1 << 20)
            }
        }
    }
}
