import NetworkPrimitives

/// The minute after which a name that could not be established is reported as failing, once for
/// each search (RFC 6762 §9).
///
/// It runs while a name is claimed and not established, whatever the reason: conflicts, lost
/// tiebreaks, or probes that cannot be sent.
struct NamingFailure: Hashable, Sendable {
    private(set) var deadline: Instant?
    private var isRunning = false

    /// Starts the minute, or lets it go on, while `isClaiming`; otherwise it ends.
    mutating func update(isClaiming: Bool, at now: Instant) {
        if !isClaiming {
            isRunning = false
            deadline = nil
        } else if !isRunning {
            isRunning = true
            deadline = now.advanced(by: DiscoveryTiming.namingFailure)
        }
    }

    /// Whether the minute is over; true once.
    mutating func isDue(by now: Instant) -> Bool {
        guard let time = deadline, time <= now else { return false }
        deadline = nil
        return true
    }
}
