import LinuxEventLoop

/// Where the node puts events and a task takes them out: a lock around a pure state.
///
/// The node never waits for a reader and a reader never holds up the loop. What is kept for a
/// slow reader is the buffer's business; no buffer grows without bound.
package final class EventMailbox<Buffer: EventBuffer>: Sendable {
    package typealias Element = Buffer.Element
    typealias State = MailboxState<Buffer, CheckedContinuation<Element?, Never>>

    private let state: GuardedState<State>

    /// With a buffer that nothing was put into.
    package init(_ buffer: Buffer) {
        state = GuardedState(State(buffer: buffer))
    }

    /// Changes what is kept, then serves whoever waits.
    package func put(_ change: (inout Buffer) -> Void) {
        resume(state.withLock { $0.put(change) })
    }

    /// No more events will come; what is kept is still handed out.
    package func finish() {
        resume(state.withLock { $0.finish() })
    }

    /// Drops what is kept and ends whoever waits: the reader has lost interest.
    ///
    /// - Returns: Whether the mailbox was open until now.
    package func cancel() -> Bool {
        let (wasOpen, deliveries) = state.withLock { $0.cancel() }
        resume(deliveries)
        return wasOpen
    }

    /// Takes the next event, waiting for it; `nil` once there will be none.
    package func next(isolation: isolated (any Actor)?) async -> Element? {
        if case .now(let element) = state.withLock({ $0.take() }) { return element }
        return await withCheckedContinuation(isolation: isolation) { waiter in
            // An event may have come since: the state is asked again, waiter in hand.
            if case .now(let element) = state.withLock({ $0.take(orWait: waiter) }) {
                waiter.resume(returning: element)
            }
        }
    }

    // Outside the lock: the resumed task may run at once and come back here.
    private func resume(_ deliveries: [State.Delivery]) {
        for delivery in deliveries { delivery.waiter.resume(returning: delivery.element) }
    }
}
