internal import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The few files that one thread waits for, and a deadline.
///
/// The deadline is on the clock that counts while the machine sleeps, as `SystemClock.now` is.
package final class PollSet {
    /// A file of a set, until this value goes.
    package final class Member {
        private let set: PollSet
        private let number: Int32

        fileprivate init(_ set: PollSet, _ number: Int32) {
            self.set = set
            self.number = number
        }

        deinit {
            set.remove(number)
        }

        /// Changes what the file is waited for.
        package func setInterest(_ interest: Readiness) {
            set.setInterest(interest, of: number)
        }
    }

    private let timer: FileDescriptor
    /// What the kernel is given: the timer first, then the members.
    private var entries: [pollfd]
    /// Of each entry; the timer has none.
    private var tokens: [Int] = [-1]
    /// What the timer is set to; nil once it has gone off.
    private var armed: Instant?
    /// How often it has waited.
    package private(set) var waitCount = 0

    /// A set of nothing.
    package init() throws(SystemError) {
        timer = FileDescriptor(
            owning: try SystemCall.check("timerfd_create") {
                timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
            })
        entries = [pollfd(fd: timer.number, events: Int16(POLLIN), revents: 0)]
    }

    /// Adds a file, which should outlive the member.
    ///
    /// - Parameter token: what `wait` calls it.
    package func add(
        _ number: Int32, token: Int, for interest: Readiness = .readable
    ) -> Member {
        entries.append(pollfd(fd: number, events: interest.pollEvents, revents: 0))
        tokens.append(token)
        return Member(self, number)
    }

    private func remove(_ number: Int32) {
        guard let place = entries.firstIndex(where: { $0.fd == number }) else { return }
        entries.remove(at: place)
        tokens.remove(at: place)
    }

    private func setInterest(_ interest: Readiness, of number: Int32) {
        guard let place = entries.firstIndex(where: { $0.fd == number }) else { return }
        entries[place].events = interest.pollEvents
    }

    /// Waits until files are ready or the deadline is met.
    ///
    /// - Parameter deadline: nil to wait for files alone.
    /// - Returns: The files that are ready, and for what; none at the deadline.
    package func wait(
        until deadline: Instant?
    ) throws(SystemError) -> [(token: Int, readiness: Readiness)] {
        let isDue = deadline.map { $0 <= SystemClock.now } ?? false
        if let deadline, !isDue { try arm(deadline) }
        waitCount += 1
        let number = entries.count
        var failure: SystemError?
        unsafe entries.withUnsafeMutableBufferPointer { buffer in
            do throws(SystemError) {
                try SystemCall.check("poll") {
                    // As many entries as are passed, alive for the call.
                    unsafe poll(buffer.baseAddress, nfds_t(number), isDue ? 0 : -1)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if entries[0].revents != 0 {
            armed = nil
            // Its count of expirations; what was set anew meanwhile has none.
            _ = try? timer.read(upTo: 8)
        }
        var ready: [(token: Int, readiness: Readiness)] = []
        for place in 1..<entries.count where entries[place].revents != 0 {
            ready.append(
                (token: tokens[place], readiness: Readiness(pollEvents: entries[place].revents)))
        }
        return ready
    }

    /// A timer that is set too early is left alone: one wake-up for nothing costs less than a
    /// system call for each datagram that moves the deadline a little.
    private func arm(_ deadline: Instant) throws(SystemError) {
        guard armed.map({ deadline < $0 }) ?? true else { return }
        // Zero would disarm it.
        let time = max(deadline.nanoseconds, 1)
        var setting = itimerspec()
        setting.it_value.tv_sec = time_t(time / 1_000_000_000)
        setting.it_value.tv_nsec = Int(time % 1_000_000_000)
        let number = timer.number
        try SystemCall.check("timerfd_settime") {
            // The setting is copied by the kernel during the call.
            unsafe timerfd_settime(number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
        }
        armed = deadline
    }
}

extension Readiness {
    fileprivate init(pollEvents: Int16) {
        let events = Int32(pollEvents)
        self = []
        if events & POLLIN != 0 { insert(.readable) }
        if events & POLLOUT != 0 { insert(.writable) }
        if events & (POLLERR | POLLHUP | POLLNVAL) != 0 { insert(.failed) }
    }

    fileprivate var pollEvents: Int16 {
        Int16((contains(.readable) ? POLLIN : 0) | (contains(.writable) ? POLLOUT : 0))
    }
}
