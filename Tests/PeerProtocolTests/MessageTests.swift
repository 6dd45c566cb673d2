import NetworkPrimitives
import Testing

@testable import PeerProtocol

private func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
    Array(pattern[start..<(start + count)])
}

private let pattern = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

/// What comes on a channel, without a link.
private func readAll(
    _ chunks: [MessageChunk], _ delivery: MessageDelivery
) throws -> [ReceivedMessage] {
    var incoming = IncomingMessages(StreamID(rawValue: 1), delivery)
    var messages: [ReceivedMessage] = []
    for chunk in chunks {
        incoming.append(chunk.encoded)
        _ = try incoming.read(room: .max)
        while let message = incoming.popFirst() { messages.append(message) }
    }
    return messages
}

private func first(_ number: UInt64, size: UInt64, _ bytes: [UInt8]) -> MessageChunk {
    MessageChunk(
        number: number, opening: .init(key: 0, type: "t", size: size), bytes: bytes)
}

private func further(_ number: UInt64, _ bytes: [UInt8]) -> MessageChunk {
    MessageChunk(number: number, opening: nil, bytes: bytes)
}

@Suite("Channels of messages")
struct MessageTests {
    private func channel(
        _ pair: inout LinkPair, _ delivery: MessageDelivery
    ) throws -> StreamID {
        let id = try pair.first.openStream(
            StreamOpening(.message, delivery: delivery, name: "game"), now: pair.now)
        pair.exchange()
        return id
    }

    private func send(
        _ pair: inout LinkPair, _ id: StreamID, _ type: String, key: UInt64 = 0, _ size: Int
    ) throws {
        try pair.first.send(
            try PeerMessage(type: type, key: key, bytes(size)), on: id, now: pair.now)
    }

    @Test func typeNumberAndKeyArriveInBothDirections() throws {
        var pair = try LinkPair.connected()
        let id = try channel(&pair, .ordered)
        let opening = try StreamOpening(.message, name: "game")
        #expect(pair.events[1] == [.channelOpened(id, opening)])
        let messages = [
            try PeerMessage(type: "Move", key: 3, [1, 2]), try PeerMessage([]),
            try PeerMessage(type: String(repeating: "ü", count: 127), bytes(100_000)),
        ]
        for message in messages { try pair.first.send(message, on: id, now: pair.now) }
        try pair.second.send(messages[0], on: id, now: pair.now)
        pair.exchange()
        let received = try pair.second.allMessages(on: id)
        #expect(received.map(\.message) == messages)
        #expect(received.map(\.number) == [1, 2, 3])
        #expect(pair.events[1].last == .messages(.readable(id)))
        #expect(try pair.first.allMessages(on: id).map(\.message) == [messages[0]])
        try pair.first.finish(id, now: pair.now)
        pair.exchange()
        #expect(pair.events[1].last == .messages(.finished(id)))
        try pair.second.finish(id, now: pair.now)
        pair.exchange()
        #expect(pair.events[0].last == .messages(.finished(id)))
        #expect(pair.first.messages.count == 0 && pair.second.messages.count == 0)
        #expect(throws: LinkCallError.message(.noChannel)) { try pair.second.nextMessage(on: id) }
    }

    @Test func aLargeOneHoldsUpNoSmallOneUnlessInOrder() throws {
        for delivery in [MessageDelivery.ordered, .unordered] {
            var pair = try LinkPair.connected()
            let id = try channel(&pair, delivery)
            try send(&pair, id, "large", 150_000)
            pair.send(records: 3)
            try send(&pair, id, "small", 10)
            pair.send(records: 3)
            pair.deliver(from: 0)
            let early = try pair.second.allMessages(on: id).map(\.message.type)
            #expect(early == (delivery == .unordered ? ["small"] : []))
            pair.exchange()
            let types = try pair.second.allMessages(on: id).map(\.message.type)
            #expect(early + types == (early.isEmpty ? ["large", "small"] : ["small", "large"]))
        }
    }

