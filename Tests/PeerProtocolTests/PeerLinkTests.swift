import NetworkPrimitives
import Testing

@testable import PeerProtocol

private func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: (start + $0) &* 31 >> 3) }
}

extension PeerLink {
    /// All messages of a channel that are there.
    mutating func allMessages(on id: StreamID) throws -> [ReceivedMessage] {
        var messages: [ReceivedMessage] = []
        while let message = try nextMessage(on: id) { messages.append(message) }
        return messages
    }
}

@Suite("Links: from the first byte to the last")
struct PeerLinkTests {
    @Test func aLinkComesUpConnectsAndCloses() throws {
        var pair = try LinkPair()
        pair.exchange()
        guard case .established(let seen) = pair.events[0].first else {
            Issue.record("\(pair.events)")
            return
        }
        #expect(seen.description.name.text == "Bert")
        #expect(pair.events[1].first == .answerWanted)
        #expect(pair.first.peer?.channelBinding == pair.second.peer?.channelBinding)
        #expect(pair.first.roundTrip == .zero && pair.second.roundTrip == .zero)
        #expect(pair.first.stage == .established)
        pair.events = [[], []]
        try pair.connect()
        #expect(pair.events[0] == [.trusted(.trusted), .connected])
        #expect(
            pair.events[1] == [
                .trusted(.trusted), .invited(number: 1, try Invitation()), .connected,
            ])
        pair.first.close(.left, text: "bye", now: pair.now)
        pair.exchange()
        #expect(pair.end(0) == .closed(.left, text: "bye", byPeer: false, unsent: 0))
        #expect(pair.end(1) == .closed(.left, text: "bye", byPeer: true, unsent: 0))
        #expect(pair.first.isDrained && pair.second.isDrained)
        #expect(pair.first.deadline == nil && pair.second.deadline == nil)
    }

    /// The same comes of any pieces.
    @Test(arguments: [1, 2, 3, 7, 100, 1_000, 70_000])
    func piecesOfAnySize(_ size: Int) throws {
        var pair = try LinkPair.established()
        try pair.first.trust(.verified, now: pair.now)
        try pair.second.trust(.accepted, now: pair.now)
        let invitation = try Invitation(context: bytes(40_000))
        try pair.first.invite(invitation, number: 7, now: pair.now)
        pair.exchange(pieceSize: size)
        #expect(pair.events[1].last == .invited(number: 7, invitation))
        try pair.second.accept(number: 7, now: pair.now)
        pair.exchange(pieceSize: size)
        let id = try pair.first.openStream(StreamOpening(.message), now: pair.now)
        let message = try PeerMessage(type: "Move", bytes(50_000))
        try pair.first.send(message, on: id, now: pair.now)
        pair.exchange(pieceSize: size)
        #expect(try pair.second.allMessages(on: id).map(\.message) == [message])
        pair.second.close(.left, now: pair.now)
        pair.exchange(pieceSize: size)
        #expect(pair.end(0) == .closed(.left, text: "", byPeer: true, unsent: 0))
    }

    /// Cut in the handshake: each side ends once, with the reason.
    @Test(arguments: [0, 9, 17, 18, 19, 52, 53, 200])
    func cutInTheHandshake(_ count: Int) throws {
        var pair = try LinkPair()
        pair.takeEvents()
        for _ in 0..<4 {
            pair.send()
            for side in 0...1 {
                pair.deliver(from: side, upTo: count - pair.delivered[1 - side])
            }
        }
        pair.first.disconnect()
        pair.second.disconnect()
        pair.takeEvents()
        for side in 0...1 where count < 100 {
            #expect(pair.end(side) == .disconnected(.handshake))
        }
        #expect(pair.isOver == [true, true])
    }

    /// Cut behind every byte of a session, in both directions: each side ends once, with a
    /// reason, and does nothing more.
    @Test func cutAtEveryByte() throws {
        var whole = try LinkPair.established()
        whole.delivered = [0, 0]
        try session(&whole, limits: [.max, .max])
        let sizes = whole.delivered
        #expect(sizes[0] > 100 && sizes[1] > 200, "\(sizes)")
        for side in 0...1 {
            for count in 0..<sizes[side] {
                var limits = [Int.max, .max]
                limits[side] = count
                var pair = try LinkPair.established()
                pair.delivered = [0, 0]
                try session(&pair, limits: limits)
                pair.first.disconnect()
                pair.second.disconnect()
                pair.takeEvents()
                for side in 0...1 {
                    #expect(pair.end(side) != nil, "\(side) cut at \(count)")
                    if case .ended = pair.events[side].last {} else { Issue.record("\(count)") }
                }
                #expect(pair.first.deadline == nil && pair.second.deadline == nil)
                pair.first.receive([1, 2, 3], now: pair.now)
                #expect(pair.first.nextEvent() == nil)
                #expect(pair.first.counters.ignoredBytes == 3)
            }
        }
    }

    /// A session until nothing more comes, of which each side gets so many bytes at most.
    private func session(_ pair: inout LinkPair, limits: [Int]) throws {
        func run(_ pair: inout LinkPair) {
            for _ in 0..<3 {
                pair.send()
                for side in 0...1 {
                    pair.deliver(from: side, upTo: limits[1 - side] - pair.delivered[1 - side])
                }
            }
        }
        try pair.first.trust(.trusted, now: pair.now)
        try pair.second.trust(.trusted, now: pair.now)
        try pair.first.invite(try Invitation(context: [1, 2]), number: 1, now: pair.now)
        run(&pair)
        if pair.second.end == nil { try pair.second.accept(number: 1, now: pair.now) }
        run(&pair)
        if pair.first.isConnected, pair.second.isConnected {
            let channel = try pair.first.openStream(
                StreamOpening(.message, delivery: .unordered), now: pair.now)
            try pair.first.send(try PeerMessage(type: "a", bytes(200)), on: channel, now: pair.now)
            let stream = try pair.second.openStream(StreamOpening(.stream), now: pair.now)
            _ = try pair.second.write(bytes(50), to: stream, now: pair.now)
            try pair.first.sendDatagram([5], now: pair.now)
            run(&pair)
        }
        pair.first.close(.left, now: pair.now)
        run(&pair)
    }

    @Test func oneByteASecondIsTooSlowForAHandshakeOnly() throws {
        var pair = try LinkPair()
        for _ in 0..<12 {
            pair.send()
            pair.deliver(from: 0, upTo: 1)
            pair.now = pair.now.advanced(by: .seconds(1))
            pair.first.advance(to: pair.now)
            pair.second.advance(to: pair.now)
        }
        pair.takeEvents()
        #expect(pair.end(0) == .timedOut(.handshake))
        #expect(pair.end(1) == .timedOut(.handshake))
        // A link that is up is alive with a byte a second.
        var up = try LinkPair.connected()
        let id = try up.first.openStream(StreamOpening(.message), now: up.now)
        let message = try PeerMessage(bytes(200))
        try up.first.send(message, on: id, now: up.now)
        let stream = try up.second.openStream(StreamOpening(.stream), now: up.now)
        _ = try up.second.write(bytes(400), to: stream, now: up.now)
        var received: [ReceivedMessage] = []
        for _ in 0..<400 where received.isEmpty && up.isOver == [false, false] {
            up.send()
            up.deliver(from: 0, upTo: 1)
            up.deliver(from: 1, upTo: 1)
            up.now = up.now.advanced(by: .seconds(1))
            up.first.advance(to: up.now)
            up.second.advance(to: up.now)
            if up.second.messages.contains(id) { received = try up.second.allMessages(on: id) }
        }
        #expect(received.map(\.message) == [message])
        #expect(up.isOver == [false, false])
    }

    @Test func aSilentPeerIsNoticed() throws {
        var pair = try LinkPair.connected()
        pair.pass(.seconds(300))
        #expect(pair.isOver == [false, false])
        pair.pass(.seconds(16), isCut: true)
        #expect(pair.end(0) == .silent(.connected))
        #expect(pair.end(1) == .silent(.connected))
        // A clock that jumps ahead is a silence; one that is set back changes nothing.
        var jump = try LinkPair.connected()
        jump.now = jump.now.advanced(by: .seconds(3_600))
        let id = try jump.first.openStream(StreamOpening(.message), now: .zero)
        try jump.first.send(try PeerMessage([1]), on: id, now: Instant(nanoseconds: .min))
        jump.first.advance(to: Instant(nanoseconds: -5))
        jump.second.receive(jump.first.nextOutput(now: .zero) ?? [], now: jump.now)
        #expect(try jump.second.allMessages(on: id).count == 1)
        // It was handed over before the time, so it is a sign of life.
        jump.second.advance(to: jump.now)
        jump.first.advance(to: jump.now)
        jump.takeEvents()
        #expect(jump.end(0) == .silent(.connected) && jump.second.end == nil)
        jump.first.advance(to: .never)
        jump.second.advance(to: .never)
        jump.takeEvents()
        #expect(jump.end(1) == .silent(.connected))
    }

    @Test func whoIsNeitherConnectedNorInvitedGoes() throws {
        var pair = try LinkPair()
        pair.exchange()
        pair.pass(.seconds(119))
        #expect(pair.isOver == [false, false])
        pair.pass(.seconds(2))
        let ends = Set([pair.end(0), pair.end(1)])
        #expect(ends.contains(.timedOut(.established)))
        #expect(pair.isOver == [true, true])
        // An answer that is never allowed, and a dial that nobody answers.
        var waiting = try LinkPair()
        waiting.answers = false
        waiting.exchange()
        #expect(waiting.second.wantedCount == 0)
        waiting.pass(.seconds(10))
        #expect(waiting.end(0) == .timedOut(.handshake))
        #expect(waiting.end(1) == .timedOut(.handshake))
    }

    @Test func anInvitationIsHeldUntilThePeerIsTrusted() throws {
        var pair = try LinkPair.established()
        pair.events = [[], []]
        #expect(throws: LinkCallError.notTrusted) {
            try pair.first.invite(try Invitation(), number: 1, now: pair.now)
        }
        try pair.first.trust(.trusted, now: pair.now)
        let context = try Invitation(context: bytes(65_536))
        try pair.first.invite(context, number: 1, now: pair.now)
        pair.exchange()
        #expect(pair.events[1] == [.trusted(.trusted)])
        try pair.second.trust(.verified, now: pair.now)
        pair.exchange()
        #expect(pair.events[1] == [.trusted(.trusted), .invited(number: 1, context)])
        #expect(pair.first.theirStanding == .verified)
        // And what is taken back until then is never shown.
        var other = try LinkPair.established()
        try other.first.trust(.trusted, now: other.now)
        try other.first.invite(context, number: 1, now: other.now)
        try other.first.withdraw(now: other.now)
        other.exchange()
        other.events[1] = []
        try other.second.trust(.trusted, now: other.now)
        other.exchange()
        #expect(other.events[1].isEmpty)
        #expect(other.second.counters.unseenInvitations == 1)
        #expect(other.events[0].contains(.invitationFailed(.withdrawn)))
    }

    @Test func aDeclinedInvitationFailsWithItsReason() throws {
        var pair = try LinkPair.established()
        for number: UInt64 in 1...2 {
            pair.events = [[], []]
            try pair.first.trust(.trusted, now: pair.now)
            if number == 1 { try pair.second.trust(.trusted, now: pair.now) }
            try pair.first.invite(try Invitation(), number: number, now: pair.now)
            #expect(throws: LinkCallError.invitation(.alreadyInvited)) {
                try pair.first.invite(try Invitation(), number: 3, now: pair.now)
            }
            pair.exchange()
            try pair.second.decline(number: number, .full, now: pair.now)
            pair.exchange()
            #expect(pair.events[0].last == .invitationFailed(.full))
        }
        try pair.first.invite(try Invitation(time: .seconds(3)), number: 3, now: pair.now)
        pair.exchange()
        pair.pass(.seconds(3))
        #expect(pair.events[0].last == .invitationFailed(.noAnswer))
        #expect(pair.events[1].last == .withdrawn(number: 3, .noAnswer))
        #expect(pair.isOver == [false, false])
    }

    @Test func bothPersonsCompare() throws {
        var pair = try LinkPair.established()
        pair.events = [[], []]
        try pair.second.compare(now: pair.now)
        pair.exchange()
        guard case .comparison(.compare(let digits)) = pair.events[0].first else {
            Issue.record("\(pair.events)")
            return
        }
        #expect(pair.events[1] == [.comparison(.compare(digits))])
        try pair.first.answerComparison(true, now: pair.now)
        try pair.second.answerComparison(true, now: pair.now)
        pair.exchange()
        #expect(pair.events[0].last == .comparison(.verified))
        #expect(pair.events[1].last == .comparison(.verified))
        var without = try LinkPair.established { $0.comparisonNonce = [] }
        #expect(throws: LinkCallError.noNonce) { try without.first.compare(now: without.now) }
    }

    @Test func theSecretIsProvedToBoth() throws {
        var pair = try LinkPair(HandshakeSetup(initiatorSecret: 9, responderSecret: 9))
        pair.exchange()
        #expect(pair.first.peer?.provesSecret == false)
        #expect(pair.second.peer?.provesSecret == true)
        #expect(pair.events[0].contains(.secretProved))
        #expect(!pair.events[1].contains(.secretProved))
    }

    @Test func callsAtTheWrongTimeAreNamed() throws {
        var early = try LinkPair()
        #expect(throws: LinkCallError.notEstablished) {
            try early.first.trust(.trusted, now: early.now)
        }
        var pair = try LinkPair.established()
        try pair.first.trust(.trusted, now: pair.now)
        #expect(throws: LinkCallError.notConnected) {
            try pair.first.sendDatagram([1], now: pair.now)
        }
        try pair.connect()
        let stream = try pair.first.openStream(StreamOpening(.stream), now: pair.now)
        let channel = try pair.first.openStream(StreamOpening(.message), now: pair.now)
        #expect(throws: LinkCallError.stream(.closed)) {
            try pair.first.write([1], to: channel, now: pair.now)
        }
        #expect(throws: LinkCallError.message(.noChannel)) {
            try pair.first.send(try PeerMessage([1]), on: stream, now: pair.now)
        }
        try pair.first.finish(channel, now: pair.now)
        #expect(throws: LinkCallError.message(.finished)) {
            try pair.first.send(try PeerMessage([1]), on: channel, now: pair.now)
        }
        pair.first.close(.left, now: pair.now)
        #expect(throws: LinkCallError.closed) { try pair.first.sendDatagram([1], now: pair.now) }
    }
}
