internal import CLinux
package import LinuxNetworking
internal import NetworkPrimitives
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One thread that waits for files, deadlines and jobs, and is the executor of the actors that
/// are driven by them.
///
/// An actor on a loop handles a datagram with no hop at all: the callback of its `Watch` runs on
/// the loop's thread and enters the actor with `assumeIsolated`. Packets, deadlines and calls
/// from outside are in one order.
///
/// Per turn: every file that is ready once, then the jobs that wait, then the deadlines that are
/// due. A callback must read a bounded number of datagrams and must never block. Deadlines are
/// kept by a timer of the kernel on the clock that counts sleep, so they are exact to some tens
/// of microseconds, and an idle loop is not woken at all.
// Unchecked: `watches`, `timers` and the other variables below them are touched by the loop's
// own thread only (by its successor's when it has ended), which every door checks; all else is
// constant, atomic, or behind the mutex.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// Something to run on the loop.
    enum Work {
        case job(UnownedJob)
        /// A job of a loop that has ended.
        case forwarded(UnownedJob, EventLoop)
        case call(@Sendable () -> Void)
    }

    private enum Phase {
        case running
        case ending(successor: EventLoop)
        case ended(successor: EventLoop)
    }

    private struct Inbox {
        var work: [Work] = []
        /// Whether the thread waits in the kernel and needs to be woken.
        var isAsleep = false
        var phase = Phase.running
        var thread: pthread_t?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let poller: FileDescriptor
    private let wakeupEvent: FileDescriptor
    let timerDescriptor: FileDescriptor
    private let inbox = GuardedState(Inbox())
    /// The thread that this loop's jobs run on.
    private let owner = Atomic<UInt>(0)
    private let sleeps = Atomic<Int>(0)

    // The loop's thread only.
    var watches: [WatchSlot] = []
    var freeWatches: [Int] = []
    var timers: [TimerSlot] = []
    var freeTimers: [Int] = []
    /// When the kernel's timer will fire.
    var armed: Instant?
    private var currentJobs: [Work] = []

    static let wakeupToken = UInt64.max
    static let timerToken = UInt64.max - 1
    private static let eventsPerTurn = 64

    /// Starts a loop with a thread of its own, which goes on until `stop()`.
    package init(name: String = "loop") throws(SystemError) {
        poller = FileDescriptor(
            owning: try SystemCall.check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        wakeupEvent = FileDescriptor(
            owning: try SystemCall.check("eventfd") {
                eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            })
        timerDescriptor = FileDescriptor(
            owning: try SystemCall.check("timerfd_create") {
                timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
            })
        // Edge-triggered: each write and each expiry is reported once, so neither is ever read.
        let edge = EPOLLIN.rawValue | UInt32(1) << 31
        try control(EPOLL_CTL_ADD, wakeupEvent.number, events: edge, token: Self.wakeupToken)
        try control(EPOLL_CTL_ADD, timerDescriptor.number, events: edge, token: Self.timerToken)
        try startThread(name: name)
    }

    /// The loop that everything in the process shares unless given another. It never stops.
    package static var shared: EventLoop {
        get throws(SystemError) { try sharedResult.get() }
    }

    private static let sharedResult: Result<EventLoop, SystemError> = {
        () -> Result<EventLoop, SystemError> in
        do throws(SystemError) {
            return .success(try EventLoop(name: "vicinity"))
        } catch {
            return .failure(error)
        }
    }()

    // MARK: The executor

    /// Puts a job in line.
    package func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// Whether the caller runs on this loop.
    package var isCurrent: Bool {
        owner.load(ordering: .relaxed) == Self.currentThread
    }

    /// Stops the program if the caller isn't on this loop.
    package func checkIsolated() {
        precondition(isCurrent, "not on the event loop's thread")
    }

    /// Whether the caller is isolated by this executor.
    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Runs `body` on the loop, later.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        submit(.call(body))
    }

    /// How often the thread has come back from waiting: an idle loop's number stands still.
    package var wakeUpCount: Int {
        sleeps.load(ordering: .relaxed)
    }

    /// Ends the loop and its thread: what waits in line still runs, watches and timers are
    /// forgotten. Jobs that come later are run by the shared loop, because a job that never
    /// runs hangs its caller. The shared loop itself can't be stopped.
    package func stop() async {
        // Without an successor the loop has to stay.
        guard let successor = try? EventLoop.shared, successor !== self else { return }
        await withCheckedContinuation { continuation in
            let (mustWake, hasEnded) = inbox.withLock { inbox in
                if case .ended = inbox.phase { return (false, true) }
                inbox.phase = .ending(successor: successor)
                inbox.waiters.append(continuation)
                defer { inbox.isAsleep = false }
                return (inbox.isAsleep, false)
            }
            if mustWake { wakeThread() }
            if hasEnded { continuation.resume() }
        }
        let thread = inbox.withLock { inbox in
            defer { inbox.thread = nil }
            return inbox.thread
        }
        // Resuming us was the thread's last act: this waits some microseconds.
        if let thread { pthread_join(thread, nil) }
    }

    private func submit(_ work: Work) {
        let (mustWake, successor) = inbox.withLock { inbox -> (Bool, EventLoop?) in
            if case .ended(let successor) = inbox.phase { return (false, successor) }
            inbox.work.append(work)
            defer { inbox.isAsleep = false }
            return (inbox.isAsleep, nil)
        }
        if mustWake { wakeThread() }
        guard let successor else { return }
        if case .job(let job) = work {
            successor.submit(.forwarded(job, self))
        } else {
            successor.submit(work)
        }
    }

    private func wakeThread() {
        var one: UInt64 = 1
        // Eight bytes, alive for the call. It can only fail when the counter is full, and then
        // the thread is already being woken.
        _ = unsafe withUnsafeBytes(of: &one) { bytes in
            unsafe write(wakeupEvent.number, bytes.baseAddress, bytes.count)
        }
    }

    // MARK: The thread

    private func startThread(name: String) throws(SystemError) {
        // The thread holds the loop until it ends.
        let retained = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        do throws(SystemError) {
            try SystemCall.checkReturned("pthread_create") {
                // The argument is the reference retained above, taken over by the thread.
                unsafe pthread_create(&thread, nil, Self.threadBody, retained.toOpaque())
            }
        } catch {
            unsafe retained.release()
            throw error
        }
        // The kernel keeps fifteen bytes of a thread's name.
        let shortName = String(name.prefix(15))
        unsafe pthread_setname_np(thread, shortName)
        owner.store(Self.number(of: thread), ordering: .relaxed)
        let started = thread
        inbox.withLock { $0.thread = started }
    }

    private static let threadBody:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            // Signals are for the threads that asked for them.
            var all = sigset_t()
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
            if let argument = unsafe argument {
                // Balances the retain of `startThread`.
                let loop = unsafe Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
                loop.run()
            }
            return nil
        }

    private func run() {
        owner.store(Self.currentThread, ordering: .relaxed)
        while true {
            let hasEnded = runJobs()
            if hasEnded { break }
            fireTimers()
            waitForEvents()
        }
    }

    /// Runs what waits in line; true when the loop has ended.
    private func runJobs() -> Bool {
        let successor = inbox.withLock { inbox -> EventLoop? in
            inbox.isAsleep = false
            swap(&inbox.work, &currentJobs)
            if case .ending(let successor) = inbox.phase { return successor }
            return nil
        }
        for work in currentJobs { run(work) }
        currentJobs.removeAll(keepingCapacity: true)
        guard let successor else { return false }
        // What the callbacks hold may enqueue more when it goes.
        watches.removeAll()
        timers.removeAll()
        let waiters = inbox.withLock { inbox -> [CheckedContinuation<Void, Never>]? in
            guard inbox.work.isEmpty else { return nil }
            inbox.phase = .ended(successor: successor)
            owner.store(successor.owner.load(ordering: .relaxed), ordering: .relaxed)
            defer { inbox.waiters = [] }
            return inbox.waiters
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume() }
        return true
    }

    private func run(_ work: Work) {
        // Unowned references: this loop, or the one the job came with, is held meanwhile.
        switch work {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .forwarded(let job, let loop):
            unsafe job.runSynchronously(on: loop.asUnownedSerialExecutor())
        case .call(let body): body()
        }
    }

    private func waitForEvents() {
        let mayWait = inbox.withLock { inbox -> Bool in
            guard inbox.work.isEmpty, case .running = inbox.phase else { return false }
            inbox.isAsleep = true
            return true
        }
        if mayWait { armTimer() }
        unsafe withUnsafeTemporaryAllocation(
            of: epoll_event.self, capacity: Self.eventsPerTurn
        ) { events in
            // The buffer has room for as many events as are passed to the kernel.
            let count = unsafe epoll_wait(
                poller.number, events.baseAddress, Int32(events.count), mayWait ? -1 : 0)
            if mayWait { sleeps.add(1, ordering: .relaxed) }
            guard count > 0 else { return }
            for index in 0..<Int(count) {
                let event = unsafe events[index]
                unsafe dispatch(event.data.u64, event.events)
            }
        }
    }

    private func dispatch(_ token: UInt64, _ events: UInt32) {
        switch token {
        case Self.wakeupToken: break
        case Self.timerToken: armed = nil
        default: watchIsReady(token, Readiness(events: events))
        }
    }

    func control(
        _ operation: Int32, _ number: Int32, events: UInt32, token: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.u64 = token
        try SystemCall.check("epoll_ctl") {
            // The event is copied by the kernel during the call.
            unsafe epoll_ctl(poller.number, operation, number, &event)
        }
    }

    private static var currentThread: UInt { number(of: pthread_self()) }

    private static func number(of thread: pthread_t) -> UInt {
        #if canImport(Glibc)
            UInt(thread)
        #else
            // Musl's is a pointer.
            unsafe UInt(bitPattern: thread)
        #endif
    }
}
