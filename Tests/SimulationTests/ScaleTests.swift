import NetworkPrimitives
import NetworkSimulation
import Testing

/// The large scenarios at a size that every change can afford; `Tests/long/simulate` runs them
/// whole.
@Suite struct ScaleTests {
    private func expectClean(_ verdict: Verdict) {
        let isClean = verdict.isClean
        #expect(isClean, "\(verdict.summary)")
    }

    @Test("hours of churn: in the evening everyone knows what is there")
    func churn() {
        var scenario = ChurnScenario(
            seed: 7, recordCount: 300, hostCount: 6, duration: .seconds(6 * 3600),
            pace: .seconds(20))
        scenario.day = .seconds(3 * 3600)
        let verdict = scenario.run()
        expectClean(verdict)
        #expect(verdict.network.now > .zero.advanced(by: .seconds(6 * 3600)))
        #expect(verdict.network.groundTruth.offers.count > 80)
        #expect(verdict.notes.contains { $0.contains("crashes") && $0.contains("resolutions") })
    }

    @Test("field 38, 50: all devices lose their power and come back, but for one in ten")
    func powerCut() {
        expectClean(PowerCutScenario(seed: 3, deviceCount: 100).run())
    }

    @Test("D-28 two seconds of a hostile host at 20,000 datagrams a second")
    func hostile() {
        let verdict = HostileScenario(seed: 5, duration: .seconds(2)).run()
        expectClean(verdict)
        #expect(verdict.network.trace.frameCount > 40_000)
    }

    @Test(
        "the mixed scenario, from a pair of hosts to a full network",
        arguments: [2, 3, 5, 10, 25])
    func sizes(_ hostCount: Int) {
        let scenario = MixedScenario(
            seed: UInt64(hostCount), hostCount: hostCount, duration: .seconds(300))
        expectClean(scenario.run(trace: SimulationTrace(keptLines: 0)))
    }
}
