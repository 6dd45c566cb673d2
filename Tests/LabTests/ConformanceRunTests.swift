import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

private let because = "rules on the wire (VICINITY_CONFORMANCE=1, on a machine that is quiet)"

extension LabTests {
    /// The rules that show on a link, put to the test by raw frames of a host that has no engine
    /// of ours (`Tests/Lab/conformance`). What is known to fail stands in its `known.txt`.
    ///
    /// It judges milliseconds on the wire, which takes a machine that does nothing else: `.ci/run`
    /// runs it by itself.
    @Suite(
        "Conformance on the wire",
        .enabled(
            if: LeftOut.unless(ProcessEnvironment["VICINITY_CONFORMANCE"] == "1", because),
            Comment(rawValue: because)
        ))
    struct ConformanceRunTests {
        /// What belongs together runs in one lab; the number is that of the checks at least. What
        /// takes longest is first.
        static let groups = [
            ("refreshing", 30), ("receiving", 70), ("probing", 45), ("conflict", 40),
            ("querying", 50), ("answering", 75), ("matching", 50), ("unicast", 50),
            ("suppression", 30), ("announcing", 30), ("legacy", 40), ("changing", 12),
            ("malformed", 32), ("registering", 15),
        ]

        @Test("Every rule of a group is kept", arguments: groups)
        func run(_ group: String, _ least: Int) async throws {
            try await Lab.with(6) { lab in
                let outcome = try await lab.run(
                    6,
                    [
                        "python3", "\(ProjectFiles.root)/Tests/Lab/conformance/run.py",
                        "--target", "mdns", "--program", LabAvailability.mdns, "--quick",
                        "--group", group, "--json", "-",
                    ], limit: .seconds(240))
                let said = outcome.text + outcome.errorText
                let verdict = try #require(JSONValue(outcome.text.utf8), "\(said)")
                #expect(verdict["unexpected"]?.elements.isEmpty == true, "\(said)")
                #expect((verdict["pass"]?.integer ?? 0) >= least, "\(said)")
                #expect(outcome.status.isSuccess, "\(said)")
                let open = verdict["checks"]?.elements.filter {
                    $0["verdict"]?.text == "inconclusive"
                        && $0["note"]?.text != "this target has no way to change a TXT record"
                }
                #expect(open?.isEmpty == true, "\(said)")
            }
        }
    }
}
