import NetworkPrimitives

/// When it is tried again whether what could not be sent, or did not arrive, does now.
///
/// Nothing tells when a firewall lets go, so it is tried at growing intervals. Once something
/// works again, what is offered is probed for and announced again, because a name is ours only
/// if its probes left.
struct RetrySchedule {
    private static let shortest: Duration = .seconds(2)
    private static let longest: Duration = .seconds(60)
    /// Probes of the last attempt leave within this time.
    private static let attempt: Duration = .seconds(1)
    /// A limit that comes and goes does not have everything announced more often than this.
    private static let recoveryInterval: Duration = .seconds(10)

    private(set) var deadline: Instant?
    private var interval = Self.shortest
    private var isWished = false
    private var hasRecovered = false
    private var lastAttempt: Instant?

    /// Begins, if it has not begun.
    mutating func start(at now: Instant) {
        guard deadline == nil else { return }
        deadline = now.advanced(by: interval)
        interval = min(interval * 2, Self.longest)
    }

    /// Nothing fails any more.
    mutating func stop() {
        let lastAttempt = lastAttempt
        self = RetrySchedule()
        self.lastAttempt = lastAttempt
    }

    /// The deadline is met.
    ///
    /// - Parameter restarts: Whether everything is to be probed for and announced again.
    /// - Returns: Whether it will be.
    mutating func isDue(restarts: Bool, at now: Instant) -> Bool {
        deadline = nil
        isWished = restarts || hasRecovered
        hasRecovered = false
        start(at: now)
        return isWished
    }

    /// Something was sent while registrations are blocked.
    mutating func noteSuccess(at now: Instant) {
        if isAttempting(at: now) { return }
        isWished = true
    }

    /// Something works again for registrations that could be found elsewhere all the time.
    mutating func noteRecovery(at now: Instant) {
        if isAttempting(at: now) { return }
        guard let next = lastAttempt?.advanced(by: Self.recoveryInterval), now < next else {
            isWished = true
            return
        }
        hasRecovered = true
        deadline = next
    }

    private func isAttempting(at now: Instant) -> Bool {
        lastAttempt.map { $0.duration(to: now) < Self.attempt } ?? false
    }

    /// Whether an attempt is to be made now.
    mutating func takeWish(at now: Instant) -> Bool {
        guard isWished else { return false }
        isWished = false
        lastAttempt = now
        return true
    }
}
