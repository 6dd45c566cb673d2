import NetworkPrimitives
import PeerProtocol
import Testing

private func time(_ milliseconds: Int64) -> Instant {
    .zero.advanced(by: .milliseconds(milliseconds))
}

@Suite("Signs of life")
struct LivenessTests {
    @Test func pingsWhenIdleAndDiesInSilence() throws {
        var liveness = Liveness(now: time(0))
        #expect(liveness.deadline == time(5_000))
        #expect(liveness.advance(to: time(4_999)) == [])
        guard case .send(let ping) = liveness.advance(to: time(5_000)).first else {
            Issue.record("no ping")
            return
        }
        #expect(ping.type == .ping)
        #expect(liveness.deadline == time(10_000))
        #expect(liveness.advance(to: time(10_000)).count == 1)
        #expect(liveness.deadline == time(15_000))
        #expect(liveness.advance(to: time(15_000)) == [.dead])
        #expect(liveness.deadline == nil)
        #expect(liveness.advance(to: time(99_000)) == [])
    }

    @Test func anyByteIsASignOfLife() {
        var liveness = Liveness(now: time(0))
        for second in 1...60 {
            liveness.received(now: time(Int64(second) * 1_000))
            #expect(liveness.advance(to: time(Int64(second) * 1_000)) == [])
        }
        #expect(liveness.deadline == time(65_000))
    }

    @Test func aSleepThatWasTooLongIsNoticedAtOnce() {
        var liveness = Liveness(now: time(0))
        #expect(liveness.advance(to: time(3_600_000)) == [.dead])
    }

    @Test func theAnswerMeasuresTheRoundTrip() throws {
        var liveness = Liveness(now: time(0))
        var other = Liveness(now: time(0))
        for (number, delay) in [(0, 80), (1, 80), (2, 0)] as [(Int64, Int64)] {
            let sent = time(number * 1_000)
            try other.receivePing(liveness.ping(now: sent).payload)
            let answer = other.takePong()
            let pong = try #require(answer)
            let isLatest = try liveness.receivePong(
                pong.payload, now: sent.advanced(by: .milliseconds(delay)))
            #expect(isLatest)
        }
        #expect(liveness.roundTrip == .milliseconds(70))
        #expect(other.takePong() == nil)
    }

    @Test func manyPingsHaveOneAnswer() throws {
        var liveness = Liveness(now: time(0))
        var other = Liveness(now: time(0))
        var pings: [Frame] = []
        for _ in 0..<1_000 { pings.append(liveness.ping(now: time(0))) }
        for ping in pings { try other.receivePing(ping.payload) }
        let answer = other.takePong()
        let pong = try #require(answer)
        #expect(pong.payload == pings.last?.payload)
        #expect(other.takePong() == nil)
        let old = Frame(.pong, payload: pings[3].payload)
        #expect(try liveness.receivePong(old.payload, now: time(1)) == false)
    }

    @Test func brokenOnesAreRefused() throws {
        var liveness = Liveness(now: time(0))
        for payload in [[], [1], [UInt8](repeating: 0, count: 9)] as [[UInt8]] {
            #expect(throws: FrameError.invalidField(.ping)) { try liveness.receivePing(payload) }
            #expect(throws: FrameError.invalidField(.pong)) {
                try liveness.receivePong(payload, now: time(0))
            }
        }
        // A ping that was never sent.
        for number: UInt8 in [0, 1] {
            #expect(throws: FrameError.invalidField(.pong)) {
                try liveness.receivePong([0, 0, 0, 0, 0, 0, 0, number], now: time(0))
            }
        }
    }
}

@Suite("Payloads of a connection's frames")
struct ControlFrameTests {
    @Test func goAway() throws {
        let sample = GoAway(.duplicate, text: "smaller key stays")
        #expect(try GoAway(decoding: sample.frame.payload) == sample)
        #expect(sample.frame.payload.prefix(2) == [2, 0x73])
        let long = GoAway(.left, text: String(repeating: "ü", count: 300))
        #expect(long.text.utf8.count == 254)
        #expect(try GoAway(decoding: [200]).reason.rawValue == 200)
        #expect(throws: FrameError.cutShort) { try GoAway(decoding: []) }
        #expect(throws: FrameError.invalidField(.goAway)) { try GoAway(decoding: [1, 0xFF]) }
        #expect(throws: FrameError.invalidField(.goAway)) {
            try GoAway(decoding: [UInt8](repeating: 65, count: 257))
        }
    }

    @Test func trust() throws {
        for standing in TrustStanding.allCases {
            #expect(try TrustStanding(decoding: standing.frame.payload) == standing)
        }
        for payload in [[], [0], [4], [1, 1]] as [[UInt8]] {
            #expect(throws: FrameError.invalidField(.trust)) {
                try TrustStanding(decoding: payload)
            }
        }
    }

    @Test(arguments: [1, 2, 1_000, 16_000, 100_000])
    func largeInvitationsTakeSeveralFrames(_ size: Int) throws {
        let count = size < 10 ? 40 : Invitation.maximumContext
        let context = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let message = InvitationMessage.invite(number: 5, try Invitation(context: context))
        let frames = InvitationFrames.frames(of: message, size: size)
        #expect(frames.allSatisfy { $0.payload.count <= size })
        var reader = InvitationFrames()
        for frame in frames.dropLast() { #expect(try reader.receive(frame) == nil) }
        let last = try #require(frames.last)
        #expect(try reader.receive(last) == message)
        let accept = InvitationFrames.frames(of: .accept(number: 1), size: size)
        for frame in accept.dropLast() { #expect(try reader.receive(frame) == nil) }
        #expect(try reader.receive(try #require(accept.last)) == .accept(number: 1))
    }

    @Test func anEndlessInvitationIsRefused() throws {
        var reader = InvitationFrames()
        let frame = Frame(.invitation, payload: [UInt8](repeating: 1, count: 16_000))
        for _ in 0..<4 { #expect(try reader.receive(frame) == nil) }
        #expect(throws: FrameError.invalidField(.invitation)) { try reader.receive(frame) }
        var empty = InvitationFrames()
        #expect(throws: FrameError.invalidField(.invitation)) {
            try empty.receive(Frame(.invitation))
        }
    }
}
