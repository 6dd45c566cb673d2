import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("Conflicts, legacy queries, one port for several")
    struct SharingTests {
        @Test("A name that avahi has stays avahi's; ours gets another", arguments: Family.allCases)
        func avahiFirst(_ family: Family) async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1)
                let theirs = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080")
                let ours = try await lab.start(
                    2,
                    [
                        LabAvailability.mdns, "publish", "--json", family.option, "Web",
                        "_http._tcp", "8081",
                    ])
                _ = try await ours.object { $0["event"]?.text == "renamed" }
                let established = try await ours.object { $0["event"]?.text == "established" }
                #expect(established["instance"]?.text == "Web (2)")
                #expect(try await ports(lab, family) == ["Web": 8080, "Web (2)": 8081])
                await theirs.terminate()
                await ours.terminate()
            }
        }

        @Test("A name that we have stays ours; avahi takes another", arguments: Family.allCases)
        func oursFirst(_ family: Family) async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1, only: family)
                let ours = try await lab.publish(2, family.option, "Web", "_http._tcp", "8081")
                let theirs = try await lab.start(
                    1, ["stdbuf", "-eL", "avahi-publish", "-s", "Web", "_http._tcp", "8080"])
                let established = try await theirs.errorLine {
                    $0.hasPrefix("Established under name") && !$0.hasSuffix("'Web'")
                }
                #expect(established == "Established under name 'Web #2'")
                #expect(try await ports(lab, family) == ["Web": 8081, "Web #2": 8080])
                await ours.terminate()
            }
        }

        @Test("Two that start at once end with two names")
        func bothAtOnce() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1)
                let theirs = try await lab.start(
                    1, ["avahi-publish", "-s", "Web", "_http._tcp", "8080"])
                let ours = try await lab.publish(2, "Web", "_http._tcp", "8081")
                let browser = try await lab.startMDNS(
                    3, "browse", "--resolve", "--json", "--ipv4", "_http._tcp")
                var ports: [String: Int] = [:]
                while ports.count < 2 {
                    let event = try await browser.object { $0["port"] != nil }
                    guard let name = event["instance"]?.text else { continue }
                    ports[name] = event["event"]?.text == "removed" ? nil : event["port"]?.integer
                }
                #expect(Set(ports.values) == [8080, 8081])
                #expect(ports.keys.contains("Web"))
                await theirs.terminate()
                await ours.terminate()
            }
        }

        @Test(
            "A legacy query gets an answer by unicast: seen on the wire",
            arguments: Family.allCases)
        func legacyQuery(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(1, family.option, "Web", "_http._tcp", "8080")
                let wire = try await lab.tcpdump(2)
                let options = family == .ipv4 ? [] : ["--v6"]
                let asked = try await lab.ask(
                    2, ["Web._http._tcp.local", "SRV", "--legacy", "--id", "4660"] + options)
                // The identifier comes back, and no record may be kept for long (RFC 6762 §6.7).
                #expect(asked.text.contains("response from \(lab.address(1, family))"))
                #expect(asked.text.contains("id=4660"))
                let answers = asked.text.split(separator: "\n").filter {
                    $0.contains(" answers ") && $0.contains(" SRV ")
                }
                #expect(answers.count == 1)
                let words = answers.first?.split(separator: " ") ?? []
                let lifetime = words.firstIndex(of: "SRV").map { words[$0 + 1] }
                #expect(lifetime.flatMap { Int($0) }.map { $0 <= 10 } == true, "\(asked.text)")
                // From our port to theirs, which is none that others listen to.
                let from = lab.address(1, family) + ".5353 > " + lab.address(2, family) + "."
                let line = try await wire.line { $0.contains(from) }
                #expect(!line.contains(from + "5353:"))
            }
        }

        @Test(
            "A question that wants a unicast answer gets one: seen on the wire",
            arguments: Family.allCases)
        func unicastQuestion(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(1, family.option, "Web", "_http._tcp", "8080")
                let wire = try await lab.tcpdump(2)
                let options = family == .ipv4 ? [] : ["--v6"]
                let asked = try await lab.ask(
                    2, ["Web._http._tcp.local", "SRV", "--qu"] + options)
                #expect(asked.text.contains("response from \(lab.address(1, family)):5353"))
                let answer = lab.address(1, family) + ".5353 > " + lab.address(2, family) + ".5353:"
                _ = try await wire.line { $0.contains(answer) }
            }
        }

        @Test("We share the port with avahi-daemon on one host, both ways")
        func oneHost() async throws {
            try await Lab.with(1) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", "Theirs", "_http._tcp", "8080")
                _ = try await lab.publish(1, "Ours", "_http._tcp", "8081")
                let listing = AvahiListing(
                    try await lab.run(1, "avahi-browse", "-rptk", "_http._tcp").text)
                for family in Family.allCases {
                    let entry = listing.entries(family).first { $0.instance == "Ours" }
                    #expect(entry?.port == "8081", "\(family)")
                    #expect(
                        try await ports(lab, family, from: 1) == ["Theirs": 8080, "Ours": 8081])
                }
            }
        }

        @Test("A third host finds both that share one host's port")
        func oneHostSeenFromAnother() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", "Theirs", "_http._tcp", "8080")
                _ = try await lab.publish(1, "Ours", "_http._tcp", "8081")
                for family in Family.allCases {
                    #expect(try await ports(lab, family) == ["Theirs": 8080, "Ours": 8081])
                }
            }
        }

        @Test("Two of ours on one host and one on another find one another")
        func ours() async throws {
            try await Lab.with(3) { lab in
                let first = try await lab.publish(1, "First", "_http._tcp", "1")
                let second = try await lab.publish(1, "Second", "_http._tcp", "2")
                _ = try await lab.publish(2, "Third", "_http._tcp", "3")
                for family in Family.allCases {
                    for host in 1...3 {
                        let found = try await ports(lab, family, from: host)
                        #expect(found == ["First": 1, "Second": 2, "Third": 3], "h\(host)")
                    }
                }
                // Both claim one host name with the same addresses: no conflict.
                #expect(await first.terminate().isSuccess)
                #expect(await second.terminate().isSuccess)
            }
        }

        /// The instances that host `host` finds in three seconds, and their ports.
        private func ports(
            _ lab: Lab, _ family: Family, from host: Int = 3
        ) async throws -> [String: Int] {
            let outcome = try await lab.mdns(
                host, "browse", "--resolve", "--json", "--timeout", "3", family.option,
                "--interface", "lan0", "_http._tcp")
            var ports: [String: Int] = [:]
            for line in outcome.text.split(separator: "\n") {
                guard let object = JSONValue(line.utf8), let name = object["instance"]?.text else {
                    continue
                }
                ports[name] = object["event"]?.text == "removed" ? nil : object["port"]?.integer
            }
            return ports
        }
    }
}