    @Test func theLatestReplacesWhatWasNotSentOrNotRead() throws {
        var pair = try LinkPair.connected()
        let id = try channel(&pair, .latest)
        for number in 0..<100 { try send(&pair, id, "\(number)", key: UInt64(number % 3), 200) }
        pair.exchange()
        for number in 100..<103 { try send(&pair, id, "\(number)", key: UInt64(number % 3), 9) }
        pair.exchange()
        // 99, 97 and 98 were sent, and 102, 100 and 101 took their places.
        let received = try pair.second.allMessages(on: id)
        #expect(received.map(\.message.type) == ["102", "100", "101"])
        #expect(received.map(\.number) == [6, 4, 5])
        #expect(pair.first.counters.messages.replacedOutgoing == 97)
        try pair.first.reset(id, code: 1, now: pair.now)
        pair.exchange()
        #expect(pair.first.counters.messages.replacedOutgoing == 97)
        #expect(pair.second.counters.messages.replacedIncoming == 3)
    }

    /// While a file is sent a message leaves with the record that is sealed next.
    @Test(arguments: [1, 100, 15_000])
    func bulkDelaysAMessageByNoMoreThanARecord(_ size: Int) throws {
        var pair = try LinkPair.connected()
        let id = try channel(&pair, .ordered)
        for _ in 0..<8 {
            let kind: StreamClass = .resource
            let bulk = try pair.first.openStream(StreamOpening(kind), now: pair.now)
            _ = try pair.first.write(bytes(200_000), to: bulk, now: pair.now)
        }
        for _ in 0..<5 { pair.send(records: 1) }
        try send(&pair, id, "now", size)
        pair.send(records: 1)
        pair.deliver(from: 0)
        #expect(try pair.second.allMessages(on: id).map(\.message.type) == ["now"])
        // And what concerns the connection before both.
        pair.second.close(.left, now: pair.now)
        pair.send(records: 1)
        #expect(pair.first.unsentCount > 100_000)
    }

    @Test func aChannelThatNobodyReadsStopsItself() throws {
        var pair = try LinkPair.connected()
        let slow = try channel(&pair, .ordered)
        let quick = try channel(&pair, .ordered)
        let message = try PeerMessage(bytes(9_000))
        var accepted = 0
        for _ in 0..<10_000 {
            do throws(LinkCallError) {
                try pair.first.send(message, on: slow, now: pair.now)
                accepted += 1
            } catch {
                #expect(error == .message(.noRoom))
                break
            }
            pair.exchange()
        }
        #expect(accepted < 300)
        #expect(pair.second.bufferedCount < 600 << 10)
        try send(&pair, quick, "quick", 50_000)
        pair.exchange()
        #expect(try pair.second.allMessages(on: quick).map(\.message.type) == ["quick"])
        // Reading makes room, and nothing is lost.
        pair.events = [[], []]
        var read = 0
        while true {
            let count = try pair.second.allMessages(on: slow).count
            if count == 0 { break }
            read += count
            pair.exchange()
        }
        #expect(read == accepted)
        #expect(pair.events[0] == [.messages(.writable(slow))])
    }

    /// The application has so many large messages before it that no further channel begins one;
    /// small ones pass, and when it reads the rest comes.
    @Test func largeMessagesOfAllChannelsHaveABound() throws {
        var table = MessageTable()
        var streams = StreamTable(role: .responder)
        let size = 15 << 20
        func take(_ number: UInt64, _ chunk: MessageChunk) throws -> [MessageTable.Event] {
            var rest = chunk.encoded[...]
            while !rest.isEmpty {
                let frame = Frame(.data, stream: number, payload: Array(rest.prefix(16_000)))
                rest = rest.dropFirst(16_000)
                _ = try streams.receive(frame)
            }
            table.noteReadable(StreamID(rawValue: number))
            let events = try table.readStreams(&streams)
            while streams.nextFrame(now: .zero) != nil {}
            return events
        }
        let piece = bytes(16_000)
        for number in stride(from: 1 as UInt64, through: 11, by: 2) {
            let opening = try StreamOpening(.message)
            _ = try streams.receive(
                Frame(.open, stream: number, payload: opening.payload))
            _ = table.opened(StreamID(rawValue: number), opening, &streams)
            let chunk =
                number == 11
                ? first(1, size: 3, [1, 2, 3])
                : first(
                    1, size: UInt64(size), piece)
            _ = try take(number, chunk)
        }
        // Four of them are 60 MiB; the fifth waits in its stream.
        #expect(streams.bufferedCount == 0)
        #expect(table.bufferedCount > 4 * 16_000)
        let waiting = StreamID(rawValue: 9)
        _ = try take(9, further(1, piece))
        #expect(streams.bufferedCount > 0)
        #expect(try table.next(on: StreamID(rawValue: 11))?.message.bytes == [1, 2, 3])
        table.remove(StreamID(rawValue: 1))
        _ = try table.readStreams(&streams)
        #expect(streams.bufferedCount == 0)
        #expect(try table.next(on: waiting) == nil)
    }

