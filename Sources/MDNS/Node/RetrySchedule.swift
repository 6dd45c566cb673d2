import NetworkPrimitives

/// When registrations that are blocked are probed for and announced again.
///
/// Nothing tells when a firewall lets go, so it is tried at growing intervals; and at once when
/// something else could be sent, because a name is ours only if its probes left.
struct RetrySchedule {
    private static let shortest: Duration = .seconds(2)
    private static let longest: Duration = .seconds(60)
    /// Probes of the last attempt leave within this time.
    private static let attempt: Duration = .seconds(1)

    private(set) var deadline: Instant?
    private var interval = Self.shortest
    private var isWished = false
    private var lastAttempt: Instant?

    /// Begins, if it has not begun.
    mutating func start(at now: Instant) {
        guard deadline == nil else { return }
        deadline = now.advanced(by: interval)
        interval = min(interval * 2, Self.longest)
    }

    /// Nothing is blocked any more.
    mutating func stop() {
        self = RetrySchedule()
    }

    /// The deadline is met.
    mutating func isDue(at now: Instant) {
        deadline = nil
        isWished = true
        start(at: now)
    }

    /// Something was sent while registrations are blocked.
    mutating func noteSuccess(at now: Instant) {
        if let lastAttempt, lastAttempt.duration(to: now) < Self.attempt { return }
        isWished = true
    }

    /// Whether an attempt is to be made now.
    mutating func takeWish(at now: Instant) -> Bool {
        guard isWished else { return false }
        isWished = false
        lastAttempt = now
        return true
    }
}
