import CryptoPrimitives
import Noise
import Testing

/// Messages that were cut, changed, repeated or sent out of turn.
@Suite("Noise: damaged handshakes")
struct DamageTests {
    private static let secret = [UInt8](repeating: 31, count: 32)

    /// Whether there is a pre-shared key, and the message; in the second it changes nothing.
    private static let cases = [(false, 0), (false, 1), (false, 2), (true, 0), (true, 2)]

    private func pair(_ sharing: Bool) throws -> Pair {
        sharing
            ? try Pair(
                Side.Setting.initiator.sharing(Self.secret),
                Side.Setting.responder.sharing(Self.secret))
            : try Pair()
    }

    /// The side that reads message `index` of a handshake that was recorded, at that point. Its
    /// keys are those of the record, so it writes what stands there.
    private func reader(of index: Int, _ record: [[UInt8]], _ sharing: Bool) throws -> Side {
        let pair = try pair(sharing)
        let (_, reader) = pair.sides(of: index)
        for earlier in 0..<index {
            if pair.sides(of: earlier).writer === reader {
                #expect(try reader.write(Pair.payload(earlier)) == record[earlier])
            } else {
                _ = try reader.read(record[earlier])
            }
        }
        return reader
    }

    /// Every prefix of every message.
    @Test(arguments: cases)
    func messagesCutAtEveryLength(_ sharing: Bool, _ index: Int) throws {
        let record = try pair(sharing).run()
        let keys = [sharing ? 48 : 32, 32 + 48 + 16, 48 + 16][index]
        for length in 0..<record[index].count {
            let reader = try reader(of: index, record, sharing)
            // Behind the keys is a payload: one that is cut is not authentic.
            let expected: NoiseError =
                length < keys ? .messageTooShort(bytes: length) : .handshakeNotAuthentic(.payload)
            expectDead(reader, after: expected) {
                try $0.read(Array(record[index].prefix(length)))
            }
        }
    }

    @Test(arguments: cases)
    func everyByteOfAMessageCounts(_ sharing: Bool, _ index: Int) throws {
        let record = try pair(sharing).run()
        for position in record[index].indices {
            let reader = try reader(of: index, record, sharing)
            var message = record[index]
            message[position] ^= 1 << UInt8(position % 8)
            if index == 0, !sharing {
                // The first message is in clear: the change is seen by who reads the second.
                _ = try reader.read(message)
                let reply = try reader.write(Pair.payload(1))
                let initiator = try self.reader(of: 1, record, sharing)
                expectDead(initiator, after: .handshakeNotAuthentic(.staticKey)) {
                    try $0.read(reply)
                }
            } else {
                let part: NoiseError.Part = isStatic(position, index) ? .staticKey : .payload
                expectDead(reader, after: .handshakeNotAuthentic(part)) { try $0.read(message) }
            }
        }
    }

    /// Whether a change there is seen when the static key is decrypted; an ephemeral key before
    /// it counts for that.
    private func isStatic(_ position: Int, _ index: Int) -> Bool {
        switch index {
        case 1: position < 32 + 48
        case 2: position < 48
        default: false
        }
    }

    @Test func bytesAfterAMessage() throws {
        let pair = try pair(false)
        try pair.run(to: 1)
        let reply = try pair.responder.write()
        expectDead(pair.initiator, after: .handshakeNotAuthentic(.payload)) {
            try $0.read(reply + [0])
        }
    }

    @Test func writingOutOfTurn() throws {
        let first = try pair(false)
        expectDead(first.responder, after: .outOfTurn) { try $0.write() }
        let second = try pair(false)
        _ = try second.initiator.write()
        expectDead(second.initiator, after: .outOfTurn) { try $0.write() }
    }

    @Test func readingOutOfTurn() throws {
        let first = try pair(false)
        expectDead(first.initiator, after: .outOfTurn) {
            try $0.read([UInt8](repeating: 5, count: 32))
        }
    }

    /// After the last message there is nothing to write or to read: not even to one who hands in
    /// a message of the transport.
    @Test func messagesAfterTheLast() throws {
        for index in 0..<2 {
            let pair = try pair(false)
            try pair.run()
            expectDead(pair.sides(of: index).writer, after: .outOfTurn) { try $0.write() }
            expectDead(pair.sides(of: index).reader, after: .outOfTurn) {
                try $0.read([UInt8](repeating: 5, count: 32))
            }
        }
    }

    /// The same message a second time, in its own handshake and in another of the same keys.
    @Test(arguments: [false, true], 0..<3)
    func replayedMessages(_ sharing: Bool, _ index: Int) throws {
        let recorded = try pair(sharing).run()
        let pair = try pair(sharing)
        try pair.run(to: index + 1)
        #expect(throws: NoiseError.self) { try pair.sides(of: index).reader.read(recorded[index]) }
        #expect(throws: NoiseError.failedBefore) {
            try pair.sides(of: index).reader.read(recorded[index])
        }
        var (initiator, responder) = (Side.Setting.initiator, Side.Setting.responder)
        if sharing { initiator = initiator.sharing(Self.secret) }
        if sharing { responder = responder.sharing(Self.secret) }
        // The reader draws a fresh ephemeral key, as it must.
        if index.isMultiple(of: 2) {
            responder.ephemeralKey = TestKey(42)
        } else {
            initiator.ephemeralKey = TestKey(41)
        }
        let other = try Pair(initiator, responder)
        try other.run(to: index)
        let (_, reader) = other.sides(of: index)
        guard index == 0 else {
            let part: NoiseError.Part = .staticKey
            expectDead(reader, after: .handshakeNotAuthentic(part)) { try $0.read(recorded[index]) }
            return
        }
        // Anybody can send a first message again; without its private key nothing follows.
        _ = try reader.read(recorded[0])
        #expect(try reader.write(Pair.payload(1)) != recorded[1])
        expectDead(reader, after: .handshakeNotAuthentic(.staticKey)) { try $0.read(recorded[2]) }
    }

    @Test func longestMessages() throws {
        let longest = 65_535 - 32
        let first = try pair(false)
        let message = try first.initiator.write([UInt8](repeating: 1, count: longest))
        #expect(message.count == 65_535)
        #expect(try first.responder.read(message).count == longest)
        let second = try pair(false)
        expectDead(second.initiator, after: .messageTooLong(bytes: 65_536)) {
            try $0.write([UInt8](repeating: 1, count: longest + 1))
        }
        expectDead(second.responder, after: .messageTooLong(bytes: 65_536)) {
            try $0.read(message + [0])
        }
        let third = try pair(false)
        try third.run(to: 1)
        #expect(throws: NoiseError.self) {
            try third.responder.write([UInt8](repeating: 1, count: 65_535 - 95))
        }
        #expect(throws: NoiseError.failedBefore) { try third.responder.write() }
    }
}
