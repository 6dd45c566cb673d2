import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import Testing

/// An actor whose work is done by a loop, as a node's is.
private actor Clockwork {
    private let loop: EventLoop
    private var timers: [DeadlineTimer] = []
    private var notes: [(timer: Int, at: Instant)] = []
    private var awaited = 0
    private var waiter: CheckedContinuation<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func isOnLoop() -> Bool { loop.isCurrent }

    /// Makes one timer for each delay, waits until all were met, and tells which was met when,
    /// counted from the deadline.
    func meet(_ delays: [Duration]) async -> [(timer: Int, late: Duration)] {
        let start = SystemClock.now
        awaited = delays.count
        timers = delays.indices.map { index in
            loop.makeTimer { [weak self] in self?.assumeIsolated { $0.met(index) } }
        }
        for (timer, delay) in zip(timers, delays) {
            timer.setDeadline(start.advanced(by: delay))
        }
        await withCheckedContinuation { beginWaiting($0) }
        return notes.map { note in
            (note.timer, start.advanced(by: delays[note.timer]).duration(to: note.at))
        }
    }

    /// Makes a timer that cancels the one due after it, and one due last of all.
    func cancelOne() async -> [Int] {
        let now = SystemClock.now
        awaited = 2
        timers = (0..<3).map { index in
            loop.makeTimer { [weak self] in
                self?.assumeIsolated { clockwork in
                    if index == 0 { clockwork.timers[1].cancel() }
                    clockwork.met(index)
                }
            }
        }
        for timer in timers { timer.setDeadline(now) }
        await withCheckedContinuation { beginWaiting($0) }
        return notes.map(\.timer)
    }

    private func met(_ timer: Int) {
        notes.append((timer, SystemClock.now))
        wakeIfDone()
    }

    private func wakeIfDone() {
        guard notes.count == awaited, let waiter else { return }
        self.waiter = nil
        waiter.resume()
    }

    private func beginWaiting(_ continuation: CheckedContinuation<Void, Never>) {
        waiter = continuation
        wakeIfDone()
    }
}

@Suite("The event loop")
struct EventLoopTests {
    @Test("An actor on a loop runs on its thread, and the loop knows its own")
    func isolation() async throws {
        let loop = try EventLoop()
        #expect(await Clockwork(loop).isOnLoop())
        #expect(!loop.isCurrent)
        #expect(loop.isIsolatingCurrentContext() == false)
        await loop.stop()
    }

    @Test("Deadlines are met in their order, never early, and soon")
    func deadlines() async throws {
        let loop = try EventLoop()
        let met = await Clockwork(loop).meet([
            .milliseconds(12), .milliseconds(3), .milliseconds(6), .zero,
        ])
        #expect(met.map(\.timer) == [3, 1, 2, 0])
        for (timer, late) in met {
            #expect(late >= .zero, "timer \(timer) came early")
            // Far more than the kernel needs, because other tests run beside this one.
            #expect(late < .milliseconds(500), "timer \(timer) came \(late) late")
        }
        await loop.stop()
    }

    @Test("A timer that is cancelled by another's callback in the same turn is not called")
    func cancelledTimer() async throws {
        let loop = try EventLoop()
        #expect(await Clockwork(loop).cancelOne() == [0, 2])
        await loop.stop()
    }

    @Test("A loop with nothing to do is not woken")
    func idle() async throws {
        let loop = try EventLoop()
        let clockwork = Clockwork(loop)
        _ = await clockwork.meet([.zero])
        // Another loop's timer measures the time, so that nothing disturbs this one.
        let other = try EventLoop()
        _ = await Clockwork(other).meet([.milliseconds(5)])
        let before = loop.wakeUpCount
        _ = await Clockwork(other).meet([.milliseconds(300)])
        #expect(loop.wakeUpCount == before)
        await loop.stop()
        await other.stop()
    }

    @Test("Jobs that come after a loop has ended still run, and in isolation")
    func afterTheEnd() async throws {
        let loop = try EventLoop()
        let clockwork = Clockwork(loop)
        _ = await clockwork.isOnLoop()
        await loop.stop()
        await loop.stop()
        #expect(await clockwork.isOnLoop())
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { await clockwork.isOnLoop() }
            }
            for await isOnLoop in group { #expect(isOnLoop) }
        }
    }

    @Test("A loop can be stopped while many callers use it")
    func stopUnderLoad() async throws {
        for _ in 0..<20 {
            let loop = try EventLoop()
            let clockwork = Clockwork(loop)
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { await clockwork.isOnLoop() }
                }
                group.addTask {
                    await loop.stop()
                    return true
                }
                for await isOnLoop in group { #expect(isOnLoop) }
            }
        }
    }

    @Test("The shared loop can't be stopped")
    func shared() async throws {
        let loop = try EventLoop.shared
        await loop.stop()
        #expect(await Clockwork(loop).meet([.milliseconds(1)]).count == 1)
    }
}
