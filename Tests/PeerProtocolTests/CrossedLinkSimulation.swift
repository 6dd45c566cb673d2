import CryptoPrimitives
import NetworkPrimitives
import Testing

@testable import PeerProtocol

/// Two peers that invite each other at chosen times, each over a link that it dials, with delays
/// and cuts that are chance, like what their applications do. Each sends a message as soon as it is
/// connected.
struct CrossedLinkSimulation: ~Copyable {
    private enum Event {
        case up(side: Int, link: Int)
        case invite(side: Int)
        case answer(side: Int, number: UInt64, accepts: Bool)
        case bytes(link: Int, to: Int, [UInt8])
        case cut(link: Int)
        case disconnect(side: Int, link: Int)
        case wake
    }

    /// What an application came to know.
    struct Record {
        var hasInvited = false
        var invitedCount = 0
        var refusals = 0
        var connected: [Int] = []
        var failures: [InvitationRefusal] = []
        /// Whether it failed before the other's invitation had arrived.
        var failedEarly = false
        var received: [[UInt8]] = []
        /// Why the links ended.
        var ends: [LinkEnd?] = [nil, nil]
    }

    /// The link that a side dialled has its number; that side is the first of the pair.
    private var zero: LinkPair
    private var one: LinkPair
    private var selections: [LinkSelection]
    private var queue = TimerQueue<Event>()
    private var generator: SeededGenerator
    /// The latest arrival by link and side, which nothing may overtake.
    private var arrivals = [[Instant]](
        repeating: [Instant](repeating: .zero, count: 2), count: 2)
    private var isCut = [false, false]
    /// Links of each side that its selection wants to know of.
    private var isAdded = [[false, false], [false, false]]
    private var now = Instant.zero

    var records = [Record(), Record()]
    var cutCount = 0

    /// - Parameter cuts: Whether links may be cut.
    init(seed: UInt64, cuts: Bool, unusedKey: borrowing X25519PrivateKey) throws {
        let zero = try LinkPair.established(unusedKey: unusedKey) { $0.sharesInvitations = true }
        let one = try LinkPair.established(unusedKey: unusedKey) { $0.sharesInvitations = true }
        var generator = SeededGenerator(seed: seed)
        let key = try #require(DeviceKey([UInt8](repeating: 1, count: 32)))
        var peers = [UInt64(1), 2].map { PeerIdentity(key: key, id: PeerID(rawValue: $0)) }
        if Bool.random(using: &generator) { peers.swapAt(0, 1) }
        self.zero = zero
        self.one = one
        selections = [
            LinkSelection(own: peers[0], peer: peers[1]),
            LinkSelection(own: peers[1], peer: peers[0]),
        ]
        self.generator = generator
        for side in 0...1 where side == 0 || chance(7, of: 8) {
            queue.insert(.invite(side: side), at: time(0...60))
            // The handshake of the link that it dials ends on both sides at some time.
            for end in 0...1 { queue.insert(.up(side: end, link: side), at: time(0...120)) }
        }
        // Mostly one of both, so that the other one may connect.
        guard cuts, chance(3, of: 4) else { return }
        let link = chance(1, of: 2) ? 1 : 0
        queue.insert(.cut(link: link), at: time(0...300))
        if chance(1, of: 8) { queue.insert(.cut(link: 1 - link), at: time(0...500)) }
    }

    /// Runs it to where nothing more happens but signs of life.
    mutating func run() throws {
        let end = Instant.zero.advanced(by: .seconds(4))
        while let entry = queue.popDue(by: end) {
            now = max(now, entry.time)
            try handle(entry.event)
            try flush()
        }
    }

    /// The links that are connected and alive, by side.
    var connectedLinks: [[Int]] {
        let links = [
            [zero.first.isUsable, one.second.isUsable], [zero.second.isUsable, one.first.isUsable],
        ]
        return links.map { side in [0, 1].filter { side[$0] } }
    }

    /// The link that each side's selection has chosen.
    var staying: [Int?] {
        [0, 1].map { side in selections[side].staying.map { link($0, side) } }
    }

    var isIdle: [Bool] { selections.map(\.isIdle) }

    // MARK: Steps

    private mutating func chance(_ part: Int, of all: Int) -> Bool {
        Int.random(in: 0..<all, using: &generator) < part
    }

    private mutating func time(_ range: ClosedRange<Int64>) -> Instant {
        now.advanced(by: .milliseconds(Int64.random(in: range, using: &generator)))
    }

    private func role(_ side: Int, _ link: Int) -> ConnectionRole {
        side == link ? .initiator : .responder
    }

