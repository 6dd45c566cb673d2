import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

/// `mdns simulate`, run as a user runs it.
@Suite struct SimulateCommandTests {
    /// Each process hashes with a seed of its own: whatever is walked in the order of a set or a
    /// dictionary would come out differently.
    @Test(arguments: [["--seed", "7"], ["--seed", "8", "--hosts", "5"]])
    func twoProcessesMakeTheSameRun(_ words: [String]) async throws {
        let all = ["simulate", "--trace", "--hours", "0.05"] + words
        let first = try await ProgramRun.run(all)
        let second = try await ProgramRun.run(all)
        let texts = [first, second].map { Self.withoutCost($0.output) }
        #expect(texts[0].utf8.count > 10_000)
        #expect(texts[0].contains(", hash "))
        #expect(texts[0] == texts[1])
    }

    /// The last line says what the run cost, which differs between two that are the same.
    private static func withoutCost(_ output: [UInt8]) -> String {
        String(decoding: output, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasSuffix(" of memory") }.joined(separator: "\n")
    }

    @Test func twoProcessesMakeTheSameCrowd() async throws {
        let words = ["simulate", "--scenario", "crowd", "--hosts", "30", "--hours", "0.01"]
        var hashes: [Substring] = []
        for _ in 0..<2 {
            let outcome = try await ProgramRun.run(words)
            let text = String(decoding: outcome.output, as: UTF8.self)
            let words = text.split { " ,\n".contains($0) }
            let place = try #require(words.firstIndex(of: "hash"))
            hashes.append(words[place + 1])
        }
        #expect(hashes[0] == hashes[1])
    }

    @Test func theCaptureOfARunIsWritten() async throws {
        let path = "/tmp/vicinity-simulate-\(UInt64.random(in: 0 ... .max)).pcap"
        let outcome = try await ProgramRun.run([
            "simulate", "--seed", "3", "--hosts", "2", "--hours", "0.01", "--pcap", path,
        ])
        #expect(outcome.status == .exited(0))
        let decoded = try await ProgramRun.run(["decode", path])
        #expect(decoded.status == .exited(0))
        #expect(decoded.output.count > 1_000)
        try SystemFile.remove(path)
    }
}
