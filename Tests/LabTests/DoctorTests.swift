import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    /// `mdns doctor` in a network of its own that is joined to nothing.
    @Suite("The doctor alone in a network")
    struct DoctorAloneTests {
        private func alone(
            _ prepare: String, _ words: [String]
        ) async throws -> ChildProcess.Outcome {
            if let missing = LabAvailability.missing { throw Lab.Failure.unusable(missing) }
            let script = "set -e\n\(prepare)\nexec \"$0\" \"$@\""
            return try await ChildProcess.run(
                ChildCommand(
                    "unshare",
                    ["-n", "bash", "-c", script, LabAvailability.mdns, "doctor"] + words,
                    limit: .seconds(20)))
        }

        private func objects(_ outcome: ChildProcess.Outcome) -> [JSONValue] {
            outcome.text.split(separator: "\n").compactMap { JSONValue($0.utf8) }
        }

        private let cable = """
            ip link set lo up
            ip link add lan0 type veth peer name far0
            ip link set far0 up

            """

        @Test(
            "An interface that can't be used is named with the command that mends it",
            arguments: [
                ("true", "no-interface", "connect an interface"),
                ("ip link set lo up", "only-loopback", "connect an interface"),
                (
                    "ip link add lan0 type veth peer name far0", "interface-down",
                    "'ip link set lan0 up'"
                ),
                (
                    "ip link add lan0 type veth peer name far0; ip link set lan0 up",
                    "no-carrier", "plug in the cable"
                ),
                (
                    "ip link add lan0 type veth peer name far0; ip link set far0 up; "
                        + "ip link set lan0 multicast off up",
                    "multicast-off", "'ip link set lan0 multicast on'"
                ),
            ])
        func interfaces(_ prepare: String, _ code: String, _ fix: String) async throws {
            let shows = code == "no-interface" || code == "only-loopback" ? [] : ["-i", "lan0"]
            let outcome = try await alone(prepare, ["--quiet"] + shows)
            #expect(outcome.status == .exited(1), "\(outcome.errorText)")
            let first = outcome.text.split(separator: "\n").first.map { String($0) } ?? ""
            #expect(first.hasPrefix("error\tcertain\t\(code)\t"), "\(outcome.text)")
            #expect(first.contains("fix: \(fix)"), "\(outcome.text)")
        }

        @Test("Named, the loopback is healthy: exit status 0, and nothing is said with --quiet")
        func loopback() async throws {
            let outcome = try await alone("ip link set lo up", ["-i", "lo", "--json"])
            #expect(outcome.status == .exited(0), "\(outcome.text)\(outcome.errorText)")
            let objects = objects(outcome)
            #expect(objects.first?["status"]?.text == "notRequired")
            #expect(objects.contains { $0["interface"]?.text == "lo" })
            let quiet = try await alone("ip link set lo up", ["-i", "lo", "--quiet"])
            #expect(quiet.status == .exited(0))
            #expect(quiet.text.isEmpty && quiet.errorText.isEmpty, "\(quiet.text)")
        }

        @Test("With --passive nothing is sent; without it, the steps are told")
        func passive() async throws {
            let prepare = cable + "ip link set lan0 up; ip addr add 192.0.2.1/24 dev lan0"
            let passive = try await alone(prepare, ["--passive", "--json", "-4"])
            let seen = try #require(objects(passive).first)
            #expect(seen["status"]?.text == "notDetermined", "\(passive.text)")
            #expect(seen["sent"] == nil)
            let active = try await alone(prepare, ["--json", "-4"])
            let status = try #require(objects(active).first)
            #expect(status["status"]?.text == "allowed", "\(active.text)")
            for step in ["joined", "sent", "loopedBack"] {
                #expect(status[step] == .boolean(true), "\(step)")
            }
            #expect(status["answered"] == .boolean(false))
            let codes = objects(active).compactMap { $0["code"]?.text }
            #expect(codes == ["nobody-answered"])
            #expect(active.status == .exited(1))
        }

        @Test("What can't be carried out has its exit status and one line")
        func refused() async throws {
            let cases: [(words: [String], code: Int32, word: String)] = [
                (["-i", "nosuch0"], 3, "nosuch0"), (["--passive", "--type", "_x._tcp"], 2, "type"),
                (["--type", "x"], 2, "x"), (["word"], 2, "word"),
                (["--peer", "a.local"], 2, "HOST:PORT"),
                (["--peer", "a.example:80"], 2, "address"),
                (["--passive", "--peer", "a.local:1"], 2, "--peer"),
                (["--peer", "[fe80::1%nosuch0]:80"], 2, "nosuch0"),
            ]
            for (words, code, word) in cases {
                let outcome = try await alone("ip link set lo up", words)
                #expect(outcome.status == .exited(code), "\(words)")
                #expect(outcome.text.isEmpty)
                #expect(outcome.errorText.split(separator: "\n").count == 1)
                #expect(outcome.errorText.contains(word), "\(outcome.errorText)")
            }
        }

        @Test("A type that breaks the rules is named as check-config names it")
        func type() async throws {
            let outcome = try await alone(
                "ip link set lo up", ["-i", "lo", "--type", "_way_too_long_a_name._tcp", "--json"])
            #expect(outcome.status == .exited(1), "\(outcome.text)\(outcome.errorText)")
            #expect(objects(outcome).contains { $0["severity"]?.text == "error" })
        }
    }
}
