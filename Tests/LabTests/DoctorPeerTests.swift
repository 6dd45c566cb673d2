import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    /// A service that was found, but whose port can't be reached.
    @Suite("The doctor tells apart why a port can't be reached")
    struct DoctorPeerTests {
        private static let fix =
            "fix: open the port on that host: 'firewall-cmd --add-port=8080/tcp', "
            + "'ufw allow 8080/tcp', or in nft's input chain 'tcp dport 8080 accept'"

        private func listen(_ lab: Lab) async throws -> LiveProgram {
            let server = try await lab.start(
                2,
                [
                    "python3", "-u", "-c",
                    """
                    import socket
                    s = socket.create_server(("::", 8080), family=10, dualstack_ipv6=True)
                    print("listening", flush=True)
                    while True: s.accept()[0].close()
                    """,
                ])
            _ = try await server.line { $0 == "listening" }
            return server
        }

        private func block(_ lab: Lab, _ rule: String) async throws {
            let outcome = try await lab.run(
                2, "nft",
                "table inet b { chain in { type filter hook input priority 0; \(rule); }; }")
            try #require(outcome.status.isSuccess, "\(outcome.errorText)")
        }

        private func findings(_ lab: Lab, _ peer: String) async throws -> ChildProcess.Outcome {
            try await lab.mdns(1, "doctor", "--peer", peer, "--quiet")
        }

        /// The lines of findings about connections.
        private func connections(_ outcome: ChildProcess.Outcome) -> [String] {
            outcome.text.split(separator: "\n").map { String($0) }
                .filter { $0.contains("\tconnection-") }
        }

        @Test("A port that accepts is no finding, by name and over both families")
        func accepted() async throws {
            try await Lab.with(2) { lab in
                _ = try await listen(lab)
                let publisher = try await lab.publish(
                    2, "Web", "_http._tcp", "8080", "--host-suffix", "abcd")
                let found = try await lab.mdns(1, "resolve", "Web", "_http._tcp", "--json")
                let object = try #require(JSONValue(found.text.dropLast().utf8))
                let host = try #require(object["host"]?.text)
                let outcome = try await lab.mdns(1, "doctor", "--peer", "\(host):8080")
                let lines = outcome.text.split(separator: "\n")
                    .filter { $0.hasPrefix("connection\tconnected\t") }
                #expect(lines.count >= 2, "\(outcome.text)\(outcome.errorText)")
                #expect(connections(outcome).isEmpty, "\(outcome.text)")
                #expect(outcome.status == .exited(0), "\(outcome.text)")
                #expect(await publisher.terminate().isSuccess)
            }
        }

        @Test("A port that nobody listens on: RST", arguments: Family.allCases)
        func reset(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                let peer = peer(lab, family)
                let outcome = try await findings(lab, peer.argument)
                #expect(outcome.status == .exited(1))
                #expect(
                    connections(outcome) == [
                        "error\tcertain\tconnection-reset\t\(peer.shown) refuses TCP port 8080 "
                            + "(RST): nothing listens there\tfix: start the program there, or have "
                            + "it listen on all addresses: 'ss -ltn sport = :8080' there shows it"
                            + "\tcan't be known: whether a firewall there pretends that "
                            + "('reject with tcp reset')"
                    ], "\(outcome.text)\(outcome.errorText)")
            }
        }

        @Test(
            "A firewall that rejects: the ICMP message, also the one that looks like RST",
            arguments: Family.allCases, ["admin-prohibited", "port-unreachable"])
        func rejected(_ family: Family, _ kind: String) async throws {
            try await Lab.with(2) { lab in
                _ = try await listen(lab)
                try await block(lab, "tcp dport 8080 reject with icmpx type \(kind)")
                let isPort = kind == "port-unreachable"
                let message = family == .ipv4 ? (isPort ? "3/3" : "3/13") : (isPort ? "1/4" : "1/1")
                let peer = peer(lab, family)
                let outcome = try await findings(lab, peer.argument)
                #expect(outcome.status == .exited(1))
                let lines = connections(outcome)
                #expect(lines.count == 1)
                let line = lines.first ?? outcome.text
                #expect(line.hasPrefix("error\tcertain\tconnection-rejected\t"), "\(line)")
                #expect(line.contains("of \(peer.shown) (ICMP \(message))\t"), "\(line)")
                #expect(line.hasSuffix(Self.fix), "\(line)")
            }
        }

        @Test("A firewall that drops: silence, and where it is can't be known")
        func dropped() async throws {
            try await Lab.with(2) { lab in
                _ = try await listen(lab)
                try await block(lab, "tcp dport 8080 drop")
                let outcome = try await findings(lab, "\(lab.address(2)):8080")
                #expect(outcome.status == .exited(1))
                #expect(
                    connections(outcome) == [
                        "error\tcertain\tconnection-silent\tnothing comes back from TCP port 8080 "
                            + "of \(lab.address(2))\t\(Self.fix)\tcan't be known: whether that "
                            + "host is off, or its firewall, this one's or the network between "
                            + "drops it"
                    ], "\(outcome.text)")
            }
        }

        @Test("This host's own firewall that rejects, which the other can't mend")
        func rejectedHere() async throws {
            try await Lab.with(2) { lab in
                _ = try await listen(lab)
                let made = try await lab.run(
                    1, "nft",
                    "table inet b { chain out { type filter hook output priority 0; "
                        + "tcp dport 8080 reject; }; }")
                try #require(made.status.isSuccess, "\(made.errorText)")
                let outcome = try await findings(lab, "\(lab.address(2)):8080")
                let line = connections(outcome).first ?? outcome.text
                #expect(
                    line.hasPrefix(
                        "error\tcertain\tconnection-rejected-here\tthis host's firewall rejects "),
                    "\(line)")
                #expect(line.contains("'ufw allow out 8080/tcp'"), "\(line)")
            }
        }

        @Test("An address that no host has, and a name that nobody answers for")
        func absent() async throws {
            try await Lab.with(2) { lab in
                let address = try await findings(lab, "10.77.0.200:8080")
                let line = connections(address).first ?? address.text
                #expect(
                    line.hasPrefix(
                        "error\tcertain\tconnection-unreachable\tno host answers for 10.77.0.200"),
                    "\(line)")
                let name = try await findings(lab, "nosuchhost.local:8080")
                #expect(name.status == .exited(1))
                #expect(
                    name.text.contains(
                        "error\tcertain\tpeer-not-found\tnobody answers for the host of "
                            + "nosuchhost.local:8080"), "\(name.text)")
            }
        }

        private func peer(_ lab: Lab, _ family: Family) -> (argument: String, shown: String) {
            let address = lab.address(2, family)
            return family == .ipv4
                ? ("\(address):8080", address)
                : ("[\(address)%lan0]:8080", "\(address)%lan0")
        }
    }
}