    /// Unordered channels on which one message never gets whole, and others that nobody reads.
    @Test func unreadMessagesBehindOneThatIsNotWholeCountToo() throws {
        var table = MessageTable()
        var streams = StreamTable(role: .responder)
        let opening = try StreamOpening(.message, delivery: .unordered)
        let piece = bytes(16_000)
        for number in stride(from: 1 as UInt64, through: 9, by: 2) {
            let id = StreamID(rawValue: number)
            _ = try streams.receive(Frame(.open, stream: number, payload: opening.payload))
            _ = table.opened(id, opening, &streams)
            // The second is whole after ten pieces; the third must not begin beside both.
            var chunks = [first(1, size: 15 << 20, piece), first(2, size: 160_000, piece)]
            for _ in 0..<9 { chunks.append(further(2, piece)) }
            chunks.append(first(3, size: 1 << 20, piece))
            for chunk in chunks {
                for start in stride(from: 0, to: chunk.encoded.count, by: 16_000) {
                    let bytes = Array(chunk.encoded[start...].prefix(16_000))
                    _ = try streams.receive(Frame(.data, stream: number, payload: bytes))
                }
                table.noteReadable(id)
                _ = try table.readStreams(&streams)
                while streams.nextFrame(now: .zero) != nil {}
            }
            #expect(table.largeSize <= MessageLimits.largeSize)
        }
        let id = StreamID(rawValue: 1)
        let before = table.bufferedCount
        // Its own application reads, and the third begins.
        #expect(try table.next(on: id)?.number == 2)
        _ = try table.readStreams(&streams)
        #expect(table.bufferedCount < before)
        #expect(table.largeSize <= MessageLimits.largeSize)
    }

    @Test func aStreamMustTakeAPieceOfAMessage() throws {
        var limits = StreamLimits()
        let least = StreamLimits.minimumOutgoing
        for bytes in [-1, 0, 1, 16_000, least - 1] {
            #expect(throws: StreamLimitsError.outgoingTooSmall(bytes: bytes)) {
                try limits.setOutgoing(bytes)
            }
            #expect(limits == StreamLimits())
            #expect("\(StreamLimitsError.outgoingTooSmall(bytes: bytes))".contains("\(least)"))
        }
        var pair = try LinkPair.connected { try? $0.streams.setOutgoing(least) }
        #expect(pair.first.configuration.streams.outgoing == least)
        let id = try channel(&pair, .ordered)
        let type = String(repeating: "t", count: 255)
        let message = try PeerMessage(type: type, key: (1 << 62) - 1, bytes(100_000))
        try pair.first.send(message, on: id, now: pair.now)
        pair.exchange()
        #expect(try pair.second.allMessages(on: id).map(\.message) == [message])
    }

    @Test func tooManyUnreadChannelsAreReset() throws {
        var pair = try LinkPair.connected()
        var ids: [StreamID] = []
        for _ in 0..<(MessageLimits.channels + 3) {
            let id = try channel(&pair, .ordered)
            guard pair.first.messages.contains(id) else {
                ids.append(id)
                continue
            }
            try send(&pair, id, "", 1)
            try pair.first.finish(id, now: pair.now)
            pair.exchange()
            ids.append(id)
            try pair.second.finish(id, now: pair.now)
            pair.exchange()
        }
        #expect(pair.second.messages.count == MessageLimits.channels)
        #expect(pair.second.counters.messages.refusedChannels == 3)
        #expect(pair.isOver == [false, false])
        #expect(
            pair.events[0].contains(
                .stream(.reset(try #require(ids.last), code: MessageLimits.refusedCode))))
        #expect(try pair.second.allMessages(on: ids[0]).count == 1)
    }

    @Test func aResetChannelIsGone() throws {
        var pair = try LinkPair.connected()
        let id = try channel(&pair, .unordered)
        try send(&pair, id, "whole", 10)
        try send(&pair, id, "large", 100_000)
        pair.send(records: 4)
        pair.deliver(from: 0)
        try pair.second.reset(id, code: 7, now: pair.now)
        pair.exchange()
        #expect(pair.events[0].last == .stream(.reset(id, code: 7)))
        #expect(throws: LinkCallError.message(.noChannel)) {
            try pair.first.send(try PeerMessage([1]), on: id, now: pair.now)
        }
        #expect(pair.first.unsentCount == 0)
        #expect(pair.second.bufferedCount == 0)
    }

    @Test func whatCantBeSentIsNamed() throws {
        #expect(throws: MessageError.typeTooLong(bytes: 256)) {
            try PeerMessage(type: String(repeating: "t", count: 256), [])
        }
        #expect(throws: MessageError.keyTooLarge(1 << 62)) { try PeerMessage(key: 1 << 62, []) }
        var outgoing = OutgoingMessages(.ordered, limits: MessageLimits())
        let limit = MessageLimits.size
        #expect(throws: MessageError.tooLong(bytes: limit + 1, limit: limit)) {
            try outgoing.add(try PeerMessage([UInt8](repeating: 0, count: limit + 1)))
        }
        try outgoing.add(try PeerMessage([UInt8](repeating: 0, count: limit)))
        #expect(throws: MessageError.noRoom) { try outgoing.add(try PeerMessage([1])) }
        var latest = OutgoingMessages(.latest, limits: MessageLimits())
        #expect(throws: MessageError.tooLong(bytes: 70_000, limit: 65_536)) {
            try latest.add(try PeerMessage(bytes(70_000)))
        }
        for key: UInt64 in 0..<256 { try latest.add(try PeerMessage(key: key, [1])) }
        #expect(throws: MessageError.noRoom) { try latest.add(try PeerMessage(key: 256, [1])) }
        try latest.add(try PeerMessage(key: 255, bytes(60_000)))
        #expect(latest.replacedCount == 1)
    }
}

