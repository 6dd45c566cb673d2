import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("Reconfirming what peers publish")
    struct ReconfirmTests {
        @Test("What is there is confirmed at once, by avahi and python-zeroconf")
        func confirmed() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080", "path=/")
                _ = try await lab.zeroconfPublish(2, "Laser", "_ipp._tcp", "631")
                for words in [["Web", "_http._tcp"], ["Laser._ipp._tcp.local"]] {
                    let outcome = try await reconfirm(lab, words)
                    #expect(outcome.status.isSuccess, "\(outcome.errorText)")
                    #expect(
                        findings(outcome) == ["confirmed PTR", "confirmed SRV", "confirmed TXT"])
                }
                for words in [["h1.local"], ["h1.local", "A"], [lab.address(1)], ["_http._tcp"]] {
                    let outcome = try await reconfirm(lab, words)
                    #expect(outcome.status.isSuccess, "\(words): \(outcome.errorText)")
                    #expect(findings(outcome).allSatisfy { $0.hasPrefix("confirmed") })
                }
            }
        }

        @Test("What the owner says it has not is told as absent, with exit status 1")
        func absent() async throws {
            try await Lab.with(2) { lab in
                let ours = try await lab.publish(1, "Web", "_http._tcp", "8080")
                let outcome = try await reconfirm(lab, ["Web._http._tcp.local", "A"], from: 2)
                #expect(outcome.status == .exited(1))
                #expect(findings(outcome) == ["absent A"])
                await ours.terminate()
            }
        }

        @Test("M10-23 M10-25 a service whose host died vanishes everywhere, and only that")
        func gone() async throws {
            try await Lab.with(5) { lab in
                try await lab.avahi(1)
                try await lab.avahi(4)
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080")
                _ = try await lab.zeroconfPublish(5, "Other", "_http._tcp", "8081")
                let ours = try await browse(lab, 2, ["Web", "Other"])
                // Avahi takes its own questions, which say what it knows, for a sign of life: it
                // must not ask itself meanwhile.
                let before = try await lab.run(4, "avahi-browse", "-pt", "_http._tcp")
                #expect(instances(before) == ["Other", "Web"])
                let wire = try await lab.tcpdump(2)
                try await lab.crash(1, "avahi")
                let clock = ContinuousClock()
                let start = clock.now
                let outcome = try await reconfirm(lab, ["Web", "_http._tcp"])
                #expect(outcome.status == .exited(1))
                #expect(findings(outcome) == ["gone PTR", "gone SRV", "gone TXT"])
                #expect(outcome.errorText.contains("'Web'"))
                let removed = try await ours.object { $0["event"]?.text == "removed" }
                #expect(removed["instance"]?.text == "Web")
                // The pointer lives 75 minutes.
                #expect(start.duration(to: clock.now) < .seconds(14))
                let after = try await lab.run(4, "avahi-browse", "-pc", "_http._tcp")
                #expect(instances(after) == ["Other"])
                // All of it by multicast, for others to receive.
                for _ in 0..<6 {
                    let asked = try await wire.line {
                        $0.contains(lab.address(3) + ".5353 > 224.0.0.251.5353:")
                            && $0.contains("PTR (Q") && $0.contains("_http._tcp.local.")
                    }
                    #expect(asked.contains("PTR (QM)? _http._tcp.local."), "\(asked)")
                }
                await ours.process.terminate()
                let more = try? await ours.object { $0["event"]?.text == "removed" }
                #expect(more == nil)
            }
        }

        @Test("M10-24 it vanishes from other programs of the host that reconfirms, too")
        func goneHere() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080")
                let ours = try await browse(lab, 2, ["Web"])
                try await lab.crash(1, "avahi")
                let outcome = try await reconfirm(lab, ["Web", "_http._tcp"], from: 2)
                #expect(outcome.status == .exited(1))
                _ = try await ours.object { $0["event"]?.text == "removed" }
            }
        }

        /// The instances that avahi-browse lists.
        private func instances(_ outcome: ChildProcess.Outcome) -> Set<String> {
            Set(
                outcome.text.split(separator: "\n").compactMap { line in
                    let parts = line.split(separator: ";")
                    return parts.count > 3 && parts[0] == "+" ? String(parts[3]) : nil
                })
        }

        /// Browses until these services have come.
        private func browse(
            _ lab: Lab, _ host: Int, _ names: Set<String>
        ) async throws -> LiveProgram {
            let browser = try await lab.startMDNS(host, "browse", "--json", "_http._tcp")
            var expected = names
            while !expected.isEmpty {
                let added = try await browser.object { $0["event"]?.text == "added" }
                expected.remove(added["instance"]?.text ?? "")
            }
            return browser
        }

        private func reconfirm(
            _ lab: Lab, _ words: [String], from host: Int = 3
        ) async throws -> ChildProcess.Outcome {
            try await lab.mdns(host, ["reconfirm", "--json"] + words)
        }

        /// Event and type of each line, sorted.
        private func findings(_ outcome: ChildProcess.Outcome) -> [String] {
            outcome.text.split(separator: "\n").compactMap { line in
                guard let object = JSONValue(line.utf8), let event = object["event"]?.text,
                    let type = object["type"]?.text
                else { return nil }
                return "\(event) \(type)"
            }.sorted()
        }
    }
}
