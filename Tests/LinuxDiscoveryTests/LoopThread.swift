import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import ProcessSupport
import Testing

@testable import LinuxDiscovery

/// A thread in a network of its own with nothing but a loopback, on which blocking loops run.
actor LoopThread {
    private nonisolated let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private init() throws {
        loop = try EventLoop(name: "blocking")
    }

    /// Runs `body` on the thread.
    static func run(_ body: @Sendable (isolated LoopThread) async throws -> Void) async throws {
        let thread = try LoopThread()
        do {
            try await thread.enter()
            try await body(thread)
        } catch {
            await thread.loop.stop()
            throw error
        }
        await thread.loop.stop()
    }

    private func enter() async throws {
        try NetworkNamespace.enterNew()
        try await shell("ip link set lo up")
    }

    /// Runs a shell script in this network.
    func shell(_ script: String) async throws {
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-e", "-c", script], limit: .seconds(20)), on: loop)
        try #require(outcome.status.isSuccess, "\(script): \(outcome.errorText)")
    }

    /// A participant on the loopback.
    func participant(
        _ name: String, families: Set<AddressFamily> = [.ipv4],
        signals: [ProcessSignals.Signal] = []
    ) throws -> DiscoveryLoop {
        try DiscoveryLoop(
            NodeOptions(
                interfaces: .named(["lo"]), families: families, hostName: .label(name)),
            signals: signals)
    }
}

/// Loops on one thread, each in its turn.
struct Turns {
    let loops: [DiscoveryLoop]

    /// Lets all of them work until what `isWanted` accepts happens on one.
    func first<Found>(
        _ which: Int, _ isWanted: (DiscoveryLoop.Happening) -> Found?
    ) throws -> Found {
        let limit = SystemClock.now.advanced(by: .seconds(20))
        while SystemClock.now < limit {
            for (place, loop) in loops.enumerated() {
                let turn = SystemClock.now.advanced(by: .milliseconds(5))
                let happening = try loop.next(until: turn)
                if place == which, let found = isWanted(happening) { return found }
            }
        }
        throw TimeIsOver()
    }

    struct TimeIsOver: Error {}
}