@Suite("Pieces of messages")
struct MessageChunkTests {
    @Test func bytesAreAsSpecified() throws {
        let chunk = MessageChunk(
            number: 5, opening: .init(key: 9, type: "ab", size: 100), bytes: [1, 2])
        #expect(Hexadecimal.text(chunk.encoded) == "0501" + "09" + "026162" + "4064" + "020102")
        #expect(Hexadecimal.text(further(100, [7]).encoded) == "4064" + "00" + "0107")
        for chunk in [chunk, further(1 << 40, bytes(1_000)), first(1, size: 0, [])] {
            let encoded = chunk.encoded
            for count in 0..<encoded.count {
                var cut = WireReader(Array(encoded.prefix(count)))
                #expect(throws: ChunkError.self) { try MessageChunk(&cut, limit: 16_000) }
            }
            var reader = WireReader(encoded)
            #expect(try MessageChunk(&reader, limit: 16_000) == chunk)
            #expect(reader.isAtEnd)
        }
    }

    @Test func messagesInSeveralPieces() throws {
        let received = try readAll(
            [
                first(1, size: 4, [1, 2]), first(2, size: 2, [8]), further(1, [3]),
                first(3, size: 1, [9]), further(2, [7]), further(1, [4]),
            ], .unordered)
        #expect(received.map(\.message.bytes) == [[9], [8, 7], [1, 2, 3, 4]])
        #expect(received.map(\.number) == [3, 2, 1])
    }

