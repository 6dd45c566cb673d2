/// What became of the goodbyes (RFC 6762 §10.1) of what was withdrawn.
public enum GoodbyeDelivery: Hashable, Sendable {
    /// The kernel has them; or there was nothing to say goodbye for.
    case sent
    /// Some could not be sent, for this reason: other hosts go on listing what was offered until
    /// their copies expire.
    case failed(MDNSError)
}

extension DiscoveryNode {
    /// How long the kernel is given to make room for goodbyes.
    package static let flushLimit: Duration = .seconds(1)

    /// Whether some datagrams wait for the kernel to have room.
    package var hasQueuedDatagrams: Bool { driver.queuedCount > 0 }

    /// How many datagrams the kernel did not take.
    package var unsentCount: Int { driver.unsentCount }

    /// What became of the goodbyes, once nothing waits for the kernel any more or too long.
    ///
    /// - Parameter unsentCount: How many datagrams had not been sent before them.
    package func goodbyeDelivery(since unsentCount: Int) -> GoodbyeDelivery {
        if driver.unsentCount > unsentCount, let failure = driver.lastSendFailure {
            return .failed(MDNSError(failure))
        }
        guard !hasQueuedDatagrams else {
            return .failed(
                MDNSError(.sendingFailed, "the kernel had no room for all goodbyes in time"))
        }
        return .sent
    }
}
