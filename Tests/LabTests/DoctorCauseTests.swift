import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    /// Causes of silence, each brought about by a command in host 1, beside a neighbour that
    /// offers a service; and what the doctor says of each.
    @Suite("The doctor names the cause of silence")
    struct DoctorCauseTests {
        /// A cause and the findings that name it.
        struct Cause: Sendable, CustomTestStringConvertible {
            var name: String
            /// What makes it, in a shell of host 1.
            var script: String
            /// What stands before the program in host 1.
            var wrapper: [String] = []
            /// The findings that there must be, as `severity certainty code text`.
            var findings: [String]
            /// What the fix of the first must have in it.
            var fix: String
            var testDescription: String { name }
        }

        private static func nft(_ rules: String) -> String { "nft '\(rules)'" }
        private static let openIn =
            "allow UDP port 5353 in: 'ufw allow 5353/udp', 'firewall-cmd --add-service=mdns', "
            + "or in nft's input chain 'udp dport 5353 accept'"

        static let causes = [
            Cause(
                name: "down", script: "ip link set lan0 down",
                findings: ["error certain interface-down lan0 is down"],
                fix: "'ip link set lan0 up'"),
            Cause(
                name: "multicast off", script: "ip link set lan0 multicast off",
                findings: ["error certain multicast-off multicast is off on lan0"],
                fix: "'ip link set lan0 multicast on'"),
            Cause(
                name: "output dropped",
                script: nft(
                    "table inet b { chain out { type filter hook output priority 0; "
                        + "udp dport 5353 drop; }; }"),
                findings: ["IPv4", "IPv6"].map {
                    "error certain sending-refused a firewall or a VPN refuses what is sent on "
                        + "lan0 over \($0) (EPERM)"
                }, fix: "'ufw allow out 5353/udp'"),
            Cause(
                name: "input dropped",
                script: nft(
                    "table inet b { chain in { type filter hook input priority 0; "
                        + "udp dport 5353 drop; }; }"),
                findings: ["IPv4", "IPv6"].map {
                    "error certain input-dropped this host drops what comes to the group on lan0 "
                        + "over \($0), in its packet filter"
                }, fix: openIn),
            Cause(
                name: "input dropped over IPv6",
                script: nft(
                    "table ip6 b { chain in { type filter hook input priority 0; "
                        + "meta l4proto ipv6-icmp accept; drop; }; }"),
                findings: [
                    "error certain input-dropped this host drops what comes to the group on lan0 "
                        + "over IPv6, in its packet filter"
                ], fix: openIn),
            Cause(
                name: "dropped at the device, out",
                script: nft(
                    "table netdev b { chain out { type filter hook egress device lan0 "
                        + "priority 0; udp dport 5353 drop; }; }"),
                findings: ["error certain output-dropped lan0 drops what is sent over IPv4"],
                fix: "'tc -s qdisc show dev lan0' and 'nft list ruleset' show what drops"),
            Cause(
                name: "dropped at the device, in",
                script: nft(
                    "table netdev b { chain in { type filter hook ingress device lan0 "
                        + "priority 0; udp dport 5353 drop; udp sport 5353 drop; }; }"),
                // Over IPv6 the counter has other multicasts of the neighbour in it as well.
                findings: [
                    "error certain input-dropped this host drops what comes to the group on lan0 "
                        + "over IPv4, before the IP layer"
                ], fix: "'tc filter show dev lan0 ingress'"),
            Cause(
                name: "no membership allowed",
                script: "sysctl -qw net.ipv4.igmp_max_memberships=0",
                findings: [
                    "error certain membership-limit the limit of multicast memberships keeps the "
                        + "program out of the group on lan0 (0 are allowed)"
                ], fix: "'sysctl net.ipv4.igmp_max_memberships=20'"),
            Cause(
                name: "privileged port",
                script: "sysctl -qw net.ipv4.ip_unprivileged_port_start=6000",
                wrapper: ["setpriv", "--bounding-set=-all", "--inh-caps=-all"],
                findings: [
                    "error certain port-reserved UDP port 5353 is reserved for programs with more "
                        + "rights"
                ], fix: "'sysctl net.ipv4.ip_unprivileged_port_start=1024'"),
            Cause(
                name: "sockets refused", script: "true",
                wrapper: ["python3", "\(ProjectFiles.root)/Tests/Lab/without_sockets.py"],
                findings: ["IPv4", "IPv6"].map {
                    "error certain sockets-refused a system call filter refuses \($0) sockets "
                        + "(EPERM)"
                }, fix: "RestrictAddressFamilies="),
            Cause(
                name: "reverse path filter",
                script: "sysctl -qw net.ipv4.conf.lan0.rp_filter=1 net.ipv4.conf.all.rp_filter=1; "
                    + "ip addr flush dev lan0 scope global; ip -6 addr flush dev lan0; "
                    + "ip addr add 192.168.5.1/24 dev lan0",
                findings: [
                    "warning certain reverse-path-filtered reverse path filtering drops packets of "
                        + "another subnet on lan0"
                ], fix: "'sysctl net.ipv4.conf.lan0.rp_filter=2'"),
            Cause(
                name: "port redirected",
                script: nft(
                    "table inet b { chain in { type nat hook prerouting priority dstnat; "
                        + "iifname lan0 udp dport 5353 redirect to :5354; }; }"),
                findings: [
                    "warning maybe port-redirected packets to UDP port 5353 arrive at a port that "
                        + "no program has"
                ], fix: "'nft list ruleset' shows a redirect of port 5353"),
            Cause(
                name: "no multicast route",
                script: "ip -6 route flush table local type multicast; "
                    + "ip -6 route del ff00::/8 table local || true",
                findings: [
                    "error certain multicast-route-missing no route leads to the IPv6 group on lan0"
                ], fix: "'ip -6 route add multicast ff00::/8 dev lan0 table local'"),
            Cause(
                name: "small MTU", script: "ip link set lan0 mtu 576",
                findings: [
                    "warning certain mtu-too-small lan0 has an MTU of 576 bytes, and IPv6 takes "
                        + "1280"
                ], fix: "'ip link set lan0 mtu 1500'"),
            Cause(
                name: "hop limit changed",
                script: nft(
                    "table ip b { chain out { type filter hook postrouting priority mangle; "
                        + "udp dport 5353 ip ttl set 1; }; }"),
                findings: [
                    "warning certain hop-limit-changed a rule of this host sets the hop limit to "
                        + "1 on lan0 over IPv4"
                ], fix: "delete the rule"),
        ]

        private func lines(_ outcome: ChildProcess.Outcome) -> [[String]] {
            outcome.text.split(separator: "\n").map { line in
                line.split(separator: "\t").map { String($0) }
            }
        }

        @Test("Each cause by its name, with what to do", arguments: causes)
        func named(_ cause: Cause) async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(2, "Neighbour", "_http._tcp", "8080")
                let made = try await lab.run(1, "sh", "-ec", cause.script)
                try #require(made.status.isSuccess, "\(made.errorText)")
                let outcome = try await lab.run(
                    1, cause.wrapper + [LabAvailability.mdns, "doctor", "--quiet"])
                #expect(outcome.status == .exited(1), "\(outcome.errorText)")
                let found = lines(outcome)
                for finding in cause.findings {
                    #expect(
                        found.contains { $0.prefix(4).joined(separator: " ") == finding },
                        "\(finding)\n\(outcome.text)")
                }
                #expect(
                    found.first.map { $0.prefix(4).joined(separator: " ") } == cause.findings[0])
                let fix = found.first?.dropFirst(4).first
                #expect(fix?.hasPrefix("fix: ") == true && fix?.contains(cause.fix) == true)
            }
        }

        @Test("A cable that is out")
        func cable() async throws {
            try await Lab.with(2) { lab in
                try await lab.setCable(1, isIn: false)
                let outcome = try await lab.mdns(1, "doctor", "--quiet")
                #expect(outcome.status == .exited(1))
                #expect(
                    lines(outcome).first == [
                        "error", "certain", "no-carrier", "lan0 has no carrier",
                        "fix: plug in the cable, or join the Wi-Fi",
                        "can't be known: whether the cable, the switch or the Wi-Fi is the cause",
                    ], "\(outcome.text)")
            }
        }

        @Test("A port that another holds, for itself or for its own user")
        func held() async throws {
            for (user, shares, text) in [
                (0, false, "of user 0 holds UDP port 5353 and does not share it"),
                (12345, true, "of user 12345 holds UDP port 5353 and may share it"),
            ] {
                try await Lab.with(1) { lab in
                    let program = """
                        import os, signal, socket
                        os.setresuid(\(user), \(user), \(user))
                        held = []
                        for family in socket.AF_INET, socket.AF_INET6:
                            s = socket.socket(family, socket.SOCK_DGRAM)
                            if family == socket.AF_INET6: s.setsockopt(41, 26, 1)
                            if \(shares ? "True" : "False"): s.setsockopt(1, 15, 1)
                            s.bind(("", 5353))
                            held.append(s)
                        print("held", flush=True)
                        signal.pause()
                        """
                    let holder = try await lab.start(1, ["python3", "-u", "-c", program])
                    _ = try await holder.line { $0 == "held" }
                    let outcome = try await lab.mdns(1, "doctor", "--quiet")
                    #expect(outcome.status == .exited(1))
                    let first = lines(outcome).first ?? []
                    #expect(first.joined(separator: " ").contains(text), "\(outcome.text)")
                    #expect(first.dropFirst().first == (user == 0 ? "certain" : "maybe"))
                }
            }
        }

        @Test(
            "Beside a neighbour, alone or with Avahi on this host, nothing is found",
            arguments: [false, true])
        func healthy(_ hasAvahi: Bool) async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(2, "Neighbour", "_http._tcp", "8080")
                if hasAvahi { try await lab.avahi(1) }
                let outcome = try await lab.mdns(1, "doctor", "--type", "_http._tcp")
                #expect(outcome.status == .exited(0), "\(outcome.text)\(outcome.errorText)")
                #expect(!outcome.text.contains("\tcertain\t"), "\(outcome.text)")
                #expect(!outcome.text.contains("\tmaybe\t"), "\(outcome.text)")
                #expect(outcome.text.contains("services\t1\t_http._tcp"), "\(outcome.text)")
                // The answers can be there before our own copies, and are enough.
                let steps = lines(outcome).first.map { $0.joined(separator: " ") } ?? ""
                #expect(steps.hasPrefix("status allowed joined, sent,"), "\(outcome.text)")
                #expect(steps.hasSuffix("received, answered"), "\(outcome.text)")
            }
        }
    }
}
