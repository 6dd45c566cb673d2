import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    /// `mdns` in a network of its own that is joined to nothing.
    @Suite("Trouble is told in one line")
    struct TroubleTests {
        @Test("The demo passes in a bare network")
        func demo() async throws {
            let outcome = try await alone("ip link set lo up", "demo")
            #expect(outcome.status.isSuccess, "\(outcome.errorText)")
            #expect(outcome.errorText.isEmpty)
            for word in ["publishes", "found", "resolved", "looked up", "sent", "received"] {
                #expect(outcome.text.contains(word), "\(word): \(outcome.text)")
            }
        }

        @Test("The demo fails with the reason where multicast is blocked")
        func demoBlocked() async throws {
            let block = """
                ip link set lo up
                nft -f - <<'N'
                table inet block {
                  chain out {
                    type filter hook output priority 0;
                    ip daddr 224.0.0.0/4 drop
                    ip6 daddr ff00::/8 drop
                  }
                }
                N
                """
            let outcome = try await alone(block, "demo")
            #expect(outcome.status == .exited(3))
            #expect(outcome.errorText.contains("multicast"), "\(outcome.errorText)")
        }

        @Test("The demo fails with the reason where the loopback is down")
        func demoWithoutLoopback() async throws {
            let outcome = try await alone("true", "demo")
            #expect(outcome.status == .exited(3))
            #expect(outcome.errorText.contains("lo"), "\(outcome.errorText)")
        }

        @Test(
            "An interface that isn't there is one line and exit status 3",
            arguments: [
                ["browse", "_http._tcp"], ["publish", "Web", "_http._tcp", "80"],
                ["lookup", "a.local"], ["monitor"],
            ])
        func unknownInterface(_ words: [String]) async throws {
            let outcome = try await alone(
                "ip link set lo up", words + ["--interface", "nosuch0", "--timeout", "5"])
            expectOneLine(outcome, naming: "nosuch0")
        }

        @Test("Without an interface for multicast: one line and exit status 3")
        func noInterface() async throws {
            let outcome = try await alone("true", "browse", "_http._tcp", "--timeout", "5")
            expectOneLine(outcome, naming: "interface")
        }

        @Test("A port that another holds for itself: one line and exit status 3")
        func exclusivePort() async throws {
            let hold = """
                ip link set lo up
                exec 3<<'P'
                import socket, sys, time
                held = []
                for family in socket.AF_INET, socket.AF_INET6:
                    s = socket.socket(family, socket.SOCK_DGRAM)
                    if family == socket.AF_INET6:
                        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                    s.bind(("", 5353))
                    held.append(s)
                print("held", flush=True)
                sys.stdin.read()
                P
                coproc python3 /dev/fd/3
                read -r line <&${COPROC[0]}
                [ "$line" = held ] || exit 99
                """
            let outcome = try await alone(
                hold, "browse", "_http._tcp", "--interface", "lo", "--timeout", "5")
            expectOneLine(outcome, naming: "5353")
        }

        @Test("Without any right of the administrator everything works")
        func noRights() async throws {
            let outcome = try await alone(
                "ip link set lo up", ["demo"],
                through: ["setpriv", "--bounding-set=-all", "--inh-caps=-all"])
            #expect(outcome.status.isSuccess, "\(outcome.errorText)")
        }

        @Test("A port that is kept for those with more rights: one line with the setting's name")
        func privilegedPort() async throws {
            let outcome = try await alone(
                "ip link set lo up\necho 6000 > /proc/sys/net/ipv4/ip_unprivileged_port_start",
                ["browse", "_http._tcp", "--interface", "lo", "--timeout", "5"],
                through: ["setpriv", "--bounding-set=-all", "--inh-caps=-all"])
            expectOneLine(outcome, naming: "bind port 5353: permission denied (EACCES)")
            #expect(outcome.errorText.contains("net.ipv4.ip_unprivileged_port_start"))
        }

        @Test("Sockets that a seccomp filter forbids: one line that says so, exit status 3")
        func forbiddenSockets() async throws {
            let outcome = try await alone(
                "ip link set lo up",
                ["browse", "_http._tcp", "--interface", "lo", "--timeout", "5"],
                through: ["python3", "\(ProjectFiles.root)/Tests/Lab/without_sockets.py"])
            expectOneLine(outcome, naming: "EPERM")
            #expect(outcome.errorText.contains("seccomp"), "\(outcome.errorText)")
        }

        @Test("Where a seccomp filter forbids netlink it works all the same, and sees a cable come")
        func forbiddenNetlink() async throws {
            try await Lab.with(2) { lab in
                let wrapper = [
                    "python3", "\(ProjectFiles.root)/Tests/Lab/without_sockets.py", "--families",
                    "16", LabAvailability.mdns,
                ]
                let ours = try await lab.start(
                    1, wrapper + ["publish", "--json", "Web", "_http._tcp", "8080"])
                let isEstablished = { (event: JSONValue) in
                    event["event"]?.text == "established"
                }
                _ = try await ours.object(isEstablished)
                let found = try await lab.mdns(2, "resolve", "--json", "Web", "_http._tcp")
                #expect(JSONValue(found.output)?["port"]?.integer == 8080, "\(found.errorText)")
                try await lab.setCable(1, isIn: false)
                _ = try await ours.object { $0["event"]?.text == "blocked" }
                try await lab.setCable(1, isIn: true)
                _ = try await ours.object(isEstablished)
            }
        }

        @Test(
            "Too few files allowed: one line that says how to raise the limit, exit status 3",
            arguments: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        func tooFewFiles(_ limit: Int) async throws {
            let outcome = try await alone(
                "ip link set lo up",
                ["browse", "_http._tcp", "--interface", "lo", "--timeout", "5"],
                through: ["prlimit", "--nofile=\(limit):\(limit)"])
            expectOneLine(outcome, naming: "EMFILE")
            #expect(outcome.errorText.contains("'ulimit -n'"), "\(outcome.errorText)")
        }

        @Test(
            "Bad values are one line and exit status 2",
            arguments: [
                (["publish", "Web", "_http._tcp", "65536"], "65536"),
                (["publish", "Web", "http._tcp", "80"], "http"),
                (["publish", "Web", "_ht tp._tcp", "80"], "' '"),
                (["publish", "Web", "_aaaaaaaaaaaaaaaa._tcp", "80"], "15"),
                (["publish", String(repeating: "n", count: 64), "_http._tcp", "80"], "63"),
                (
                    [
                        "publish", "W", "_http._tcp", "80",
                        "k=" + String(repeating: "v", count: 254),
                    ],
                    "255"
                ),
                (["publish", "Web", "_http._tcp", "80", "=value"], "key"),
                (["browse", "_http._tcp", "--count", "none"], "none"),
                (["browse", "_http._tcp", "--no-such-option"], "no-such-option"),
            ] as [([String], String)])
        func badValues(_ words: [String], _ culprit: String) async throws {
            let outcome = try await alone(
                "ip link set lo up", words + ["--interface", "lo"])
            #expect(outcome.status == .exited(2), "\(outcome.text)\(outcome.errorText)")
            #expect(outcome.errorText.contains(culprit), "\(outcome.errorText)")
            let lines = outcome.errorText.split(separator: "\n")
            #expect(lines.count == 1, "\(outcome.errorText)")
        }

        @Test(
            "A publisher ends with success by SIGTERM and SIGINT, its goodbye sent first",
            arguments: ["TERM", "INT"])
        func goodbye(_ signal: String) async throws {
            try await Lab.with(2) { lab in
                let wire = try await lab.start(
                    2, ["python3", "-u", "\(ProjectFiles.root)/Tests/Lab/goodbyes.py"])
                _ = try await wire.line { $0 == "listening" }
                let ours = try await lab.publish(1, "Web", "_http._tcp", "8080")
                let status = signal == "TERM" ? await ours.terminate() : await ours.interrupt()
                #expect(status.isSuccess)
                for family in Family.allCases {
                    _ = try await wire.line {
                        $0 == "\(family.name) _http._tcp.local PTR Web._http._tcp.local"
                    }
                }
            }
        }

        /// Runs `mdns` in a new network, prepared by a script.
        private func alone(
            _ prepare: String, _ words: String...
        ) async throws
            -> ChildProcess.Outcome
        {
            try await alone(prepare, words)
        }

        private func alone(
            _ prepare: String, _ words: [String], through wrapper: [String] = []
        ) async throws
            -> ChildProcess.Outcome
        {
            if let missing = LabAvailability.missing { throw Lab.Failure.unusable(missing) }
            let script = prepare + "\n\"$0\" \"$@\"\nexit $?"
            return try await ChildProcess.run(
                ChildCommand(
                    "unshare",
                    ["-n", "bash", "-c", script] + wrapper + [LabAvailability.mdns] + words,
                    limit: .seconds(20)))
        }

        private func expectOneLine(
            _ outcome: ChildProcess.Outcome, naming culprit: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(outcome.status == .exited(3), sourceLocation: sourceLocation)
            let lines = outcome.errorText.split(separator: "\n")
            #expect(lines.count == 1, "\(outcome.errorText)", sourceLocation: sourceLocation)
            #expect(
                outcome.errorText.contains(culprit), "\(outcome.errorText)",
                sourceLocation: sourceLocation)
        }
    }
}
