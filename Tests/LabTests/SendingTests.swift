import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("What can't be sent is told")
    struct SendingTests {
        /// A firewall in front of what a host sends.
        private func block(_ lab: Lab, _ host: Int, _ rule: String) async throws {
            let outcome = try await lab.run(
                host, "nft",
                "add table inet block; "
                    + "add chain inet block out { type filter hook output priority 0; }; "
                    + "add rule inet block out \(rule)")
            try #require(outcome.status.isSuccess, "\(outcome.errorText)")
        }

        @Test(
            "A service that nobody can find is not established: exit status 3 and what to do",
            arguments: ["udp dport 5353 drop", "udp dport 5353 reject", "oifname lan0 drop"])
        func blocked(_ rule: String) async throws {
            try await Lab.with(1) { lab in
                try await block(lab, 1, rule)
                let outcome = try await lab.mdns(1, "publish", "Web", "_http._tcp", "80")
                #expect(outcome.status == .exited(3))
                #expect(!outcome.text.contains("established"), "\(outcome.text)")
                #expect(outcome.text.contains("blocked"), "\(outcome.text)")
                let lines = outcome.errorText.split(separator: "\n")
                #expect(lines.count == 1, "\(outcome.errorText)")
                #expect(outcome.errorText.contains("EPERM"), "\(outcome.errorText)")
                #expect(outcome.errorText.contains("lan0"), "\(outcome.errorText)")
                #expect(outcome.errorText.contains("udp dport 5353 accept"))
            }
        }

        @Test(
            "With one family blocked it is established, and found over the other",
            arguments: Family.allCases)
        func oneFamily(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                let other = family == .ipv4 ? Family.ipv6 : .ipv4
                try await block(
                    lab, 1, "meta nfproto \(other.rawValue) udp dport 5353 drop")
                _ = try await lab.publish(1, "Web", "_http._tcp", "80")
                let found = try await lab.mdns(
                    2, "browse", "_http._tcp", family.option, "--count", "1", "--timeout", "5")
                #expect(found.status.isSuccess)
                let lost = try await lab.mdns(
                    2, "browse", "_http._tcp", other.option, "--count", "1", "--timeout", "2")
                #expect(lost.status == .exited(1), "\(lost.text)")
            }
        }

        @Test("A service that falls silent is told, and told again when it can be found")
        func later() async throws {
            try await Lab.with(2) { lab in
                let ours = try await lab.publish(1, "Web", "_http._tcp", "80")
                try await block(lab, 1, "udp dport 5353 drop")
                let browser = try await lab.startMDNS(2, "browse", "_http._tcp", "--json")
                let blocked = try await ours.object { $0["event"]?.text == "blocked" }
                #expect(blocked["instance"]?.text == "Web")
                try await lab.run(1, "nft", "flush ruleset")
                _ = try await ours.object { $0["event"]?.text == "established" }
                _ = try await browser.object { $0["instance"]?.text == "Web" }
                #expect(await ours.terminate().isSuccess)
            }
        }

        /// What drops at the device, or in its queue, is refused only to a socket that asks to be
        /// told. What a switch or another host drops can't be known here.
        @Test(
            "What the device or its queue drops is not established: exit status 3 and the reason",
            arguments: [
                "tc qdisc add dev lan0 root tbf rate 8bit burst 10 limit 10",
                "nft add table netdev x; nft 'add chain netdev x out "
                    + "{ type filter hook egress device lan0 priority 0; }'; "
                    + "nft add rule netdev x out drop",
            ], Family.allCases)
        func droppedBelow(_ cause: String, _ family: Family) async throws {
            try await Lab.with(1) { lab in
                let made = try await lab.run(1, "sh", "-c", "set -e; " + cause)
                try #require(made.status.isSuccess, "\(made.errorText)")
                let outcome = try await lab.mdns(
                    1, "publish", "Web", "_http._tcp", "80", family.option)
                #expect(outcome.status == .exited(3), "\(outcome.errorText)")
                #expect(!outcome.text.contains("established"), "\(outcome.text)")
                #expect(outcome.errorText.contains("ENOBUFS"), "\(outcome.errorText)")
                #expect(outcome.errorText.contains("lan0"), "\(outcome.errorText)")
            }
        }

        @Test(
            "What the kernel refuses later on is told with its reason, and so is the recovery",
            arguments: ["EPERM", "EACCES", "ENOBUFS", "ENETDOWN"])
        func refusedLater(_ error: String) async throws {
            try await Lab.with(2) { lab in
                let ours = try await lab.start(
                    1,
                    [
                        "\(ProjectFiles.root)/Tests/Lab/refuse.py", "/run/refused",
                        LabAvailability.mdns, "publish", "--json", "Web", "_http._tcp", "80",
                    ])
                _ = try await ours.object { $0["event"]?.text == "established" }
                try await lab.run(1, "sh", "-c", "echo \(error) > /run/refused")
                let browser = try await lab.startMDNS(2, "browse", "_http._tcp", "--json")
                _ = try await ours.object { $0["event"]?.text == "blocked" }
                _ = try await ours.errorLine { $0.contains("lan0") && $0.contains(error) }
                try await lab.run(1, "rm", "/run/refused")
                _ = try await ours.object { $0["event"]?.text == "established" }
                _ = try await browser.object { $0["instance"]?.text == "Web" }
                #expect(await ours.terminate().isSuccess)
            }
        }

        @Test("Goodbyes that could not leave are told", arguments: ["TERM", "INT"])
        func goodbyes(_ signal: String) async throws {
            try await Lab.with(1) { lab in
                let ours = try await lab.publish(1, "Web", "_http._tcp", "80")
                try await block(lab, 1, "udp dport 5353 drop")
                let status = signal == "TERM" ? await ours.terminate() : await ours.interrupt()
                #expect(status.isSuccess)
                _ = try await ours.errorLine {
                    $0.contains("others may list for a while what has gone") && $0.contains("EPERM")
                }
            }
        }

        @Test(
            "A browse beside avahi-daemon leaves it its direct queries",
            arguments: [
                ("first", Family.ipv4), ("first", .ipv6), ("second", .ipv4),
                ("second", .ipv6),
            ])
        func directQueries(_ order: String, _ family: Family) async throws {
            try await Lab.with(2) { lab in
                if order == "second" { try await lab.avahi(1) }
                let browser = try await lab.startMDNS(1, "browse", "_http._tcp")
                // A program that is asked nothing says nothing: its question is seen instead.
                let wire = try await lab.tcpdump(2)
                if order == "first" { try await lab.avahi(1) }
                _ = try await wire.line { $0.contains("_http._tcp") }
                let server = family == .ipv4 ? "10.77.0.1" : "fe80::ff:fe4d:1%lan0"
                var answers = 0
                for _ in 0..<16 {
                    let answer = try await lab.run(
                        2, "dig", "@\(server)", "-p", "5353", "+tries=1", "+time=1", "+short",
                        "h1.local", family == .ipv4 ? "A" : "AAAA")
                    // An error names the server as well.
                    let lines = answer.text.split(separator: "\n")
                    if lines.contains(Substring(lab.address(1, family))) { answers += 1 }
                }
                #expect(answers == 16)
                await browser.terminate()
            }
        }

        @Test("A browse beside avahi-daemon finds what is there, also when that comes later")
        func browseBesideAvahi() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(1)
                let browser = try await lab.startMDNS(1, "browse", "_http._tcp", "--json")
                let late = try await lab.publish(2, "Late", "_http._tcp", "80")
                _ = try await browser.object { $0["instance"]?.text == "Late" }
                for family in Family.allCases {
                    let found = try await lab.mdns(
                        1, "resolve", "Late", "_http._tcp", family.option)
                    #expect(found.status.isSuccess, "\(family)")
                }
                await late.terminate()
                _ = try await browser.object { $0["event"]?.text == "removed" }
            }
        }

        @Test("An interface that gets another name is called so from then on")
        func rename() async throws {
            try await Lab.with(2) { lab in
                let browser = try await lab.startMDNS(1, "browse", "_http._tcp", "--json")
                let first = try await lab.publish(2, "First", "_http._tcp", "80")
                let before = try await browser.object { $0["instance"]?.text == "First" }
                #expect(before["interface"]?.text == "lan0")
                for words in [["down"], ["name", "wire0"], ["up"]] {
                    try await lab.run(
                        1,
                        ["ip", "link", "set", words == ["up"] ? "wire0" : "lan0"]
                            + words)
                }
                let again = try await browser.object { $0["event"]?.text == "added" }
                #expect(again["interface"]?.text == "wire0")
                await first.terminate()
            }
        }
    }
}
