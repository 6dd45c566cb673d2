import NetworkPrimitives
import Testing

@testable import PeerProtocol

extension StreamTable {
    /// All frames that are due.
    mutating func takeFrames(now: Instant = .zero) -> [Frame] {
        var frames: [Frame] = []
        while let frame = nextFrame(now: now) { frames.append(frame) }
        return frames
    }

    /// All frames of the other table.
    @discardableResult mutating func receiveAll(_ frames: [Frame]) throws -> [StreamEvent] {
        var events: [StreamEvent] = []
        for frame in frames { events += try receive(frame) }
        return events
    }
}

private func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: (start + $0) &* 31 >> 3) }
}

@Suite("Streams")
struct StreamTableTests {
    var first = StreamTable(role: .initiator)
    var second = StreamTable(role: .responder)

    /// Passes frames on in both directions until none is left.
    @discardableResult
    private mutating func exchange() throws -> (first: [StreamEvent], second: [StreamEvent]) {
        var events: (first: [StreamEvent], second: [StreamEvent]) = ([], [])
        while true {
            let frames = (first.takeFrames(), second.takeFrames())
            if frames.0.isEmpty, frames.1.isEmpty { break }
            events.second += try second.receiveAll(frames.0)
            events.first += try first.receiveAll(frames.1)
        }
        events.first += first.takeEvents()
        events.second += second.takeEvents()
        return events
    }

    @Test mutating func bytesGoBothWaysAndEachEndIsItsOwn() throws {
        let opening = try StreamOpening(.stream, name: "chat")
        let id = try first.open(opening)
        #expect(id.rawValue == 1)
        #expect(try second.open(opening).rawValue == 2)
        let written = try first.write([1, 2, 3], to: id)
        #expect(written == 3)
        try first.finish(id)
        let events = try exchange()
        #expect(events.second == [.opened(id, opening), .readable(id)])
        #expect(events.first == [.opened(StreamID(rawValue: 2), opening)])
        let read = try second.read(id)
        #expect(read.bytes == [1, 2, 3] && read.isEnd)
        #expect(throws: StreamError.finished) { try first.finish(id) }
        _ = try second.write([9], to: id)
        try second.finish(id)
        #expect(try exchange().first == [.readable(id)])
        let answer = try first.read(id)
        #expect(answer.bytes == [9] && answer.isEnd)
        #expect(throws: StreamError.closed) { try first.read(id) }
        #expect((first.count, second.count) == (1, 1))
    }

    @Test mutating func whatIsNotReadStopsItsStreamOnly() throws {
        let id = try first.open(StreamOpening(.stream))
        let other = try first.open(StreamOpening(.stream))
        var written = 0
        while true {
            let count = try first.write(bytes(50_000, from: written), to: id)
            written += count
            try exchange()
            if count == 0 { break }
        }
        #expect(second.bufferedCount == 256 << 10)
        #expect(written == 512 << 10)
        _ = try first.write([7], to: other)
        #expect(try exchange().second == [.readable(other)])
        // Reading makes room, and all comes in order.
        var read: [UInt8] = []
        var hadRoomAgain = 0
        while written < 1 << 20 {
            read += try second.read(id, upTo: 20_000).bytes
            guard try exchange().first.contains(.writable(id)) else { continue }
            hadRoomAgain += 1
            var count = 0
            // Until there is no room: then `writable` follows again.
            repeat {
                count = try first.write(bytes(50_000, from: written), to: id)
                written += count
            } while count == 50_000
        }
        #expect(hadRoomAgain > 2)
        read += try drain(id)
        #expect(read.count == written)
        #expect(read == bytes(read.count))
    }

    private mutating func drain(_ id: StreamID) throws -> [UInt8] {
        var read: [UInt8] = []
        while true {
            let piece = try second.read(id).bytes
            if piece.isEmpty { return read }
            read += piece
            try exchange()
        }
    }

    /// Four streams that nobody reads take what is for streams; messages still go.
    @Test mutating func unreadStreamsDoNotStopMessages() throws {
        for kind in [StreamClass.resource, .stream, .stream, .stream, .stream] {
            let id = try first.open(StreamOpening(kind))
            _ = try first.write(bytes(256 << 10), to: id)
        }
        try exchange()
        #expect(second.bufferedCount == 768 << 10)
        let id = try first.open(StreamOpening(.message))
        _ = try first.write(bytes(1_000), to: id)
        #expect(try exchange().second.contains(.readable(id)))
    }

