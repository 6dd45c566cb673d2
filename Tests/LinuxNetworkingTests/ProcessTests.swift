import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import ProcessSupport
import Testing

/// Something on a loop that sends itself a signal.
private actor SignalUser {
    private let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func raise(_ signal: ProcessSignals.Signal) {
        ProcessSignals.raiseHere(signal)
    }
}

@Suite("This process and its host", .timeLimit(.minutes(5)))
struct ProcessTests {
    @Test("Signals arrive as events, in order")
    func signals() async throws {
        let loop = try EventLoop()
        let user = SignalUser(loop)
        let events = try await ProcessSignals.events(of: [.interrupt, .terminate], on: loop)
        var iterator = events.makeAsyncIterator()
        await user.raise(.terminate)
        #expect(await iterator.next() == .terminate)
        await user.raise(.interrupt)
        #expect(await iterator.next() == .interrupt)
        #expect(ProcessSignals.Signal.interrupt.exitCode == 130)
        await loop.stop()
    }

    @Test("The end of a reader ends the watching for signals")
    func signalsEnd() async throws {
        let loop = try EventLoop()
        let events = try await ProcessSignals.events(of: [.hangUp], on: loop)
        let reader = Task {
            var count = 0
            for await _ in events { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value == 0)
        await loop.stop()
    }

    @Test("The clock goes forward and counts sleep")
    func clock() {
        let first = SystemClock.now
        let second = SystemClock.now
        #expect(first <= second)
        #expect(first > .zero)
        // Two clocks read one after the other: a machine that never slept shows about none.
        #expect(SystemClock.timeAsleep > .milliseconds(-1))
    }

    @Test("The host has a name without a domain, and random bytes differ")
    func identity() async throws {
        let name = try await ChildProcess.run(ChildCommand("uname", ["-n"])).text
        let first = name.split(whereSeparator: { $0 == "." || $0 == "\n" }).first
        #expect(SystemIdentity.hostName == first.map(String.init) ?? "")
        #expect(SystemIdentity.randomBytes(16) != SystemIdentity.randomBytes(16))
        if let identifier = SystemIdentity.machineIdentifier {
            #expect(identifier.count == 32)
        }
        #expect(CurrentProcess.residentMemory > 1 << 20)
    }
}
