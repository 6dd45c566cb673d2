import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

/// What becomes of output that is not taken.
@Suite("The standard output")
struct OutputTests {
    /// Runs a line of bash in which `$0` is the program and `$1` a capture of many packets.
    private func bash(_ line: String) async throws -> ChildProcess.Outcome {
        let packet = try DecodeTextTests.response()
        let capture = DecodeTextTests.capture(Array(repeating: packet, count: 20_000))
        return try await DecodeCommandTests().withFile(capture) { path in
            try await ChildProcess.run(
                ChildCommand("bash", ["-c", line, ProgramRun.program, path], limit: .seconds(60)))
        }
    }

    @Test("A reader that has enough ends the program without a word and with success")
    func enough() async throws {
        let outcome = try await bash(#""$0" decode "$1" | head -n 1; exit ${PIPESTATUS[0]}"#)
        #expect(outcome.status == .exited(0), "\(outcome.errorText)")
        #expect(outcome.text.split(separator: "\n").count == 1)
        #expect(outcome.errorText == "")
    }

    @Test(
        "A disk that is full is told, and is no success",
        arguments: [#""$0" decode "$1""#, #""$0" decode --json "$1""#, #""$0" --help"#])
    func full(line: String) async throws {
        let outcome = try await bash(line + " > /dev/full")
        #expect(outcome.status == .exited(3))
        #expect(outcome.errorText.split(separator: "\n").count == 1)
        #expect(outcome.errorText.contains("standard output"), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("ENOSPC"), "\(outcome.errorText)")
    }

    @Test("A closed output is told as well")
    func closed() async throws {
        let outcome = try await bash(#""$0" decode "$1" >&-"#)
        #expect(outcome.status == .exited(3))
        #expect(outcome.errorText.contains("standard output"), "\(outcome.errorText)")
    }
}
