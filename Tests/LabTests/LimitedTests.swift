import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    /// Two hosts with two cables: what is blocked on one of them, or over one family.
    @Suite("A service that can't be found everywhere says where it can't")
    struct LimitedTests {
        /// What is blocked.
        enum Part: String, CaseIterable, CustomTestStringConvertible {
            case ipv4, ipv6, lan0, lan1

            var testDescription: String { rawValue }

            /// The interfaces of host 1 on which, and the families over which, it can't be found.
            var failures: [(interface: String, families: [String])] {
                switch self {
                case .ipv4: [("lan0", ["IPv4"]), ("lan1", ["IPv4"])]
                case .ipv6: [("lan0", ["IPv6"]), ("lan1", ["IPv6"])]
                case .lan0, .lan1: [(rawValue, ["IPv4", "IPv6"])]
                }
            }

            var interfaces: [String] { failures.map { $0.interface } }

            /// What names it in a rule of the output hook.
            var match: String {
                switch self {
                case .ipv4, .ipv6: "meta nfproto \(rawValue) udp dport 5353"
                case .lan0, .lan1: "oifname \(rawValue) udp dport 5353"
                }
            }
        }

        /// How it is blocked.
        enum Way: String, CaseIterable, CustomTestStringConvertible {
            case drop, reject, tc, down

            var testDescription: String { rawValue }

            /// The commands that block, and those that end it; none where it can't be done.
            func commands(_ part: Part) -> (begin: String, end: String)? {
                switch (self, part) {
                case (.drop, _), (.reject, _):
                    (
                        "nft add table inet block; nft 'add chain inet block out "
                            + "{ type filter hook output priority 0; }'; "
                            + "nft add rule inet block out \(part.match) \(rawValue)",
                        "nft flush ruleset"
                    )
                case (.tc, .lan0), (.tc, .lan1):
                    (
                        "tc qdisc add dev \(part.rawValue) root tbf rate 8bit burst 10 limit 10",
                        "tc qdisc del dev \(part.rawValue) root"
                    )
                case (.down, .lan0), (.down, .lan1):
                    (
                        "ip link set \(part.rawValue) down",
                        "ip link set \(part.rawValue) up"
                    )
                default: nil
                }
            }

            /// What the reason names.
            var word: String {
                switch self {
                case .drop, .reject: "EPERM"
                case .tc: "ENOBUFS"
                case .down: "is down"
                }
            }
        }

        static let cases = Part.allCases.flatMap { part in
            Way.allCases.filter { $0.commands(part) != nil }.map { (part, $0) }
        }

        /// The failures of an event: interface, families, reason.
        private func failures(_ object: JSONValue) -> [(String, [String], String)] {
            (object["failures"]?.elements ?? []).map { failure in
                (
                    failure["interface"]?.text ?? "",
                    (failure["families"]?.elements ?? []).compactMap { $0.text },
                    failure["reason"]?.text ?? ""
                )
            }
        }

        @Test(
            "One family or one of two interfaces blocked is told with the reason, and its end",
            arguments: cases)
        func partly(_ part: Part, _ way: Way) async throws {
            try await Lab.with(2) { lab in
                try await lab.wire(1, 2)
                let commands = try #require(way.commands(part))
                // An interface that is down from the start is told only where it is named.
                let ours =
                    if way == .down {
                        try await lab.publish(1, "Web", "_http._tcp", "80")
                    } else {
                        nil as LiveProgram?
                    }
                try await lab.run(1, "sh", "-e", "-c", commands.begin)
                let program: LiveProgram
                if let ours {
                    program = ours
                } else {
                    program = try await lab.publish(1, "Web", "_http._tcp", "80")
                }
                let limited = try await program.object { $0["event"]?.text == "limited" }
                let told = failures(limited)
                #expect(told.map { $0.0 } == part.interfaces)
                #expect(told.map { $0.1 } == part.failures.map { $0.families })
                for interface in part.interfaces {
                    _ = try await program.errorLine {
                        $0.contains(interface) && $0.contains(way.word)
                    }
                }
                try await checkWhereFound(lab, part)
                try await lab.run(1, "sh", "-e", "-c", commands.end)
                _ = try await program.object { $0["event"]?.text == "established" }
                let again = try await lab.mdns(
                    2, "browse", "_http._tcp", "--interface", part.interfaces[0], "--count", "1",
                    "--timeout", "5")
                #expect(again.status.isSuccess)
                #expect(await program.terminate().isSuccess)
            }
        }

        /// A browse in host 2 finds it where it isn't blocked and nowhere else.
        private func checkWhereFound(_ lab: Lab, _ part: Part) async throws {
            let place: (works: [String], fails: [String]) =
                switch part {
                case .ipv4: (["--ipv6"], ["--ipv4"])
                case .ipv6: (["--ipv4"], ["--ipv6"])
                case .lan0: (["--interface", "lan1"], ["--interface", "lan0"])
                case .lan1: (["--interface", "lan0"], ["--interface", "lan1"])
                }
            let common = ["browse", "_http._tcp", "--count", "1", "--timeout"]
            let found = try await lab.mdns(2, common + ["5"] + place.works)
            #expect(found.status.isSuccess, "\(found.errorText)")
            let missed = try await lab.mdns(2, common + ["1"] + place.fails)
            #expect(!missed.status.isSuccess && missed.text.isEmpty, "\(missed.text)")
        }

        @Test(
            "Both interfaces blocked from the start: exit status 3",
            arguments: [Way.drop, .reject, .tc])
        func both(_ way: Way) async throws {
            try await Lab.with(2) { lab in
                try await lab.wire(1, 2)
                if way == .tc {
                    for part in [Part.lan0, .lan1] {
                        try await lab.run(1, "sh", "-c", way.commands(part)?.begin ?? "false")
                    }
                } else {
                    let begin = try #require(way.commands(.lan0)).begin
                        .split(separator: ";").dropLast().joined(separator: ";")
                    try await lab.run(
                        1, "sh", "-c",
                        begin + "; nft add rule inet block out udp dport 5353 \(way.rawValue)")
                }
                let outcome = try await lab.mdns(1, "publish", "Web", "_http._tcp", "80")
                #expect(outcome.status == .exited(3))
                #expect(outcome.text.contains("blocked"), "\(outcome.text)")
                #expect(!outcome.text.contains("established"), "\(outcome.text)")
                #expect(outcome.errorText.split(separator: "\n").count == 1)
                #expect(outcome.errorText.contains(way.word), "\(outcome.errorText)")
            }
        }

        @Test("Both interfaces down later is told as blocked, and goes when one is up again")
        func bothDown() async throws {
            try await Lab.with(2) { lab in
                try await lab.wire(1, 2)
                let ours = try await lab.publish(1, "Web", "_http._tcp", "80")
                try await lab.run(1, "ip", "link", "set", "lan0", "down")
                _ = try await ours.object { $0["event"]?.text == "limited" }
                try await lab.run(1, "ip", "link", "set", "lan1", "down")
                let blocked = try await ours.object { $0["event"]?.text == "blocked" }
                #expect(failures(blocked).first?.2.contains("is down") == true)
                try await lab.run(1, "ip", "link", "set", "lan1", "up")
                _ = try await ours.object { $0["event"]?.text == "established" }
                let limited = try await ours.object { $0["event"]?.text == "limited" }
                #expect(failures(limited).map { $0.0 } == ["lan0"])
                #expect(await ours.terminate().isSuccess)
            }
        }

        @Test("An interface that is named and down is told, one that is not named is not")
        func downFromTheStart() async throws {
            try await Lab.with(2) { lab in
                try await lab.wire(1, 2)
                try await lab.run(1, "ip", "link", "set", "lan1", "down")
                let named = try await lab.mdns(
                    1, "publish", "Web", "_http._tcp", "80", "--interface", "lan0",
                    "--interface", "lan1", "--timeout", "2")
                #expect(named.status.isSuccess)
                #expect(named.errorText.contains("lan1 is down: 'ip link set lan1 up'"))
                let all = try await lab.mdns(
                    1, "publish", "Web", "_http._tcp", "80", "--timeout", "2")
                #expect(all.status.isSuccess)
                #expect(all.errorText.isEmpty, "\(all.errorText)")
            }
        }
    }
}
