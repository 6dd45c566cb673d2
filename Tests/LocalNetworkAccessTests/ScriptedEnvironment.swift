import LinuxNetworking
import NetworkPrimitives
import Synchronization

@testable import LocalNetworkAccess

/// An environment whose facts and steps a test sets.
final class ScriptedEnvironment: LocalNetworkFactsSource, LocalNetworkProbe, LocalNetworkActivity {
    private struct State {
        var facts = FactSamples.healthy
        var onChange: [Int: @Sendable () -> Void] = [:]
        var report: (@Sendable (LocalNetworkStep) -> Void)?
        var steps: [LocalNetworkStep] = []
        var openProbes = 0
        var startedProbes = 0
        var nextWatch = 0
    }

    private let state = Mutex(State())

    init(_ steps: [LocalNetworkStep] = []) {
        state.withLock { $0.steps = steps }
    }

    var timeSuspended: Duration { .zero }
    /// How many probes have sockets open.
    var openProbes: Int { state.withLock { $0.openProbes } }
    var startedProbes: Int { state.withLock { $0.startedProbes } }
    var openWatches: Int { state.withLock { $0.onChange.count } }

    func environment(storeDirectory: String? = nil) -> LocalNetworkEnvironment {
        LocalNetworkEnvironment(
            facts: self, probe: self, activity: self, clock: SystemSessionClock(),
            storeDirectory: storeDirectory)
    }

    func facts() async -> LocalNetworkFacts { state.withLock { $0.facts } }

    func watch(_ onChange: @escaping @Sendable () -> Void) async {
        let number = state.withLock { state in
            state.nextWatch += 1
            state.onChange[state.nextWatch] = onChange
            return state.nextWatch
        }
        onChange()
        await Cancellation.wait()
        state.withLock { $0.onChange[number] = nil }
    }

    func run(
        on facts: LocalNetworkFacts, report: @escaping @Sendable (LocalNetworkStep) -> Void
    ) async {
        let steps = state.withLock { state in
            state.openProbes += 1
            state.startedProbes += 1
            state.report = report
            return state.steps
        }
        for step in steps { report(step) }
        await Cancellation.wait()
        state.withLock {
            $0.openProbes -= 1
            $0.report = nil
        }
    }

    /// Changes the facts, and reports that.
    func change(_ body: (inout LocalNetworkFacts) -> Void) {
        let watchers = state.withLock { state in
            body(&state.facts)
            return Array(state.onChange.values)
        }
        for onChange in watchers { onChange() }
    }

    /// Reports a step now.
    func report(_ step: LocalNetworkStep) { state.withLock { $0.report }?(step) }

    /// Steps of a network in which that is reached over both families.
    static func steps(answered: Bool = false, loopedBack: Bool = true) -> [LocalNetworkStep] {
        AddressFamily.allCases.flatMap { family -> [LocalNetworkStep] in
            let index = FactSamples.index
            return [.joined(index, family), .sent(index, family)]
                + (loopedBack ? [.loopedBack(index, family, hopLimit: 255)] : [])
                + (answered ? [.received(index, family, isResponse: true)] : [])
        }
    }

    static let refused: [LocalNetworkStep] = AddressFamily.allCases.map {
        .sendRefused(
            FactSamples.index, $0, number: SystemError.Code.notPermitted.rawValue,
            isLoopbackRefused: false)
    }
}
