internal import CLinux
package import LinuxNetworking

extension Readiness {
    init(events: UInt32) {
        self = []
        if events & EPOLLIN.rawValue != 0 { insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { insert(.writable) }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { insert(.failed) }
    }

    var events: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue : 0)
            | (contains(.writable) ? EPOLLOUT.rawValue : 0)
    }
}

/// A file that a loop watches, until this value goes or is cancelled.
///
/// Used on the loop's thread only, but for its end. The watched descriptor should outlive it.
package final class Watch {
    private let loop: EventLoop
    private let token: UInt64
    private let descriptor: Int32
    /// What the callback is called for.
    package private(set) var interest: Readiness

    fileprivate init(
        loop: EventLoop, token: UInt64, descriptor: Int32, interest: Readiness
    ) {
        self.loop = loop
        self.token = token
        self.descriptor = descriptor
        self.interest = interest
    }

    deinit {
        cancel()
    }

    /// Changes what the callback is called for.
    package func setInterest(_ interest: Readiness) throws(SystemError) {
        loop.checkIsolated()
        guard interest != self.interest, loop.isWatching(token) else { return }
        try loop.control(EPOLL_CTL_MOD, descriptor, events: interest.events, token: token)
        self.interest = interest
    }

    /// Ends the watching: the callback is not called again. Off the loop, as soon as it can be.
    package func cancel() {
        if loop.isCurrent {
            loop.removeWatch(token)
        } else {
            loop.perform { [loop, token] in loop.removeWatch(token) }
        }
    }
}

/// What a loop knows of a watched file.
struct WatchSlot {
    var generation: UInt32 = 0
    var descriptor: Int32 = -1
    var onReady: (@Sendable (Readiness) -> Void)?
}

extension EventLoop {
    /// Watches a file: `onReady` is called on the loop's thread as long as the file is ready
    /// for something in `interest`, once a turn. Call it on the loop.
    ///
    /// - Parameter onReady: must handle a bounded amount and never block. It should hold its
    ///   actor weakly and enter it with `assumeIsolated`.
    package func watch(
        _ descriptor: borrowing FileDescriptor, for interest: Readiness = .readable,
        onReady: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        try watch(number: descriptor.number, for: interest, onReady: onReady)
    }

    /// The same for a file that is known by its number only.
    package func watch(
        number: Int32, for interest: Readiness, onReady: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        checkIsolated()
        let index = freeWatches.popLast() ?? watches.count
        if index == watches.count { watches.append(WatchSlot()) }
        let token = UInt64(watches[index].generation) << 32 | UInt64(index)
        do throws(SystemError) {
            try control(EPOLL_CTL_ADD, number, events: interest.events, token: token)
        } catch {
            freeWatches.append(index)
            throw error
        }
        watches[index].descriptor = number
        watches[index].onReady = onReady
        return Watch(loop: self, token: token, descriptor: number, interest: interest)
    }

    func isWatching(_ token: UInt64) -> Bool {
        let index = Int(token & 0xFFFF_FFFF)
        return index < watches.count && UInt64(watches[index].generation) == token >> 32
            && watches[index].onReady != nil
    }

    func removeWatch(_ token: UInt64) {
        guard isWatching(token) else { return }
        let index = Int(token & 0xFFFF_FFFF)
        let descriptor = watches[index].descriptor
        let callback = watches[index].onReady
        watches[index].onReady = nil
        watches[index].descriptor = -1
        watches[index].generation &+= 1
        freeWatches.append(index)
        // A file that was closed meanwhile is out of the kernel's list already, and its number
        // may belong to another watch by now.
        if !watches.contains(where: { $0.descriptor == descriptor }) {
            try? control(EPOLL_CTL_DEL, descriptor, events: 0, token: token)
        }
        // What the callback held goes only now, when the tables are in order again.
        _ = callback
    }

    func watchIsReady(_ token: UInt64, _ readiness: Readiness) {
        // An earlier callback of this turn may have ended this watch.
        guard isWatching(token) else { return }
        watches[Int(token & 0xFFFF_FFFF)].onReady?(readiness)
    }
}
