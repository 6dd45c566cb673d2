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

    /// One link, on which each side's first message arrives and behind which the other one is
    /// closed, or each side that invited is told once that it failed. With every second pair links
    /// are cut at any time: then too there is one link or none, on both sides the same, and nothing
    /// but cuts and duplicates ends a link.
    @Test func aThousandPairsOfLinksAgree() throws {
        let key = privateKey(0)
        var reached = Reached()
        for seed in 0..<1_000 {
            var pair = try CrossedLinkSimulation(
                seed: UInt64(seed), cuts: seed % 2 == 1, unusedKey: key)
            try pair.run()
            let (stays, records) = (pair.staying, pair.records)
            #expect(stays[0] == stays[1], "seed \(seed)")
            for side in 0...1 {
                let staying = stays[side].map { [$0] } ?? []
                let (links, isIdle) = (pair.connectedLinks[side], pair.isIdle[side])
                #expect(links == staying && isIdle == staying.isEmpty, "seed \(seed)")
                check(records[side], "seed \(seed)")
                if pair.cutCount == 0 {
                    checkUncut(
                        records[side], staying.first, other: records[1 - side], "seed \(seed)")
                }
                if staying.isEmpty, records[side].hasInvited {
                    let results = records[side].connected.count + records[side].failures.count
                    #expect(results > 0, "seed \(seed)")
                } else if !staying.isEmpty {
                    #expect(records[side].received == [[UInt8(1 - side)]], "seed \(seed)")
                }
            }
            reached.count(records, isConnected: stays[0] != nil, isCut: pair.cutCount > 0)
        }
        #expect(reached.crossed > 400 && reached.connected > 200, "\(reached)")
        #expect(reached.connectedDespiteRefusal > 40, "\(reached)")
        #expect(reached.cut > 200 && reached.connectedDespiteCut > 30, "\(reached)")
    }

    /// Whether the script reaches what it is about.
    private struct Reached {
        var crossed = 0
        var connected = 0
        var connectedDespiteRefusal = 0
        var cut = 0
        var connectedDespiteCut = 0

        mutating func count(
            _ records: [CrossedLinkSimulation.Record], isConnected: Bool, isCut: Bool
        ) {
            if isCut { cut += 1 }
            if isCut, isConnected { connectedDespiteCut += 1 }
            guard records[0].invitedCount == 1, records[1].invitedCount == 1 else { return }
            crossed += 1
            guard isConnected else { return }
            connected += 1
            if records[0].refusals + records[1].refusals > 0 { connectedDespiteRefusal += 1 }
        }
    }

    private func check(_ record: CrossedLinkSimulation.Record, _ comment: Comment) {
        #expect(record.connected.count <= 1 && record.failures.count <= 1, comment)
        for end in record.ends {
            switch end {
            case nil, .disconnected, .closed(.duplicate, _, _, _): break
            default: Issue.record("\(comment): \(String(describing: end))")
            }
        }
    }

    /// Where no link is cut.
    private func checkUncut(
        _ record: CrossedLinkSimulation.Record, _ staying: Int?,
        other: CrossedLinkSimulation.Record, _ comment: Comment
    ) {
        #expect(record.connected == (staying.map { [$0] } ?? []), comment)
        guard let staying else {
            #expect(record.failures.count == (record.hasInvited ? 1 : 0), comment)
            #expect(record.ends == [nil, nil], comment)
            return
        }
        // It could not know of the other's, and was connected by that one anew.
        #expect(record.failures.count == (record.failedEarly ? 1 : 0), comment)
        #expect(record.ends[staying] == nil, comment)
        guard record.hasInvited, other.hasInvited else { return }
        #expect(record.ends[1 - staying] != nil, comment)
    }
}
