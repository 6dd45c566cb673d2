import NetworkPrimitives

/// How much the other side may send, as the highest offset that it may reach.
///
/// Room is given as the application reads, half a window at a time, so what waits for it is never
/// more than a window. The window doubles when half of it was used up within two round trips: then
/// it is what limits the rate.
struct ReceiveWindow: Sendable {
    /// The most bytes that wait for the application.
    private(set) var size: UInt64
    private let maximumSize: UInt64
    /// Bytes received.
    private(set) var received: UInt64 = 0
    /// Bytes that the application has read, or that were thrown away.
    private(set) var consumed: UInt64 = 0
    /// Up to which offset the other side may send.
    private(set) var limit: UInt64
    private var lastGrant: Instant?

    init(size: UInt64, maximumSize: UInt64) {
        self.size = size
        self.maximumSize = maximumSize
        limit = size
    }

    /// Counts bytes that came.
    ///
    /// - Returns: Whether there was room for them.
    mutating func receive(_ count: Int) -> Bool {
        guard UInt64(count) <= limit - received else { return false }
        received += UInt64(count)
        return true
    }

    /// Counts bytes that no longer wait.
    mutating func consume(_ count: Int) { consumed += UInt64(count) }

    /// Whether the other side should be given more room.
    var isDue: Bool { limit - consumed <= size / 2 }

    /// The new limit, if one is due.
    mutating func grant(now: Instant, roundTrip: Duration) -> UInt64? {
        guard isDue else { return nil }
        if let lastGrant, lastGrant.duration(to: now) < roundTrip * 2 {
            size = min(size * 2, maximumSize)
        }
        lastGrant = now
        limit = consumed + size
        return limit
    }
}