    @Test mutating func theMoreUrgentClassGoesFirst() throws {
        var ids: [StreamID] = []
        for kind in [StreamClass.resource, .stream, .message] {
            let id = try first.open(StreamOpening(kind))
            ids.append(id)
            _ = try first.write(bytes(100), to: id)
        }
        let frames = first.takeFrames()
        #expect(frames.prefix(3).allSatisfy { $0.type == .open })
        #expect(frames.dropFirst(3).map(\.stream) == ids.reversed().map(\.rawValue))
    }

    @Test mutating func streamsTakeTurnsByWeight() throws {
        let light = try first.open(StreamOpening(.stream))
        let heavy = try first.open(StreamOpening(.stream), weight: 3)
        for id in [light, heavy] { _ = try first.write(bytes(256 << 10), to: id) }
        let turns = first.takeFrames().filter { $0.type == .data }.prefix(12).map(\.stream)
        #expect(turns == [1, 3, 3, 3, 1, 3, 3, 3, 1, 3, 3, 3])
    }

    @Test mutating func aResetEndsBothDirections() throws {
        let id = try first.open(StreamOpening(.stream))
        _ = try first.write(bytes(1_000), to: id)
        try exchange()
        _ = try first.write(bytes(5_000), to: id)
        try first.reset(id, code: 42)
        let events = try exchange()
        #expect(events.second == [.reset(id, code: 42)])
        #expect(events.first.isEmpty)
        #expect((first.count, second.count) == (0, 0))
        #expect(second.bufferedCount == 0)
        #expect(throws: StreamError.closed) { try second.read(id) }
        #expect(throws: StreamError.closed) { try first.write([1], to: id) }
    }

    /// What was on its way to the side that resets is counted, and its room given back.
    @Test mutating func aResetWhileBytesAreOnTheirWay() throws {
        let id = try first.open(StreamOpening(.stream))
        _ = try first.write(bytes(1_000), to: id)
        try exchange()
        _ = try first.write(bytes(100_000), to: id)
        let onTheirWay = first.takeFrames()
        try second.reset(id, code: 7)
        #expect(try second.receiveAll(onTheirWay).isEmpty)
        #expect(second.bufferedCount == 0)
        #expect(try exchange().first == [.reset(id, code: 7)])
        #expect((first.count, second.count) == (0, 0))
        // Both reset at once.
        let both = try first.open(StreamOpening(.stream))
        try exchange()
        try first.reset(both, code: 1)
        try second.reset(both, code: 2)
        let events = try exchange()
        #expect(events.first.isEmpty && events.second.isEmpty)
        #expect((first.count, second.count) == (0, 0))
    }

