internal import Synchronization

/// State that threads share, behind a lock.
///
/// It is a `Mutex` that the thread sanitizer understands. The sanitizer does not see into the
/// standard library's slow path, so that two threads that really waited for each other look to
/// it as if they had not; the atomic variable, which costs next to nothing, shows it the order.
package struct GuardedState<State>: ~Copyable, Sendable {
    private let mutex: Mutex<State>
    private let trace = Atomic<UInt8>(0)

    /// Guards `state`.
    package init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Calls `body` with the state while no other thread has it.
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (state) throws(Failure) -> sending Result in
            _ = trace.load(ordering: .acquiring)
            defer { trace.store(0, ordering: .releasing) }
            return try body(&state)
        }
    }
}
