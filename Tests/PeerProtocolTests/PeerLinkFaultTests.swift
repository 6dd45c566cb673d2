import NetworkPrimitives
import Noise
import Testing

@testable import PeerProtocol

@Suite("Links: what the other side does wrong")
struct PeerLinkFaultTests {
    private func violation(_ frames: [Frame], isConnected: Bool = true) throws -> LinkEnd? {
        var pair = isConnected ? try LinkPair.connected() : try LinkPair.established()
        pair.hand(frames, from: 0)
        let end = pair.end(1)
        // The other side is told.
        pair.exchange()
        if end != nil {
            #expect(pair.end(0) == .closed(.violation, text: "", byPeer: true, unsent: 0))
        }
        #expect(pair.second.isDrained == (end != nil))
        return end
    }

    @Test func framesThatMustNotCome() throws {
        let unknown = FrameType(rawValue: 99)
        let cases: [(Frame, LinkViolation)] = [
            (Frame(unknown, flags: .critical), .content(.frame(.unknownCritical(unknown)))),
            (Frame(.ping, stream: 3), .content(.frame(.streamOfConnectionFrame(.ping, 3)))),
            (Frame(.ping, payload: [1]), .frame(.invalidField(.ping))),
            (Frame(.pong, payload: [0, 0, 0, 0, 0, 0, 0, 9]), .frame(.invalidField(.pong))),
            (Frame(.goAway), .frame(.cutShort)),
            (Frame(.trust, payload: [9]), .frame(.invalidField(.trust))),
            (Frame(.shortString, payload: [9]), .frame(.invalidField(.shortString))),
            (Frame(.invitation), .frame(.invalidField(.invitation))),
            (Frame(.data, stream: 1, payload: [1]), .stream(.unknownStream(1))),
            (Frame(.open, stream: 1, payload: [0, 9]), .stream(.frame(.invalidField(.open)))),
            (Frame(.open, stream: 1, payload: [0]), .stream(.frame(.cutShort))),
            (Frame(.datagram, payload: [0, 0]), .message(.datagram(.invalidField(.datagram)))),
        ]
        for (frame, expected) in cases {
            #expect(try violation([frame]) == .violation(expected), "\(frame)")
        }
        #expect(try violation([Frame(unknown), Frame(.padding)]) == nil)
        for type in [FrameType.open, .data, .window, .reset, .datagram] {
            let frame = Frame(type, stream: type == .datagram ? 0 : 1, payload: [1])
            #expect(
                try violation([frame], isConnected: false) == .violation(.beforeConnected(type)))
        }
    }

    @Test func creditAndPiecesOfMessages() throws {
        let open = Frame(.open, stream: 1, payload: [1])
        let data = Frame(.data, stream: 1, payload: [UInt8](repeating: 0, count: 40_000))
        var pair = try LinkPair.connected()
        pair.hand([open, data], from: 0)
        for _ in 0..<5 { pair.hand([data], from: 0) }
        #expect(pair.end(1) == nil)
        pair.hand([data], from: 0)
        #expect(pair.end(1) == .violation(.stream(.streamWindowExceeded(1))))
        let channel = Frame(.open, stream: 1, payload: [0, 0])
        let id = StreamID(rawValue: 1)
        let giant = Frame(
            .data, stream: 1, payload: [1, 1, 0, 0] + [UInt8](repeating: 255, count: 8) + [1, 7])
        #expect(
            try violation([channel, giant])
                == .violation(.message(.messageTooLong(id, bytes: (1 << 62) - 1))))
        let half = Frame(.data, flags: .end, stream: 1, payload: [1, 1, 0, 0, 2, 1, 7])
        #expect(try violation([channel, half]) == .violation(.message(.cutShort(id))))
    }

    /// Frames cut at every length, in a record that is authentic.
    @Test func recordsWithTextCutAtEveryLength() throws {
        var text: [UInt8] = []
        Frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 1]).append(to: &text)
        let whole = [0, text.count]
        Frame(.trust, payload: [1]).append(to: &text)
        for count in 0..<text.count {
            var pair = try LinkPair.established()
            pair.events = [[], []]
            pair.hand(pair.seal(Array(text.prefix(count)), from: 0), from: 0)
            let expected: LinkEnd? =
                whole.contains(count) ? nil : .violation(.content(.frame(.cutShort)))
            #expect(pair.end(1) == expected, "\(count)")
        }
    }

    @Test func recordsThatAreNotTheNextOne() throws {
        let damaged = LinkEnd.violation(.content(.cipher(.messageNotAuthentic)))
        var pair = try LinkPair.connected()
        let record = pair.seal([], from: 0)
        pair.hand(record, from: 0)
        #expect(pair.end(1) == nil)
        pair.hand(record, from: 0)
        #expect(pair.end(1) == damaged)
        var changed = try LinkPair.connected()
        var bytes = changed.seal([], from: 0)
        bytes[bytes.count - 1] ^= 1
        changed.hand(bytes, from: 0)
        #expect(changed.end(1) == damaged)
        var short = try LinkPair.connected()
        short.hand([0, 15] as [UInt8], from: 0)
        #expect(short.end(1) == .violation(.record(.tooShort(15))))
        // The largest length is waited for, as long as bytes come.
        var long = try LinkPair.connected()
        long.hand([255, 255] + [UInt8](repeating: 1, count: 60_000), from: 0)
        #expect(long.second.bufferedCount == 60_002)
        long.pass(.seconds(15), isCut: true)
        #expect(long.end(1) == .silent(.connected))
    }

    @Test func anotherVersionOrProtocolIsNamed() throws {
        let versions = try #require(VersionRange(2, 3))
        let ours = VersionRange.supported
        let preface = Preface(
            role: .initiator, encryption: .required, wantsSecret: false, versions: versions)
        var pair = try LinkPair()
        pair.hand(preface.bytes, from: 0)
        #expect(
            pair.end(1)
                == .handshake(.negotiation(.incompatible(theirs: versions, ours: ours))))
        // Its own preface leaves, so that the other side can say why too.
        #expect(pair.second.isDrained == false)
        #expect(pair.second.nextOutput(now: .zero)?.starts(with: Array("VICINITY".utf8)) == true)
        #expect(pair.second.isDrained == true)
        var http = try LinkPair()
        http.hand(Array("GET / HTTP/1.1\r\n".utf8), from: 0)
        #expect(http.end(1) == .handshake(.preface(.notOurProtocol)))
        var giant = try LinkPair()
        giant.hand(Array("VICINITY".utf8) + [255, 255], from: 0)
        #expect(giant.end(1) == .handshake(.preface(.invalidLength(65_535))))
    }

    @Test func anotherKeyThanDialled() throws {
        let key = try #require(DeviceKey([UInt8](repeating: 5, count: 32)))
        var pair = try LinkPair { if $0.role == .initiator { $0.expected = .key(key) } }
        pair.exchange()
        guard case .wrongPeer(.key(key), let found) = pair.end(0) else {
            Issue.record("\(pair.events)")
            return
        }
        #expect(found.name.text == "Bert")
        // Who was dialled by mistake saw nothing of who dials.
        pair.second.disconnect()
        pair.takeEvents()
        #expect(pair.second.peer == nil)
        #expect(pair.end(1) == .disconnected(.handshake))
    }

    @Test func aHandshakeThatIsPlayedAgain() throws {
        var pair = try LinkPair()
        var recorded: [[UInt8]] = []
        for _ in 0..<6 {
            while let (_, bytes) = pair.nextRecord(0) {
                recorded.append(bytes)
                pair.hand(bytes, from: 0)
            }
            while let (_, bytes) = pair.nextRecord(1) { pair.hand(bytes, from: 1) }
        }
        #expect(pair.second.peer != nil)
        var victim = try LinkPair(keys: [1, 2, 3, 5])
        for bytes in recorded {
            victim.hand(bytes, from: 0)
            victim.takeEvents()
        }
        #expect(victim.second.peer == nil)
        guard case .handshake(.noise) = victim.end(1) else {
            Issue.record("\(victim.events)")
            return
        }
    }

    /// Who invites without end makes no queue of events or refusals.
    @Test func endlessInvitationsAreBounded() throws {
        var pair = try LinkPair.established()
        try pair.second.trust(.trusted, now: pair.now)
        pair.exchange()
        pair.events = [[], []]
        for number: UInt64 in 1...200 {
            let message = InvitationMessage.invite(number: number, try Invitation())
            var text: [UInt8] = []
            for frame in InvitationFrames.frames(of: message, size: 9_000) {
                frame.append(to: &text)
            }
            pair.second.receive(pair.seal(text, from: 0), now: pair.now)
            #expect(pair.second.events.count == 1)
        }
        #expect(pair.second.nextEvent() == .invited(number: 200, try Invitation()))
        #expect(pair.second.counters.unseenInvitations == 199)
        // The same with pings and pongs, and with what it says of trust.
        for _ in 0..<100 {
            var text: [UInt8] = []
            Frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 1]).append(to: &text)
            TrustStanding.verified.frame.append(to: &text)
            pair.second.receive(pair.seal(text, from: 0), now: pair.now)
        }
        #expect(pair.second.events.count == 1)
        #expect(pair.second.nextText().count == 12)
        // Before it is trusted four messages are kept.
        var early = try LinkPair.established()
        for number: UInt64 in 1...5 {
            #expect(early.end(1) == nil)
            early.hand(
                InvitationFrames.frames(of: .invite(number: number, try Invitation()), size: 100),
                from: 0)
        }
        #expect(early.end(1) == .violation(.tooManyInvitations))
    }
}

