import LinuxNetworking
import NetworkPrimitives
import NetworkSimulation
import Synchronization
import TestSupport
import Testing

/// Keeps the seeds and the last datagrams of the runs that a test makes.
final class RunRecorder: Sendable {
    struct Run: Sendable {
        let seed: UInt64
        var frames: [(time: Instant, datagram: Datagram)] = []

        /// The last datagrams as a capture of raw IP packets.
        var capture: [UInt8] { SimulationTrace.capture(of: frames) }
    }

    /// Beyond these the older half is thrown away.
    private static let keptFrames = 40_000

    private let all: Mutex<[Run]> = Mutex([])

    /// What was recorded, oldest first.
    var runs: [Run] { all.withLock { $0 } }

    /// What tells a network of this recorder.
    var observer: RunObserver {
        RunObserver(
            began: { seed in
                self.all.withLock { runs in
                    runs.append(Run(seed: seed))
                    return runs.count - 1
                }
            },
            sent: { number, datagram, time in
                self.all.withLock { runs in
                    if runs[number].frames.count >= Self.keptFrames {
                        runs[number].frames.removeFirst(Self.keptFrames / 2)
                    }
                    runs[number].frames.append((time, datagram))
                }
            })
    }
}

/// For a test of simulated runs: whatever fails in it says the seed of the run and where its
/// packets are.
struct RunEvidence: TestTrait, SuiteTrait, TestScoping {
    /// The recorder of the test that runs.
    @TaskLocal static var recorder: RunRecorder?

    /// Also for the tests within a suite.
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let recorder = RunRecorder()
        let name = String(test.name.prefix { $0 != "(" })
        let handler = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            for line in Self.keep(recorder, of: name) {
                issue.comments.append(Comment(rawValue: line))
            }
            return issue
        }
        try await Self.$recorder.withValue(recorder) {
            try await RunObserver.$current.withValue(recorder.observer) {
                try await handler.provideScope(
                    for: test, testCase: testCase, performing: function)
            }
        }
    }

    /// The folder that captures of failed runs are put into.
    static var folder: String { "\(ProjectFiles.root)/.build/failed-simulations" }

    /// Writes the packets of the last runs; what is returned says where, and the seeds.
    private static func keep(_ recorder: RunRecorder, of test: String) -> [String] {
        recorder.runs.suffix(4).enumerated().map { number, run in
            let path = "\(folder)/\(test)-\(number)-seed-\(run.seed).pcap"
            do {
                try SystemFile.createDirectory(folder)
                try SystemFile.write(run.capture.span, to: path)
                return "seed \(run.seed), packets in \(path)"
            } catch {
                return "seed \(run.seed), packets not kept: \(error)"
            }
        }
    }
}

extension Trait where Self == RunEvidence {
    /// Failures say the seed of the run and where its packets are.
    static var runEvidence: RunEvidence { RunEvidence() }
}
