import LinuxEventLoop

/// Tasks that wait until something may have changed. Used by one actor only.
struct WaitList {
    /// What may change.
    enum Key: Hashable, Sendable {
        /// A dial has come to its end.
        case dial(UInt64)
        /// This side's invitation has been answered.
        case invitation(UInt64)
        /// What became of an invitation of a peer.
        case answer(UInt64)
        /// There may be a message to read on a connection.
        case message(UInt64)
        /// There may be room to send on a stream of a connection.
        case room(UInt64, UInt64)
        /// There may be bytes to read on a stream of a connection.
        case bytes(UInt64, UInt64)
        /// The peer may have opened a stream on a connection.
        case streams(UInt64)
        /// A connection is over.
        case end(UInt64)
        /// A link was closed.
        case links
    }

    private var waiters: [Key: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)]] =
        [:]

    mutating func add(
        _ continuation: CheckedContinuation<Void, Never>, number: UInt64, for key: Key
    ) {
        waiters[key, default: []].append((number, continuation))
    }

    /// Wakes all who wait for that, in their order.
    mutating func wake(_ key: Key) {
        guard let woken = waiters.removeValue(forKey: key) else { return }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Wakes one who was cancelled.
    mutating func wake(_ number: UInt64, of key: Key) {
        guard let index = waiters[key]?.firstIndex(where: { $0.number == number }) else { return }
        let waiter = waiters[key]?.remove(at: index)
        if waiters[key]?.isEmpty == true { waiters[key] = nil }
        waiter?.continuation.resume()
    }

    /// Wakes all.
    mutating func wakeAll() {
        for key in Array(waiters.keys) { wake(key) }
    }
}

extension PeerSession {
    /// Waits until something may have changed, or the task is cancelled.
    func wait(for key: WaitList.Key) async {
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A cancellation before this has looked for the waiter in vain.
                guard !Task.isCancelled else { return continuation.resume() }
                waiters.add(continuation, number: number, for: key)
            }
        } onCancel: { [self] in
            loop.perform { self.assumeIsolated { $0.waiters.wake(number, of: key) } }
        }
    }
}