@Suite("Links: closing")
struct PeerLinkClosingTests {
    @Test func everythingThatWaitsLeavesBefore() throws {
        var pair = try LinkPair.connected()
        let channel = try pair.first.openStream(StreamOpening(.message), now: pair.now)
        let stream = try pair.first.openStream(StreamOpening(.stream), now: pair.now)
        let message = try PeerMessage([UInt8](repeating: 3, count: 60_000))
        try pair.first.send(message, on: channel, now: pair.now)
        try pair.first.send(message, on: channel, now: pair.now)
        _ = try pair.first.write([UInt8](repeating: 4, count: 30_000), to: stream, now: pair.now)
        try pair.first.sendDatagram([1], now: pair.now)
        pair.first.close(.left, text: "bye", now: pair.now)
        #expect(pair.first.stage == .closing)
        pair.exchange()
        #expect(pair.end(0) == .closed(.left, text: "bye", byPeer: false, unsent: 0))
        #expect(pair.end(1) == .closed(.left, text: "bye", byPeer: true, unsent: 0))
        // What came can be read after the end.
        #expect(try pair.second.allMessages(on: channel).map(\.message) == [message, message])
        #expect(try pair.second.read(stream).bytes.count == 30_000)
        #expect(pair.second.nextDatagram()?.bytes == [1])
        #expect(pair.second.nextEvent() == nil)
    }

