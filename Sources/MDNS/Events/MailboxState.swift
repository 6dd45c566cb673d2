/// What a mailbox keeps for its reader: a pure value that decides what is merged or dropped.
package protocol EventBuffer: Sendable {
    /// What the reader gets.
    associatedtype Element: Sendable
    /// Takes out the next event.
    mutating func next() -> Element?
    /// Drops all that is kept.
    mutating func removeAll()
}

/// The states of a mailbox: open, finished (what is kept still goes out), cancelled.
///
/// Methods never act; they say which waiters are to be resumed, with what, once the lock is
/// released.
struct MailboxState<Buffer: EventBuffer, Waiter: Sendable>: Sendable {
    private enum Phase {
        case open
        case finished
        case cancelled
    }

    /// A waiter and what it is to be given.
    struct Delivery: Sendable {
        var waiter: Waiter
        var element: Buffer.Element?
    }

    /// What asking for an event came to.
    enum Step: Sendable {
        /// The event, or the end.
        case now(Buffer.Element?)
        /// Nothing yet.
        case later
    }

    private var buffer: Buffer
    private var phase = Phase.open
    private var waiters: [Waiter] = []

    init(buffer: Buffer) {
        self.buffer = buffer
    }

    mutating func put(_ change: (inout Buffer) -> Void) -> [Delivery] {
        guard phase == .open else { return [] }
        change(&buffer)
        var deliveries: [Delivery] = []
        while !waiters.isEmpty, let element = buffer.next() {
            deliveries.append(Delivery(waiter: waiters.removeFirst(), element: element))
        }
        return deliveries
    }

    mutating func take(orWait waiter: Waiter? = nil) -> Step {
        if phase == .cancelled { return .now(nil) }
        if let element = buffer.next() { return .now(element) }
        if phase == .finished { return .now(nil) }
        if let waiter { waiters.append(waiter) }
        return .later
    }

    mutating func finish() -> [Delivery] {
        guard phase == .open else { return [] }
        phase = .finished
        return dismissWaiters()
    }

    mutating func cancel() -> (wasOpen: Bool, deliveries: [Delivery]) {
        let wasOpen = phase == .open
        phase = .cancelled
        buffer.removeAll()
        return (wasOpen, dismissWaiters())
    }

    // Whoever waits saw an empty buffer, so there is nothing left for them.
    private mutating func dismissWaiters() -> [Delivery] {
        defer { waiters = [] }
        return waiters.map { Delivery(waiter: $0, element: nil) }
    }
}
