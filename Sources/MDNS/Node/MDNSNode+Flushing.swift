import LinuxDiscovery
import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives

/// Who waits for datagrams to leave.
struct FlushState {
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
        if node.hasQueuedDatagrams {
            await withCheckedContinuation { waiter in
                flush.waiters.append(waiter)
                guard flush.timer == nil else { return }
                flush.timer = loop.makeTimer { [weak self] in
                    self?.assumeIsolated { $0.endFlush() }
                }
                flush.timer?.setDeadline(SystemClock.now.advanced(by: DiscoveryNode.flushLimit))
            }
        }
        return node.goodbyeDelivery(since: unsentCount)
    }

    /// Resumes whoever waits if nothing is left to be sent.
    func resumeFlushWaiters() {
        if flush.timer != nil, !node.hasQueuedDatagrams { endFlush() }
    }

    private func endFlush() {
        flush.timer?.cancel()
        flush.timer = nil
        let waiters = flush.waiters
        flush.waiters = []
        for waiter in waiters { waiter.resume() }
    }
}
