package import NetworkPrimitives

/// Notices that the other side is gone, and measures how long a round trip takes.
///
/// After five seconds without a byte a ping is sent; after fifteen the connection is dead. Bytes
/// of any kind are a sign of life. The clock goes on while the machine sleeps, so a sleep that
/// was too long is noticed at once.
package struct Liveness: Sendable {
    /// The times.
    package struct Timing: Hashable, Sendable {
        /// How long nothing may come before a ping is sent.
        package var idle: Duration = .seconds(5)
        /// How long nothing may come before the connection is dead.
        package var dead: Duration = .seconds(15)

        /// Those of the protocol.
        package init() {}
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        /// To be sent.
        case send(Frame)
        /// The other side is gone.
        case dead
    }

    private let timing: Timing
    private var lastReceived: Instant
    private var lastPing: Instant
    private var nextNumber: UInt64 = 1
    /// The ping that was not answered yet.
    private var pending: (number: UInt64, sent: Instant)?
    private var pongPayload: [UInt8]?
    private var isDead = false

    /// The shortest round trip of late, smoothed; nil before the first.
    package private(set) var roundTrip: Duration?

    /// On a connection that was established just now.
    package init(timing: Timing = Timing(), now: Instant) {
        self.timing = timing
        lastReceived = now
        lastPing = now
    }

    /// When `advance` wants to be called.
    package var deadline: Instant? {
        if isDead { return nil }
        let death = lastReceived.advanced(by: timing.dead)
        let ping = max(lastReceived, lastPing).advanced(by: timing.idle)
        return min(death, ping)
    }

    /// Any bytes came.
    package mutating func received(now: Instant) { lastReceived = max(lastReceived, now) }

    /// A ping at once, as to find out whether a run is alive.
    package mutating func ping(now: Instant) -> Frame {
        lastPing = now
        // An older one that was not answered yet no longer counts for the round trip.
        pending = (nextNumber, now)
        defer { nextNumber += 1 }
        return Frame(.ping, payload: nextNumber.bigEndianBytes)
    }

    /// A ping of the other side: the latest one is answered by the next `takePong`, so that many
    /// pings do not become many answers.
    package mutating func receivePing(_ payload: [UInt8]) throws(FrameError) {
        guard payload.count == 8 else { throw .invalidField(.ping) }
        pongPayload = payload
    }

    /// The answer that is owed.
    package mutating func takePong() -> Frame? {
        defer { pongPayload = nil }
        return pongPayload.map { Frame(.pong, payload: $0) }
    }

    /// An answer of the other side: whether it is the one to the latest ping.
    package mutating func receivePong(
        _ payload: [UInt8], now: Instant
    ) throws(FrameError) -> Bool {
        guard let number = UInt64(bigEndian: payload.span) else { throw .invalidField(.pong) }
        guard number < nextNumber, number > 0 else { throw .invalidField(.pong) }
        guard let pending, pending.number == number else { return false }
        self.pending = nil
        let sample = pending.sent.duration(to: now)
        roundTrip = roundTrip.map { ($0 * 7 + sample) / 8 } ?? sample
        return true
    }

    /// The time is `now`.
    package mutating func advance(to now: Instant) -> [Effect] {
        guard !isDead else { return [] }
        if lastReceived.advanced(by: timing.dead) <= now {
            isDead = true
            return [.dead]
        }
        guard max(lastReceived, lastPing).advanced(by: timing.idle) <= now else { return [] }
        return [.send(ping(now: now))]
    }
}