    @Test mutating func openStreamsAreLimited() throws {
        for _ in 0..<256 { _ = try first.open(StreamOpening(.stream)) }
        #expect(throws: StreamError.tooMany) { try first.open(StreamOpening(.stream)) }
        try exchange()
        // One that is ended on both sides makes room, before the application has read it.
        let id = StreamID(rawValue: 5)
        try first.finish(id)
        try second.finish(id)
        try exchange()
        _ = try first.open(StreamOpening(.stream))
        try exchange()
        #expect(throws: StreamViolation.tooManyStreams) {
            try second.receive(Frame(.open, stream: 515, payload: [1]))
        }
        #expect(throws: StreamError.nameTooLong(bytes: 256)) {
            try StreamOpening(.stream, name: String(repeating: "n", count: 256))
        }
    }

    @Test mutating func windowsGrowWhenTheyLimitTheRate() throws {
        let id = try first.open(StreamOpening(.stream))
        second.roundTrip = .milliseconds(50)
        let piece = [UInt8](repeating: 7, count: 256 << 10)
        var now = Instant.zero
        var most = 0
        for _ in 0..<25 {
            var frames: [Frame] = []
            repeat {
                while let frame = first.nextFrame(now: now) { frames.append(frame) }
            } while try first.write(piece, to: id) > 0
            _ = try second.receiveAll(frames)
            most = max(most, second.bufferedCount)
            _ = try second.read(id)
            now = now.advanced(by: .milliseconds(25))
            _ = try first.receiveAll(second.takeFrames(now: now))
            now = now.advanced(by: .milliseconds(25))
        }
        #expect(most > 4 << 20)
        #expect(most <= 16 << 20)
    }

    @Test func violationsAreNamed() throws {
        let cases: [(Frame, StreamViolation)] = [
            (Frame(.open, stream: 3, payload: [1]), .unexpectedStream(3)),
            (Frame(.open, stream: 2, payload: [1]), .unexpectedStream(2)),
            (Frame(.open, stream: 0, payload: [1]), .unexpectedStream(0)),
            (Frame(.open, stream: 1, payload: []), .frame(.cutShort)),
            (Frame(.open, stream: 1, payload: [9]), .frame(.invalidField(.open))),
            (Frame(.open, stream: 1, payload: [1, 0xFF]), .frame(.invalidField(.open))),
            (Frame(.data, stream: 1, payload: [1]), .unknownStream(1)),
            (Frame(.data, stream: 0, payload: [1]), .unknownStream(0)),
            (Frame(.window, stream: 2, payload: [1]), .unknownStream(2)),
            (Frame(.window, payload: []), .frame(.cutShort)),
            (Frame(.window, payload: [1, 1]), .frame(.trailingBytes)),
            (Frame(.window, payload: [0x40, 1]), .frame(.integerNotShortest)),
            (Frame(.reset, stream: 8, payload: [1]), .unknownStream(8)),
            (Frame(.ping), .frame(.invalidField(.ping))),
        ]
        for (frame, violation) in cases {
            var table = StreamTable(role: .responder)
            #expect(throws: violation, "\(frame)") { try table.receive(frame) }
        }
    }

    @Test func moreThanThereIsRoomForIsAViolation() throws {
        var table = StreamTable(role: .responder)
        for number: UInt64 in [1, 3, 5, 7, 9] {
            _ = try table.receive(Frame(.open, stream: number, payload: [1]))
        }
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        for number: UInt64 in [1, 3, 5, 7] {
            for _ in 0..<4 { _ = try table.receive(Frame(.data, stream: number, payload: piece)) }
        }
        #expect(throws: StreamViolation.connectionWindowExceeded) {
            try table.receive(Frame(.data, stream: 9, payload: [1]))
        }
        var other = StreamTable(role: .responder)
        _ = try other.receive(Frame(.open, stream: 1, payload: [1]))
        for _ in 0..<4 { _ = try other.receive(Frame(.data, stream: 1, payload: piece)) }
        #expect(throws: StreamViolation.streamWindowExceeded(1)) {
            try other.receive(Frame(.data, stream: 1, payload: [1]))
        }
        var ended = StreamTable(role: .responder)
        _ = try ended.receive(Frame(.open, stream: 1, payload: [1]))
        _ = try ended.receive(Frame(.data, flags: .end, stream: 1))
        #expect(throws: StreamViolation.dataAfterEnd(1)) {
            try ended.receive(Frame(.data, stream: 1, payload: [1]))
        }
    }

    /// A stream that is gone counts until the answer to its reset has left: who opens and resets
    /// without reading makes no queue of answers.
    @Test mutating func whoOpensAndResetsIsLimited() throws {
        func resetBySecond(_ number: UInt64) -> Frame {
            Frame(.reset, flags: .critical, stream: number, payload: [1])
        }
        let opening = try StreamOpening(.stream).payload
        for round in 0..<UInt64(StreamLimits.streams) {
            let number = 1 + 2 * round
            _ = try second.receive(Frame(.open, stream: number, payload: opening))
            _ = try second.receive(resetBySecond(number))
        }
        let next = 1 + 2 * UInt64(StreamLimits.streams)
        #expect(throws: StreamViolation.tooManyStreams) {
            try second.receive(Frame(.open, stream: next, payload: opening))
        }
        // The same for what this side resets, and after the answers have left there is room.
        #expect(second.takeFrames().count == StreamLimits.streams)
        for round in 0..<UInt64(StreamLimits.streams) {
            let number = next + 2 * round
            _ = try second.receive(Frame(.open, stream: number, payload: opening))
            try second.reset(StreamID(rawValue: number), code: 9)
            _ = try second.receive(resetBySecond(number))
        }
        #expect(throws: StreamViolation.tooManyStreams) {
            try second.receive(
                Frame(
                    .open, stream: next + 2 * UInt64(StreamLimits.streams), payload: opening))
        }
        #expect(second.takeFrames().count == StreamLimits.streams)
        #expect(second.count == 0)
    }

    /// Room is given once, however often the application reads before it can be sent.
    @Test mutating func roomIsDueOnce() throws {
        let id = try first.open(StreamOpening(.stream))
        let other = try first.open(StreamOpening(.stream))
        for stream in [id, other] { _ = try first.write(bytes(200 << 10), to: stream) }
        try exchange()
        for _ in 0..<10_000 {
            _ = try second.read(id, upTo: 16)
            _ = try second.read(other, upTo: 16)
        }
        #expect(second.windowsDue.count == 2)
        let windows = second.takeFrames()
        #expect(windows.map(\.stream).sorted() == [id.rawValue, other.rawValue])
        // And again once more was read.
        try first.receiveAll(windows)
        _ = try first.write(bytes(200 << 10), to: other)
        try exchange()
        _ = try second.read(other)
        #expect(second.takeFrames().contains { $0.type == .window && $0.stream == other.rawValue })
    }
}