    /// A reader that never reads does not keep the link: after ten seconds it is closed, and how
    /// much did not leave is said.
    @Test func aReaderThatNeverReads() throws {
        var pair = try LinkPair.connected { try? $0.streams.setOutgoing(300_000) }
        let stream = try pair.first.openStream(StreamOpening(.stream), now: pair.now)
        let count = try pair.first.write(
            [UInt8](repeating: 4, count: 300_000), to: stream, now: pair.now)
        pair.first.close(.left, now: pair.now)
        pair.exchange()
        #expect(pair.isOver == [false, false])
        pair.pass(.seconds(11))
        let unsent = count - (256 << 10)
        #expect(pair.end(0) == .closed(.left, text: "", byPeer: false, unsent: unsent))
        #expect(pair.end(1) == .closed(.left, text: "", byPeer: true, unsent: 0))
    }

    @Test func bothCloseAtOnce() throws {
        var pair = try LinkPair.connected()
        let first = try pair.first.openStream(StreamOpening(.message), now: pair.now)
        let second = try pair.second.openStream(StreamOpening(.message), now: pair.now)
        let message = try PeerMessage([UInt8](repeating: 3, count: 40_000))
        try pair.first.send(message, on: first, now: pair.now)
        try pair.second.send(message, on: second, now: pair.now)
        pair.first.close(.left, now: pair.now)
        pair.second.close(.full, now: pair.now)
        pair.exchange()
        #expect(pair.end(0) == .closed(.left, text: "", byPeer: false, unsent: 0))
        #expect(pair.end(1) == .closed(.full, text: "", byPeer: false, unsent: 0))
        #expect(try pair.first.allMessages(on: second).map(\.message) == [message])
        #expect(try pair.second.allMessages(on: first).map(\.message) == [message])
    }

    @Test func aPeerThatNeverAnswers() throws {
        var pair = try LinkPair.connected()
        pair.first.close(.left, now: pair.now)
        pair.send()
        pair.pass(.seconds(9), isCut: true)
        #expect(pair.end(0) == nil)
        pair.pass(.seconds(2), isCut: true)
        #expect(pair.end(0) == .closed(.left, text: "", byPeer: false, unsent: 0))
        // A connection that is cut behind the last frame is no other end.
        var cut = try LinkPair.connected()
        cut.first.close(.left, now: cut.now)
        cut.send()
        cut.first.disconnect()
        cut.second.disconnect()
        cut.takeEvents()
        #expect(cut.end(0) == .closed(.left, text: "", byPeer: false, unsent: 0))
        #expect(cut.end(1) == .disconnected(.connected))
        // Before it is known who is there, nothing is to be said.
        var early = try LinkPair()
        early.first.close(.left, now: early.now)
        early.takeEvents()
        #expect(early.end(0) == .closed(.left, text: "", byPeer: false, unsent: 0))
    }
}
