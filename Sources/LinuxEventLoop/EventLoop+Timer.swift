internal import CLinux
internal import LinuxNetworking
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One deadline on a loop, which its owner moves at will. Used on the loop's thread only, but
/// for its end.
package final class DeadlineTimer {
    private let loop: EventLoop
    private let token: UInt64

    fileprivate init(loop: EventLoop, token: UInt64) {
        self.loop = loop
        self.token = token
    }

    deinit {
        cancel()
    }

    /// When the callback will be called; nil when it won't be.
    package var deadline: Instant? {
        loop.timerDeadline(token)
    }

    /// Moves the deadline; nil for none. It is met once: set the next one after it.
    package func setDeadline(_ deadline: Instant?) {
        loop.setTimer(token, deadline)
    }

    /// Ends the timer: the callback is not called again.
    package func cancel() {
        if loop.isCurrent {
            loop.removeTimer(token)
        } else {
            loop.perform { [loop, token] in loop.removeTimer(token) }
        }
    }
}

/// What a loop knows of a timer.
struct TimerSlot {
    var generation: UInt32 = 0
    var deadline: Instant?
    var onDeadline: (@Sendable () -> Void)?
}

extension EventLoop {
    /// Makes a timer, at first without a deadline. Call it on the loop.
    ///
    /// - Parameter onDeadline: called on the loop's thread at or after the deadline.
    package func makeTimer(onDeadline: @escaping @Sendable () -> Void) -> DeadlineTimer {
        checkIsolated()
        let index = freeTimers.popLast() ?? timers.count
        if index == timers.count { timers.append(TimerSlot()) }
        timers[index].onDeadline = onDeadline
        return DeadlineTimer(
            loop: self, token: UInt64(timers[index].generation) << 32 | UInt64(index))
    }

    private func timerIndex(_ token: UInt64) -> Int? {
        checkIsolated()
        let index = Int(token & 0xFFFF_FFFF)
        guard index < timers.count, UInt64(timers[index].generation) == token >> 32,
            timers[index].onDeadline != nil
        else { return nil }
        return index
    }

    func timerDeadline(_ token: UInt64) -> Instant? {
        timerIndex(token).flatMap { timers[$0].deadline }
    }

    func setTimer(_ token: UInt64, _ deadline: Instant?) {
        guard let index = timerIndex(token) else { return }
        timers[index].deadline = deadline
    }

    func removeTimer(_ token: UInt64) {
        guard let index = timerIndex(token) else { return }
        let callback = timers[index].onDeadline
        timers[index].onDeadline = nil
        timers[index].deadline = nil
        timers[index].generation &+= 1
        freeTimers.append(index)
        // What the callback held goes only now, when the tables are in order again.
        _ = callback
    }

    private var earliestDeadline: Instant? {
        var earliest: Instant?
        for timer in timers {
            guard let deadline = timer.deadline else { continue }
            if deadline < earliest ?? deadline.advanced(by: .nanoseconds(1)) { earliest = deadline }
        }
        return earliest
    }

    /// Calls every timer that is due, the earliest first. One that is set again by its callback
    /// waits for the next turn, so that files are not starved.
    func fireTimers() {
        guard let earliest = earliestDeadline else { return }
        let now = SystemClock.now
        guard earliest <= now else { return }
        let due = timers.indices
            .filter { timers[$0].deadline.map { $0 <= now } ?? false }
            .sorted { (timers[$0].deadline ?? now, $0) < (timers[$1].deadline ?? now, $1) }
        for index in due {
            // An earlier callback may have moved or ended this one.
            guard let deadline = timers[index].deadline, deadline <= now else { continue }
            timers[index].deadline = nil
            timers[index].onDeadline?()
        }
    }

    /// Tells the kernel of the earliest deadline before the thread waits.
    ///
    /// A timer that is armed too early is left alone: one wake-up for nothing costs less than
    /// a system call for each datagram that moves the deadline a little.
    func armTimer() {
        guard let earliest = earliestDeadline, armed.map({ earliest < $0 }) ?? true else { return }
        // Zero would disarm it.
        let time = max(earliest.nanoseconds, 1)
        var setting = itimerspec()
        setting.it_value.tv_sec = time_t(time / 1_000_000_000)
        setting.it_value.tv_nsec = Int(time % 1_000_000_000)
        // The setting is copied by the kernel during the call.
        if unsafe timerfd_settime(timerDescriptor.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
            == 0
        {
            armed = earliest
        }
    }
}
