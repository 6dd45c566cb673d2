import NetworkPrimitives
import Testing

@testable import PeerProtocol

/// The streams and messages of one side of a connection.
private struct ChannelSide {
    var streams: StreamTable
    var messages = MessageTable()
    var finished: Set<UInt64> = []
    var opened: Set<UInt64> = []

    init(_ role: ConnectionRole) { streams = StreamTable(role: role) }

    var bufferedCount: Int { streams.bufferedCount + messages.bufferedCount }
    var unsentCount: Int { streams.unsentCount + messages.unsentCount }

    mutating func open(_ opening: StreamOpening) throws -> StreamID {
        try messages.open(opening, weight: 1, &streams)
    }

    mutating func nextFrame(now: Instant) -> Frame? {
        messages.fill(&streams)
        return streams.nextFrame(now: now, size: 16_384)
    }

    mutating func receive(_ frame: Frame) throws {
        for event in try streams.receive(frame) {
            switch event {
            case .opened(let id, let opening):
                opened.insert(id.rawValue)
                if opening.kind == .message { _ = messages.opened(id, opening, &streams) }
            case .readable(let id): messages.noteReadable(id)
            default: break
            }
        }
        try readStreams()
    }

    mutating func next(on id: StreamID) throws -> ReceivedMessage? {
        guard !finished.contains(id.rawValue) else { return nil }
        let message = try messages.next(on: id)
        try readStreams()
        return message
    }

    private mutating func readStreams() throws {
        for event in try messages.readStreams(&streams) {
            if case .finished(let id) = event { finished.insert(id.rawValue) }
        }
    }
}

/// Two sides with applications that send, read and finish by chance, and a network that is late;
/// what arrives is compared with what was sent.
private struct MessageModel {
    /// What was sent on a direction of a channel.
    private struct Sent {
        let delivery: MessageDelivery
        /// Sizes by serial number.
        var sizes: [Int] = []
        /// The last serial number of each key.
        var lastOfKey: [UInt64: Int] = [:]
        var isFinished = false
    }

    private struct Direction: Hashable {
        let channel: UInt64
        let side: Int
    }

    private var sides = [ChannelSide(.initiator), ChannelSide(.responder)]
    private var flights: [[Frame]] = [[], []]
    private var now = Instant.zero
    private var generator: SeededGenerator
    private var sent: [Direction: Sent] = [:]
    /// Serial numbers that arrived, by direction, in order.
    private var arrived: [Direction: [Int]] = [:]
    private var channels: [StreamID] = []
    private var bulk: StreamID?
    private var bulkWritten = 0
    private var bulkRead = 0
    /// Channels of which a side reads nothing before the end.
    private var unread: Set<Direction> = []

