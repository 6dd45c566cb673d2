import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    /// Causes of silence of which no send tells: what comes in is dropped before the node has it,
    /// its own multicasts too, which the kernel loops back.
    @Suite("What can't be received is told")
    struct SilenceTests {
        /// How a host drops what comes in to port 5353.
        static let causes = [
            "table inet b { chain in { type filter hook input priority 0; "
                + "udp dport 5353 drop; }; }",
            "table inet b { chain in { type filter hook input priority 0; "
                + "udp dport 5353 reject; }; }",
            // The usual workstation.
            "table inet b { chain in { type filter hook input priority 0; policy drop; "
                + "iif lo accept; ct state established,related accept; "
                + "meta l4proto { icmp, ipv6-icmp } accept; }; }",
            // At the device, before the IP layer counts anything.
            "table netdev b { chain in { type filter hook ingress device lan0 priority 0; "
                + "udp dport 5353 drop; udp sport 5353 drop; }; }",
        ]

        private func block(_ lab: Lab, _ rules: String) async throws {
            let outcome = try await lab.run(1, "nft", rules)
            try #require(outcome.status.isSuccess, "\(outcome.errorText)")
        }

        @Test(
            "A publisher that receives nothing says so with what to do, and when that ends",
            arguments: causes)
        func publisher(_ rules: String) async throws {
            try await Lab.with(2) { lab in
                try await block(lab, rules)
                let ours = try await lab.publish(1, "Web", "_http._tcp", "80")
                let limited = try await ours.object { $0["event"]?.text == "limited" }
                let failure = try #require(limited["failures"]?.elements.first)
                #expect(failure["kind"]?.text == "receiving")
                #expect(failure["interface"]?.text == "lan0")
                #expect(failure["families"]?.elements.compactMap { $0.text } == ["IPv4", "IPv6"])
                _ = try await ours.errorLine {
                    $0.contains("receiving on lan0 over IPv4 and IPv6 fails")
                        && $0.contains("udp dport 5353 accept")
                }
                try await lab.run(1, "nft", "flush ruleset")
                _ = try await ours.object { $0["event"]?.text == "established" }
                let found = try await lab.mdns(
                    2, "browse", "_http._tcp", "--count", "1", "--timeout", "5")
                #expect(found.status.isSuccess)
                #expect(await ours.terminate().isSuccess)
            }
        }

        @Test("What is dropped of one family is told of that family", arguments: Family.allCases)
        func oneFamily(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                try await block(
                    lab,
                    "table inet b { chain in { type filter hook input priority 0; "
                        + "meta nfproto \(family.rawValue) udp dport 5353 drop; }; }")
                let ours = try await lab.publish(1, "Web", "_http._tcp", "80")
                let limited = try await ours.object { $0["event"]?.text == "limited" }
                let failures = limited["failures"]?.elements ?? []
                #expect(failures.count == 1)
                #expect(
                    failures.first?["families"]?.elements.compactMap { $0.text } == [family.name])
                #expect(await ours.terminate().isSuccess)
            }
        }

        @Test("Looking where nothing arrives names the reason: exit status 3", arguments: causes)
        func looking(_ rules: String) async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(2, "Neighbour", "_http._tcp", "80")
                try await block(lab, rules)
                let outcome = try await lab.mdns(1, "browse", "_http._tcp", "--timeout", "6")
                #expect(outcome.status == .exited(3), "\(outcome.text)")
                #expect(
                    outcome.errorText.contains("receiving on lan0 over IPv4 and IPv6 fails"),
                    "\(outcome.errorText)")
            }
        }

        @Test(
            "Looking where nothing can be sent names the reason: exit status 3",
            arguments: [["browse", "_http._tcp"], ["resolve", "Web", "_http._tcp"]])
        func lookingWithoutSending(_ words: [String]) async throws {
            try await Lab.with(1) { lab in
                try await block(
                    lab,
                    "table inet b { chain out { type filter hook output priority 0; "
                        + "udp dport 5353 drop; }; }")
                let outcome = try await lab.mdns(1, words + ["--timeout", "2"])
                #expect(outcome.status == .exited(3))
                #expect(outcome.errorText.contains("EPERM"), "\(outcome.errorText)")
            }
        }

        @Test("On a healthy and silent network nothing is named", arguments: Family.allCases)
        func healthy(_ family: Family) async throws {
            try await Lab.with(1) { lab in
                let outcome = try await lab.mdns(
                    1, "browse", "_http._tcp", "--timeout", "5", family.option)
                #expect(outcome.status == .exited(1))
                #expect(outcome.errorText.isEmpty, "\(outcome.errorText)")
                let publisher = try await lab.mdns(
                    1, "publish", "Web", "_http._tcp", "80", "--timeout", "5", family.option)
                #expect(publisher.status.isSuccess)
                #expect(!publisher.text.contains("limited"), "\(publisher.text)")
                #expect(publisher.errorText.isEmpty, "\(publisher.errorText)")
            }
        }

        @Test("A sandbox that forbids sending from the start: exit status 3 and the reason")
        func sandbox() async throws {
            try await Lab.with(1) { lab in
                try await lab.run(1, "sh", "-c", "echo EPERM > /run/refused")
                let outcome = try await lab.run(
                    1,
                    [
                        "\(ProjectFiles.root)/Tests/Lab/refuse.py", "/run/refused",
                        LabAvailability.mdns, "publish", "Web", "_http._tcp", "80",
                    ])
                #expect(outcome.status == .exited(3))
                #expect(!outcome.text.contains("established"), "\(outcome.text)")
                #expect(outcome.errorText.contains("sandbox"), "\(outcome.errorText)")
            }
        }

        @Test("A VPN's kill switch, which lets only its tunnel pass: exit status 3 and the reason")
        func killSwitch() async throws {
            try await Lab.with(1) { lab in
                let tunnel = """
                    import fcntl, os, struct
                    f = os.open("/dev/net/tun", os.O_RDWR)
                    fcntl.ioctl(f, 0x400454ca, struct.pack("16sH22x", b"tun0", 0x1001))
                    print("up", flush=True)
                    while True: os.read(f, 9000)
                    """
                let tun = try await lab.start(1, ["python3", "-u", "-c", tunnel])
                _ = try await tun.line { $0 == "up" }
                try await lab.run(
                    1, "sh", "-e", "-c",
                    "ip address add 10.8.0.2/24 dev tun0; ip link set tun0 up; "
                        + "ip route add default dev tun0")
                try await block(
                    lab,
                    "table inet vpn { chain out { type filter hook output priority 0; "
                        + "policy drop; oifname { lo, tun0 } accept; }; "
                        + "chain in { type filter hook input priority 0; policy drop; "
                        + "iifname { lo, tun0 } accept; }; }")
                let outcome = try await lab.mdns(1, "publish", "Web", "_http._tcp", "80")
                #expect(outcome.status == .exited(3))
                #expect(!outcome.text.contains("established"), "\(outcome.text)")
                #expect(outcome.errorText.contains("lan0"), "\(outcome.errorText)")
                #expect(outcome.errorText.contains("VPN"), "\(outcome.errorText)")
                await tun.terminate()
            }
        }

        @Test("A group that can't be joined is told at once", arguments: ["publish", "browse"])
        func noMembership(_ command: String) async throws {
            try await Lab.with(1) { lab in
                try await lab.run(1, "sysctl", "-qw", "net.ipv4.igmp_max_memberships=0")
                let words =
                    command == "publish"
                    ? ["publish", "Web", "_http._tcp", "80"] : ["browse", "_http._tcp"]
                let outcome = try await lab.mdns(1, words + ["--timeout", "2"])
                #expect(
                    outcome.errorText.contains("receiving on lan0 over IPv4 fails"),
                    "\(outcome.errorText)")
                #expect(outcome.errorText.contains("net.ipv4.igmp_max_memberships"))
            }
        }

        @Test(
            "A goodbye that fails when the time of a publisher is over is told",
            arguments: [[], ["--host", "lamp.local", "--address", "10.77.0.9"]])
        func limit(_ words: [String]) async throws {
            try await Lab.with(1) { lab in
                let ours = try await lab.start(
                    1,
                    [
                        LabAvailability.mdns, "publish", "--json", "Web", "_http._tcp", "80",
                        "--timeout", "10",
                    ] + words)
                _ = try await ours.object { $0["event"]?.text == "established" }
                try await block(
                    lab,
                    "table inet b { chain out { type filter hook output priority 0; "
                        + "udp dport 5353 drop; }; }")
                _ = try await ours.errorLine {
                    $0.contains("others may list for a while what has gone") && $0.contains("EPERM")
                }
                #expect(await ours.process.waitForExit().isSuccess)
            }
        }

        @Test("A resolution of less than two seconds names the part that is missing")
        func missingPart() async throws {
            try await Lab.with(2) { lab in
                // A service on a host that has no addresses on this link.
                let script = """
                    import socket, struct, sys
                    def name(text):
                        return b"".join(
                            bytes([len(l)]) + l.encode() for l in text.split(".")) + b"\\0"
                    n = name("Web._http._tcp.local")
                    srv = struct.pack("!HHH", 0, 0, 8080) + name("nowhere.local")
                    packet = struct.pack("!HHHHHH", 0, 0x8400, 0, 1, 0, 0) + n + struct.pack(
                        "!HHIH", 33, 0x8001, 120, len(srv)) + srv
                    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    s.bind(("", 5353))
                    group = socket.inet_aton("224.0.0.251") + socket.inet_aton("10.77.0.2")
                    s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
                    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
                    print("listening", flush=True)
                    while True:
                        data, _ = s.recvfrom(9000)
                        if not data[2] & 0x80: s.sendto(packet, ("224.0.0.251", 5353))
                    """
                let peer = try await lab.start(2, ["python3", "-u", "-c", script])
                _ = try await peer.line { $0 == "listening" }
                let outcome = try await lab.mdns(
                    1, "resolve", "Web", "_http._tcp", "--timeout", "1")
                #expect(outcome.status == .exited(1))
                #expect(
                    outcome.errorText.contains("is on nowhere.local:8080, but"),
                    "\(outcome.errorText)")
                await peer.terminate()
            }
        }
    }
}
