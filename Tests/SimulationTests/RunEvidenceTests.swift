import LinuxNetworking
import NetworkSimulation
import PacketCapture
import Synchronization
import Testing

/// A failing run says its seed and leaves its packets.
struct RunEvidenceTests {
    @Test func aFailureLeavesTheSeedAndThePackets() async throws {
        let path = "\(RunEvidence.folder)/aFailureLeavesTheSeedAndThePackets-0-seed-4711.pcap"
        if SystemFile.exists(path) { try SystemFile.remove(path) }
        let said = Mutex<[String]>([])
        let kept = Mutex<[UInt8]>([])
        // The failure is caught here, so that a clean run has none in it.
        let reader = IssueHandlingTrait.compactMapIssues { issue in
            said.withLock { $0 += issue.comments.map(\.rawValue) }
            return nil
        }
        let test = try #require(Test.current)
        try await reader.provideScope(for: test, testCase: nil) {
            try await RunEvidence().provideScope(for: test, testCase: nil) {
                let scenario = MixedScenario(seed: 4711, hostCount: 2, duration: .seconds(5))
                let network = scenario.run().network
                kept.withLock { $0 = network.trace.capture }
                #expect(network.trace.frameCount == 0)
            }
        }
        #expect(said.withLock { $0 } == ["seed 4711, packets in \(path)"])
        let datagrams = try CaptureReplay(SystemFile.read(path)).datagrams
        #expect(datagrams.count > 10)
        #expect(try SystemFile.read(path) == kept.withLock { $0 })
    }
}
