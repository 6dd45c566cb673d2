import NetworkPrimitives
import NetworkSimulation

/// Runs of every scenario, short enough for an interpreter.
enum ScenarioRuns {
    /// Each run when it is asked for, so that only one is held at a time.
    static func all() -> some Sequence<(String, Verdict)> {
        runs.lazy.map { ($0.name, $0.verdict()) }
    }

    private static let runs: [(name: String, verdict: @Sendable () -> Verdict)] = [
        ("mixed", { mixed(seed: 1, hosts: 3) }),
        ("mixed", { mixed(seed: 2, hosts: 4) }),
        ("mixed", { mixed(seed: 3, hosts: 5) }),
        ("mixed", { mixed(seed: 4, hosts: 4) }),
        ("crowd", { crowd() }),
        ("power cut", { PowerCutScenario(seed: 6, deviceCount: 8, laptopCount: 2).run() }),
        ("hostile", { HostileScenario(seed: 7, duration: .milliseconds(500)).run() }),
        ("churn", { churn() }),
    ]

    private static func mixed(seed: UInt64, hosts: Int) -> Verdict {
        MixedScenario(seed: seed, hostCount: hosts, duration: .seconds(120)).run()
    }

    private static func crowd() -> Verdict {
        CrowdScenario(seed: 5, hostCount: 12, browserCount: 2).run(for: .seconds(120))
    }

    private static func churn() -> Verdict {
        var scenario = ChurnScenario(
            seed: 8, recordCount: 60, hostCount: 4, duration: .seconds(7200))
        scenario.day = .seconds(7200)
        return scenario.run()
    }
}
