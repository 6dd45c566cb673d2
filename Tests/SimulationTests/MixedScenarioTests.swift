import NetworkPrimitives
import NetworkSimulation
import Testing

/// Everything at once, and then everyone knows what is true.
@Suite(.runEvidence) struct MixedScenarioTests {
    /// Seeds of every change; `Tests/long/simulate` runs a thousand. What never occurs in them is
    /// not proved by them.
    @Test("a fixed set of seeds is clean, and comes to every situation there is")
    func fixedSeeds() async {
        let situations = await withTaskGroup(of: Situations.self) { group in
            for seed in 1...30 as ClosedRange<UInt64> {
                group.addTask {
                    let outcome = MixedScenario(seed: seed)
                        .run(trace: SimulationTrace(keptLines: 0))
                    let isClean = outcome.isClean
                    #expect(isClean, "\(outcome.summary)")
                    #expect(outcome.network.trace.frameCount > 50)
                    return outcome.network.invariants.situations
                }
            }
            return await group.reduce(into: Situations()) { $0.add($1) }
        }
        #expect(situations.missing == [])
    }

    @Test func aSeedFixesTheWholeRun() {
        let scenario = MixedScenario(seed: 99, hostCount: 5, duration: .seconds(200))
        let first = scenario.run().network.trace
        let again = scenario.run().network.trace
        #expect(first.hash == again.hash)
        #expect(first.text == again.text)
        var other = scenario
        other.seed = 98
        #expect(other.run().network.trace.hash != first.hash)
    }
}