    private mutating func with<Result>(
        _ side: Int, _ link: Int, _ body: (inout PeerLink) throws -> Result
    ) rethrows -> Result {
        if link == 0 { return try side == 0 ? body(&zero.first) : body(&zero.second) }
        return try side == 1 ? body(&one.first) : body(&one.second)
    }

    private mutating func handle(_ event: Event) throws {
        let now = now
        switch event {
        case .up(let side, let link):
            guard records[side].ends[link] == nil else { return }
            try with(side, link) { try $0.trust(.trusted, now: now) }
            guard let effects = selections[side].add(role(side, link)) else {
                return with(side, link) { $0.close(.duplicate, now: now) }
            }
            isAdded[side][link] = true
            try follow(effects, side)
        case .invite(let side):
            let milliseconds = Int64.random(in: 50...400, using: &generator)
            let invitation = try Invitation(
                context: [UInt8(side)], time: .milliseconds(milliseconds))
            guard selections[side].staying == nil else { return }
            records[side].hasInvited = true
            try follow(try selections[side].invite(invitation, number: 1, now: now), side)
        case .answer(let side, let number, let accepts):
            if !accepts { records[side].refusals += 1 }
            try follow(
                accepts
                    ? selections[side].accept(number: number)
                    : selections[side].decline(number: number), side)
        case .bytes(let link, let side, let bytes):
            guard !isCut[link] else { return }
            with(side, link) { $0.receive(bytes, now: now) }
        case .cut(let link):
            isCut[link] = true
            cutCount += 1
            for side in 0...1 {
                queue.insert(.disconnect(side: side, link: link), at: time(0...200))
            }
        case .disconnect(let side, let link): with(side, link) { $0.disconnect() }
        case .wake:
            for side in 0...1 { try follow(selections[side].advance(to: now), side) }
        }
    }

    private mutating func follow(_ effects: [LinkSelection.Effect], _ side: Int) throws {
        let now = now
        for effect in effects {
            switch effect {
            case .send(let message, let role):
                // A link that has ended is reported next.
                with(side, link(role, side)) { try? $0.send(message, now: now) }
            case .invited(let number, let invitation):
                #expect(invitation.context == [UInt8(1 - side)])
                records[side].invitedCount += 1
                // Some never answer.
                guard chance(7, of: 8) else { continue }
                let accepts = chance(1, of: 2)
                queue.insert(
                    .answer(side: side, number: number, accepts: accepts), at: time(0...300))
            case .withdrawn: break
            case .connected(let role):
                let link = link(role, side)
                records[side].connected.append(link)
                try with(side, link) {
                    guard $0.end == nil else { return }
                    let id = try $0.openStream(StreamOpening(.message), now: now)
                    try $0.send(try PeerMessage([UInt8(side)]), on: id, now: now)
                }
            case .failed(let reason):
                records[side].failures.append(reason)
                if records[side].invitedCount == 0 { records[side].failedEarly = true }
            case .close(let role, let reason):
                with(side, link(role, side)) { $0.close(reason, now: now) }
            }
        }
        if let deadline = selections[side].deadline { queue.insert(.wake, at: max(deadline, now)) }
    }

    private func link(_ role: ConnectionRole, _ side: Int) -> Int {
        role == .initiator ? side : 1 - side
    }

    /// Follows all events, and puts what is due on its way.
    private mutating func flush() throws {
        let now = now
        for side in 0...1 {
            for link in 0...1 {
                while let event = with(side, link, { $0.nextEvent() }) {
                    try follow(event, side, link)
                }
            }
        }
        for side in 0...1 {
            for link in 0...1 {
                while let bytes = with(side, link, { $0.nextOutput(now: now) }) {
                    let arrival = max(time(0...80), arrivals[link][side])
                    arrivals[link][side] = arrival
                    queue.insert(.bytes(link: link, to: 1 - side, bytes), at: arrival)
                }
            }
        }
    }

    private mutating func follow(_ event: PeerLink.Event, _ side: Int, _ link: Int) throws {
        let role = role(side, link)
        switch event {
        case .invitation(let message):
            try follow(selections[side].receive(message, on: role, now: now), side)
        case .messages(.readable(let id)):
            while let message = try with(side, link, { try $0.nextMessage(on: id) }) {
                records[side].received.append(message.message.bytes)
            }
        case .ended(let end):
            records[side].ends[link] = end
            guard isAdded[side][link] || role == .initiator && selections[side].staying == nil
            else { return }
            try follow(selections[side].remove(role), side)
        default: break
        }
    }
}

extension PeerLink {
    fileprivate var isUsable: Bool { isConnected && end == nil && closing == nil }
}