    var mostBuffered = 0
    var mostUnsent = 0
    var messagesRead: Int { arrived.values.reduce(0) { $0 + $1.count } }
    var replaced: Int {
        sides.reduce(0) { $0 + $1.messages.counters.replacedTotal }
    }

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        for delivery in MessageDelivery.allCases {
            let side = Int.random(in: 0...1, using: &generator)
            let id = try sides[side].open(StreamOpening(.message, delivery: delivery))
            channels.append(id)
            for side in 0...1 {
                sent[Direction(channel: id.rawValue, side: side)] = Sent(delivery: delivery)
            }
        }
        let bulk = try sides[0].streams.open(StreamOpening(.resource))
        self.bulk = bulk
        for _ in 0..<2 { for side in 0...1 { try transmit(from: side, .max) } }
        if let slow = channels.randomElement(using: &generator) {
            unread.insert(Direction(channel: slow.rawValue, side: chance(2) ? 0 : 1))
        }
    }

    /// What was sent before arrives, and what is due is sent.
    private mutating func transmit(from side: Int, _ limit: Int) throws {
        for frame in flights[side] { try sides[1 - side].receive(frame) }
        flights[side] = []
        while flights[side].count < limit, let frame = sides[side].nextFrame(now: now) {
            flights[side].append(frame)
        }
    }

    private mutating func chance(_ of: Int) -> Bool {
        Int.random(in: 0..<of, using: &generator) == 0
    }

    private static let pattern = (0..<200_000).map {
        UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8)
    }

    private static func content(_ serial: Int, _ size: Int) -> [UInt8] {
        Array(pattern[(serial)..<(serial + size)])
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            now = now.advanced(by: .milliseconds(10))
            for side in 0...1 {
                try act(side)
                try transmit(from: side, Int.random(in: 0...6, using: &generator))
            }
            measure()
        }
        try end()
    }

    private mutating func measure() {
        for side in sides {
            mostBuffered = max(mostBuffered, side.bufferedCount)
            mostUnsent = max(mostUnsent, side.unsentCount)
        }
    }

    /// Everything is finished, sent, and read.
    private mutating func end() throws {
        unread = []
        for direction in sent.keys where sent[direction]?.isFinished == false {
            try finish(direction)
        }
        for _ in 0..<400 {
            for side in 0...1 { try transmit(from: side, 20) }
            for direction in sent.keys { try read(direction, limit: .max) }
            try moveBulk(writes: false)
            measure()
        }
        let expected = Set(channels.map(\.rawValue))
        #expect(sides.allSatisfy { $0.finished == expected })
        for (direction, what) in sent { compare(what, arrived[direction] ?? []) }
        // No more than what the last reading left to be forgotten with the next frame.
        #expect(sides.allSatisfy { $0.bufferedCount == 0 && $0.unsentCount == 0 })
        #expect(bulkRead == bulkWritten)
    }

    private func compare(_ sent: Sent, _ arrived: [Int]) {
        let all = Array(sent.sizes.indices)
        switch sent.delivery {
        case .ordered: #expect(arrived == all)
        case .unordered: #expect(arrived.sorted() == all)
        case .latest:
            #expect(Set(arrived).count == arrived.count)
            for (key, last) in sent.lastOfKey {
                // Of each key in order, and the last one at the end.
                let ofKey = arrived.filter { UInt64($0 % 5) == key }
                #expect(ofKey == ofKey.sorted())
                #expect(ofKey.last == last)
            }
        }
    }

    private mutating func act(_ side: Int) throws {
        if chance(2) { try moveBulk(writes: true) }
        guard let id = channels.randomElement(using: &generator) else { return }
        let direction = Direction(channel: id.rawValue, side: side)
        if chance(150) {
            try finish(direction)
        } else if chance(2) {
            // So many that on a channel of the latest a key comes twice.
            for _ in 0..<(sent[direction]?.delivery == .latest ? 6 : 1) { try send(direction) }
        }
        let other = Direction(channel: id.rawValue, side: 1 - side)
        if !unread.contains(other) { try read(other, limit: 3) }
    }

    private mutating func send(_ direction: Direction) throws {
        guard var what = sent[direction], !what.isFinished else { return }
        let serial = what.sizes.count
        let limit = what.delivery == .latest ? 20_000 : chance(10) ? 120_000 : 3_000
        let size = Int.random(in: 0...limit, using: &generator)
        let key = UInt64(serial % 5)
        let message = try PeerMessage(
            type: "\(serial)", key: key, Self.content(serial, size))
        let side = direction.side
        do throws(MessageError) {
            try sides[side].messages.send(
                message, on: StreamID(rawValue: direction.channel), sides[side].streams)
        } catch {
            #expect(error == .noRoom)
            return
        }
        what.sizes.append(size)
        what.lastOfKey[key] = serial
        sent[direction] = what
    }

    private mutating func finish(_ direction: Direction) throws {
        guard sent[direction]?.isFinished == false else { return }
        sent[direction]?.isFinished = true
        try sides[direction.side].messages.finish(StreamID(rawValue: direction.channel))
    }

    /// The other side reads what a side has sent.
    private mutating func read(_ direction: Direction, limit: Int) throws {
        let id = StreamID(rawValue: direction.channel)
        var count = 0
        while count < limit {
            guard let message = try sides[1 - direction.side].next(on: id) else { break }
            count += 1
            let serial = try #require(Int(message.message.type))
            let bytes = message.message.bytes
            #expect(bytes.count == sent[direction]?.sizes[serial])
            let isRight = bytes == Self.content(serial, bytes.count)
            #expect(isRight, "message \(serial)")
            arrived[direction, default: []].append(serial)
        }
    }

    private mutating func moveBulk(writes: Bool) throws {
        guard let bulk else { return }
        if writes {
            bulkWritten += try sides[0].streams.write(
                [UInt8](repeating: 1, count: 60_000), to: bulk)
        }
        bulkRead += try sides[1].streams.read(bulk).bytes.count
    }
}

@Suite("Messages by chance")
struct MessageModelTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func nothingIsLostDoubledReorderedOrStuck(_ seed: UInt64) throws {
        var model = try MessageModel(seed: seed)
        try model.run(steps: 400)
        #expect(model.messagesRead > 100)
        #expect(model.replaced > 0)
        // A window of all streams, and of each channel what waits for the application.
        #expect(model.mostBuffered < 4 << 20)
        #expect(model.mostUnsent < 4 << 20)
    }
}
