import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    /// What a peer that is no responder at all sees: raw questions and negative responses.
    @Suite("Seen on the wire")
    struct WireTests {
        @Test("M6-5 every type that an own name lacks gets a negative response")
        func absentTypes() async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(
                    1, "Web", "_http._tcp", "8080", "--host-suffix", "wire")
                let absent = [
                    ("Web._http._tcp.local", ["A", "AAAA", "PTR", "CNAME", "NS", "HINFO"]),
                    ("h1-wire.local", ["SRV", "TXT", "PTR", "CNAME", "NS", "HINFO"]),
                    ("1.0.77.10.in-addr.arpa", ["A", "AAAA", "SRV", "TXT", "HINFO"]),
                ]
                for (name, types) in absent {
                    for type in types {
                        let asked = try await lab.ask(2, [name, type, "--qu", "--wait", "0.5"])
                        #expect(
                            asked.text.contains("answers \(name) NSEC 120 True"),
                            "\(type): \(asked.text)")
                    }
                }
                // Names that are shared, or nobody's, get none.
                for name in ["_http._tcp.local", "nobody.local"] {
                    let asked = try await lab.ask(2, [name, "A", "--wait", "0.5"])
                    #expect(!asked.text.contains("response"), "\(asked.text)")
                }
            }
        }

        @Test("M6-47 M6-44 the answers to several questions share a packet")
        func aggregation() async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(
                    1, "Web", "_http._tcp", "8080", "--host-suffix", "wire")
                // The announcements' second has to be over.
                _ = try await lab.ask(2, ["nobody.local", "A", "--wait", "2.5"])
                let asked = try await lab.ask(
                    2,
                    ["Web._http._tcp.local", "SRV", "Web._http._tcp.local", "TXT"]
                        + ["h1-wire.local", "A", "_http._tcp.local", "PTR"])
                let lines = asked.text.split(separator: "\n")
                #expect(lines.count { $0.contains(" response from ") } == 1, "\(asked.text)")
                #expect(lines.count { $0.contains(" answers ") } == 4, "\(asked.text)")
            }
        }

        @Test("M6-21 a record is multicast once a second however often it is asked for")
        func oneSecond() async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(1, "Web", "_http._tcp", "8080")
                let asked = try await lab.ask(
                    2,
                    ["Web._http._tcp.local", "SRV", "--repeat", "20", "--gap", "150"])
                let times = Self.times(asked.text.split(separator: "\n"), " response from ")
                #expect(times.count >= 3, "\(asked.text)")
                for (next, last) in zip(times.dropFirst(), times) {
                    // Ten milliseconds for the way and the reader.
                    #expect(next - last >= 990, "\(asked.text)")
                }
            }
        }

        @Test("M7-12 known answers of several packets are all waited for and respected")
        func heedsManyKnownAnswers() async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(1, "Known 0199", "_ipp._tcp", "631")
                _ = try await lab.publish(1, "Web", "_http._tcp", "8080")
                // The announcements have to be over.
                _ = try await lab.ask(2, ["nobody.local", "A", "--wait", "2.5"])
                // 200 invented answers in nine packets; one of the last is true.
                let known = try await lab.ask(2, ["_ipp._tcp.local", "PTR", "--many", "200"])
                #expect(!known.text.contains("Known 0199"), "\(known.text)")
                let other = try await lab.ask(2, ["_http._tcp.local", "PTR", "--many", "200"])
                let lines = other.text.split(separator: "\n")
                #expect(lines.contains { $0.contains("PTR") && $0.contains(" Web._http") })
                // Not before the last of them has come (RFC 6762 §7.2).
                let first = try #require(Self.times(lines, " response from ").first)
                #expect(first >= 400)
            }
        }

        @Test("M7-7 M7-8 what we know goes out in several packets, and peers are silent about it")
        func sendsManyKnownAnswers() async throws {
            try await Lab.with(3) { lab in
                let peer = try await lab.start(
                    1,
                    ["python3", "-u", "\(ProjectFiles.root)/Tests/Lab/zc_publish.py"]
                        + ["--count", "80", "Unit", "_lab._tcp", "4000"])
                _ = try await peer.line { $0.hasPrefix("registered") }
                let wire = try await lab.tcpdump(3)
                let browser = try await lab.startMDNS(
                    2, "browse", "--json", "--ipv4", "--timeout", "5", "_lab._tcp")
                // 0x200 is TC as tcpdump has it.
                let question = try await wire.line {
                    $0.contains(lab.address(2) + ".5353 >") && $0.contains("=0x200")
                        && $0.contains("PTR (QM)? _lab._tcp.local.")
                }
                let rest = try await wire.line { $0.contains(lab.address(2) + ".5353 >") }
                #expect(rest.contains("[0q]"), "\(rest)")
                let counts = [question, rest].map { line in
                    line.split { $0 == "[" || $0 == "]" }.first { $0.hasSuffix("a") }
                        .flatMap { Int($0.dropLast()) } ?? 0
                }
                #expect(counts.reduce(0, +) == 80, "\(question) \(rest)")
                #expect(await browser.process.waitForExit().isSuccess)
                await wire.process.terminate()
                let repeated = try? await wire.line {
                    $0.contains(lab.address(1) + ".5353 >") && $0.contains("PTR Unit")
                }
                #expect(repeated == nil)
            }
        }

        @Test("M8-5 the host's name and the service's are probed in one message, three times")
        func probedTogether() async throws {
            try await Lab.with(2) { lab in
                let wire = try await lab.tcpdump(2)
                _ = try await lab.publish(
                    1, "Web", "_http._tcp", "8080", "--host-suffix", "wire", "--ipv4")
                for _ in 0..<3 {
                    let probe = try await wire.line { $0.contains("ANY (QU)?") }
                    #expect(probe.contains("ANY (QU)? h1-wire.local."), "\(probe)")
                    #expect(probe.contains("ANY (QU)? Web._http._tcp.local."), "\(probe)")
                }
                let announcement = try await wire.line { $0.contains(lab.address(1) + ".5353 >") }
                #expect(announcement.contains("(Cache flush) SRV h1-wire.local.:8080"))
            }
        }

        @Test("M8-16 a peer in conflict with every name meets one attempt in five seconds at most")
        func conflictBrake() async throws {
            try await Lab.with(2) { lab in
                let denier = try await lab.start(
                    2, ["python3", "-u", "\(ProjectFiles.root)/Tests/Lab/deny.py", "26"])
                _ = try await denier.line { $0 == "listening" }
                let ours = try await lab.startMDNS(
                    1, "publish", "--json", "--ipv4", "Web", "_http._tcp", "8080")
                var times: [Double] = []
                while let line = try? await denier.line({ $0.contains("_http._tcp") }) {
                    if let time = line.split(separator: " ").first.flatMap({ Double($0) }) {
                        times.append(time)
                    }
                }
                await ours.process.terminate()
                // Each probe has two conflicts, so the eighth begins the rate limit.
                #expect(times.count >= 10, "\(times)")
                let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
                let first = gaps.firstIndex { $0 >= 4.99 }
                #expect(first.map { $0 <= 8 } == true, "\(times)")
                #expect(gaps.dropFirst(first ?? 0).allSatisfy { $0 >= 4.99 }, "\(times)")
            }
        }

        /// The milliseconds that `ask.py` gives the lines with these words.
        static func times(_ lines: [Substring], _ words: String) -> [Double] {
            lines.filter { $0.contains(words) }.compactMap {
                $0.split(separator: " ").first.flatMap { Double($0) }
            }
        }
    }
}
