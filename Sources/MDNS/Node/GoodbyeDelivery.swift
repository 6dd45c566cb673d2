import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives

/// What became of the goodbyes (RFC 6762 §10.1) of what was withdrawn.
public enum GoodbyeDelivery: Hashable, Sendable {
    /// The kernel has them; or there was nothing to say goodbye for.
    case sent
    /// Some could not be sent, for this reason: other hosts go on listing what was offered until
    /// their copies expire.
    case failed(MDNSError)
}

/// Who waits for datagrams to leave.
struct FlushState {
    /// How long the kernel is given to make room.
    static let limit: Duration = .seconds(1)

    var waiters: [CheckedContinuation<Void, Never>] = []
    var timer: DeadlineTimer?
    /// How many datagrams had not been sent before the first goodbye that closing is to report on:
    /// before closing, or before a registration whose handle was dropped could not say its own.
    var unsentBefore: Int?
}

extension MDNSNode {
    /// Waits until all that was to be sent is in the kernel's hands, and says whether it is.
    ///
    /// - Parameter unsentCount: How many datagrams had not been sent before.
    func delivery(since unsentCount: Int) async -> GoodbyeDelivery {
        if driver.queuedCount > 0 {
            await withCheckedContinuation { waiter in
                flush.waiters.append(waiter)
                guard flush.timer == nil else { return }
                flush.timer = loop.makeTimer { [weak self] in
                    self?.assumeIsolated { $0.endFlush() }
                }
                flush.timer?.setDeadline(SystemClock.now.advanced(by: FlushState.limit))
            }
        }
        if driver.unsentCount > unsentCount, let failure = driver.lastSendFailure {
            return .failed(MDNSError(failure))
        }
        guard driver.queuedCount == 0 else {
            return .failed(
                MDNSError(.sendingFailed, "the kernel had no room for all goodbyes in time"))
        }
        return .sent
    }

    /// Resumes whoever waits if nothing is left to be sent.
    func resumeFlushWaiters() {
        driver.noteLateResults()
        if flush.timer != nil, driver.queuedCount == 0 { endFlush() }
    }

    private func endFlush() {
        flush.timer?.cancel()
        flush.timer = nil
        let waiters = flush.waiters
        flush.waiters = []
        for waiter in waiters { waiter.resume() }
    }
}