    @Test func violationsAreNamed() {
        let id = StreamID(rawValue: 1)
        let large = UInt64(MessageLimits.size)
        let many = (1...17 as ClosedRange<UInt64>).map { first($0, size: 9, [1]) }
        let cases: [(MessageDelivery, [MessageChunk], MessageViolation)] = [
            (.ordered, [first(2, size: 1, [1])], .unexpectedNumber(id, 2)),
            (.ordered, [first(0, size: 1, [1])], .unexpectedNumber(id, 0)),
            (.latest, [first(1, size: 1, [1]), first(1, size: 1, [1])], .unexpectedNumber(id, 1)),
            (.ordered, [further(1, [1])], .unknownMessage(id, 1)),
            (.unordered, [first(1, size: 1, [1]), further(1, [1])], .unknownMessage(id, 1)),
            (.ordered, [first(1, size: 1, [1, 2])], .tooManyBytes(id, 1)),
            (.ordered, [first(1, size: 2, [1]), further(1, [1, 2])], .tooManyBytes(id, 1)),
            (.ordered, [first(1, size: 2, [])], .emptyChunk(id, 1)),
            (.ordered, [first(1, size: 2, [1]), further(1, [])], .emptyChunk(id, 1)),
            (
                .ordered, [first(1, size: large + 1, [1])],
                .messageTooLong(id, bytes: large + 1)
            ),
            (.latest, [first(1, size: 65_537, [1])], .messageTooLong(id, bytes: 65_537)),
            (
                .unordered, [first(1, size: 1 << 61, [1])],
                .messageTooLong(id, bytes: 1 << 61)
            ),
            (.ordered, [first(1, size: 2, [1]), first(2, size: 1, [1])], .tooManyAtOnce(id, 2)),
            (.latest, [first(1, size: 2, [1]), first(2, size: 1, [1])], .tooManyAtOnce(id, 2)),
            (.unordered, many, .tooManyAtOnce(id, 17)),
            (
                .unordered, [first(1, size: large, [1]), first(2, size: 2, [1])],
                .tooManyAtOnce(id, 2)
            ),
            (
                .ordered, [first(1, size: large, bytes(16_001))],
                .chunkTooLong(id, bytes: 16_001)
            ),
        ]
        for (delivery, chunks, violation) in cases {
            #expect(throws: violation, "\(violation)") { try readAll(chunks, delivery) }
        }
        for (text, error) in [
            ("0102", FrameError.invalidField(.data)), ("4001", .integerNotShortest),
            ("01010001ff", .invalidField(.data)),
        ] {
            var incoming = IncomingMessages(id, .ordered)
            incoming.append(Hexadecimal.bytes(text) ?? [])
            #expect(throws: MessageViolation.chunk(id, error), "\(text)") {
                try incoming.read(room: .max)
            }
        }
    }

    @Test func chanceNeverCrashesAndIsBounded() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<300 {
            let delivery = MessageDelivery.allCases.randomElement(using: &generator) ?? .ordered
            var incoming = IncomingMessages(StreamID(rawValue: 1), delivery)
            var number: UInt64 = 0
            while true {
                let size = UInt64.random(in: 0...200_000, using: &generator)
                let isFirst = Bool.random(using: &generator)
                if isFirst { number += 1 }
                let some = [UInt8](
                    repeating: 1, count: Int.random(in: 0...16_000, using: &generator))
                let chunk =
                    isFirst
                    ? first(number, size: size, some)
                    : further(UInt64.random(in: 0...(number + 1), using: &generator), some)
                incoming.append(chunk.encoded)
                guard let pause = try? incoming.read(room: .max) else { break }
                if pause == .application { while incoming.popFirst() != nil {} }
                #expect(incoming.bufferedSize < 4 << 20)
            }
        }
    }

    @Test func datagramsAreWholeOrNothing() throws {
        let datagram = try DatagramMessage(number: 5, type: "ab", [1, 2])
        #expect(Hexadecimal.text(datagram.encoded) == "05" + "026162" + "0102")
        #expect(try DatagramMessage(decoding: datagram.encoded) == datagram)
        for count in 0..<4 {
            #expect(throws: FrameError.cutShort) {
                try DatagramMessage(decoding: Array(datagram.encoded.prefix(count)))
            }
        }
        #expect(throws: MessageError.tooLong(bytes: 1_199, limit: 1_198)) {
            try DatagramMessage(number: 1, type: "", bytes(1_199))
        }
        #expect(throws: FrameError.invalidField(.datagram)) {
            try DatagramMessage(decoding: [0, 0])
        }
        #expect(throws: FrameError.invalidField(.datagram)) {
            try DatagramMessage(decoding: [1, 0] + bytes(1_199))
        }
        var pair = try LinkPair.connected()
        for number in 0..<100 { try pair.first.sendDatagram([UInt8(number)], now: pair.now) }
        pair.exchange()
        #expect(pair.events[1] == [.datagrams])
        #expect(pair.first.counters.droppedOutgoing == 36)
        var received: [UInt8] = []
        while let datagram = pair.second.nextDatagram() {
            received += datagram.bytes
            #expect(datagram.number == UInt64(datagram.bytes[0]) + 1)
        }
        #expect(received == Array(36..<100))
        // A reader that is slow loses the oldest ones.
        for number in 0..<100 {
            try pair.first.sendDatagram([UInt8(number)], now: pair.now)
            pair.exchange()
        }
        #expect(pair.second.counters.droppedIncoming == 36)
        #expect(pair.second.nextDatagram()?.bytes == [36])
    }
}
