import NetworkPrimitives
import PeerProtocol
import Testing

/// Two peers that invite each other, or one the other, at chosen times over two connections, each
/// in order but not with the other; what their applications do is chance.
private struct CrossedPair {
    private enum Event {
        case invite(side: Int)
        case answer(side: Int, number: UInt64, accepts: Bool)
        case message(to: Int, InvitationMessage)
        case wake(side: Int)
    }

    private var exchanges = [InvitationExchange(), InvitationExchange()]
    private var queue = TimerQueue<Event>()
    private var generator: SeededGenerator
    /// The latest arrival by direction and connection, which nothing on it may overtake.
    private var arrivals = [[Instant]](
        repeating: [Instant](repeating: .zero, count: 2), count: 2)

    var connectedCount = [0, 0]
    var failures: [[InvitationRefusal]] = [[], []]
    var hasInvited = [false, false]
    var invitedCount = [0, 0]
    var refusalCount = 0
    /// Whether a side's time was over before the other's invitation had arrived.
    var endedEarly = [false, false]

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        for side in 0...1 where side == 0 || Int.random(in: 0..<4, using: &generator) > 0 {
            // Mostly close together, so that they cross.
            queue.insert(.invite(side: side), at: time(Int64.random(in: 0...60, using: &generator)))
        }
        while let entry = queue.popDue(by: Instant(nanoseconds: .max)) {
            try handle(entry.event, entry.time)
        }
    }

    var isConnected: [Bool] { exchanges.map(\.isConnected) }
    var isIdle: [Bool] { exchanges.map(\.isIdle) }

    private mutating func handle(_ event: Event, _ now: Instant) throws {
        switch event {
        case .invite(let side):
            let invitation = try Invitation(
                time: .milliseconds(Int64.random(in: 50...400, using: &generator)))
            guard !exchanges[side].isConnected else { return }
            hasInvited[side] = true
            apply(try exchanges[side].invite(invitation, number: 1, now: now), side, now)
        case .answer(let side, let number, let accepts):
            apply(
                accepts
                    ? exchanges[side].accept(number: number)
                    : exchanges[side].decline(number: number), side, now)
        case .message(let side, let message):
            apply(exchanges[side].receive(message, now: now), side, now)
        case .wake(let side):
            apply(exchanges[side].advance(to: now), side, now)
        }
        for side in 0...1 {
            if let deadline = exchanges[side].deadline, deadline > now {
                queue.insert(.wake(side: side), at: deadline)
            }
        }
    }

    private mutating func apply(
        _ effects: [InvitationExchange.Effect], _ side: Int, _ now: Instant
    ) {
        for effect in effects {
            switch effect {
            case .send(let message): send(message, from: side, now)
            case .invited(let number, _):
                invitedCount[side] += 1
                // Some never answer.
                guard Int.random(in: 0..<8, using: &generator) > 0 else { continue }
                let delay = Duration.milliseconds(Int64.random(in: 0...300, using: &generator))
                queue.insert(
                    .answer(
                        side: side, number: number, accepts: Bool.random(using: &generator)),
                    at: now.advanced(by: delay))
            case .withdrawn: break
            case .connected: connectedCount[side] += 1
            case .failed(let reason):
                failures[side].append(reason)
                if reason == .noAnswer, invitedCount[side] == 0 { endedEarly[side] = true }
            }
        }
    }

    /// What concerns an invitation goes over the connection of the side that invited.
    private mutating func send(_ message: InvitationMessage, from side: Int, _ now: Instant) {
        let connection: Int
        switch message {
        case .invite, .confirm, .withdraw: connection = side
        case .accept: connection = 1 - side
        case .refuse:
            connection = 1 - side
            refusalCount += 1
        }
        let delay = Duration.milliseconds(Int64.random(in: 0...80, using: &generator))
        let arrival = max(now.advanced(by: delay), arrivals[side][connection])
        arrivals[side][connection] = arrival
        queue.insert(.message(to: 1 - side, message), at: arrival)
    }
}

private func time(_ milliseconds: Int64) -> Instant {
    .zero.advanced(by: .milliseconds(milliseconds))
}

@Suite("Crossed invitations")
struct CrossedInvitationTests {
    /// One link, or each side that invited is told once that it failed.
    @Test func aThousandPairsAgree() throws {
        var connected = 0
        var crossed = 0
        var connectedDespiteRefusal = 0
        for seed in 0..<1_000 {
            let pair = try CrossedPair(seed: UInt64(seed))
            #expect(pair.isConnected[0] == pair.isConnected[1], "seed \(seed)")
            for side in 0...1 {
                if pair.isConnected[side] {
                    #expect(pair.connectedCount[side] == 1, "seed \(seed)")
                    // It could not know of the other's, and was connected by that one anew.
                    let expected: [InvitationRefusal] = pair.endedEarly[side] ? [.noAnswer] : []
                    #expect(pair.failures[side] == expected, "seed \(seed)")
                } else {
                    #expect(pair.connectedCount[side] == 0, "seed \(seed)")
                    let expected = pair.hasInvited[side] ? 1 : 0
                    #expect(pair.failures[side].count == expected, "seed \(seed)")
                    #expect(pair.isIdle[side], "seed \(seed)")
                }
            }
            if pair.isConnected[0] { connected += 1 }
            if pair.invitedCount == [1, 1] { crossed += 1 }
            if pair.isConnected[0], pair.refusalCount > 0 { connectedDespiteRefusal += 1 }
        }
        // The script reaches what it is about.
        #expect(connected > 300 && connected < 900)
        #expect(crossed > 500)
        #expect(connectedDespiteRefusal > 50)
    }
}
