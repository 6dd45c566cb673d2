import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("Sparing the link, together with peers")
    struct TrafficTests {
        @Test("M7-15 of avahi and ours one gives the answer that both have")
        func duplicateAnswers() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1, only: .ipv4)
                _ = try await lab.avahiPublish(1, "-s", "Theirs", "_http._tcp", "8080")
                _ = try await lab.publish(2, "--ipv4", "Ours", "_http._tcp", "8081")
                // Both have `_http._tcp` among the types, the very same record.
                let asked = try await lab.ask(
                    3,
                    ["_services._dns-sd._udp.local", "PTR", "--repeat", "8", "--gap", "1300"])
                let answers = asked.text.split(separator: "\n").count {
                    $0.contains(" answers ") && $0.hasSuffix(" _http._tcp.local")
                }
                // Once in some fifty times both speak in the same moment.
                #expect(answers >= 7 && answers <= 10, "\(asked.text)")
            }
        }

        @Test(
            "M7-14 a question that avahi asks is not asked by us as well", .timeLimit(.minutes(5)))
        func duplicateQuestions() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1, only: .ipv4)
                let alone = try await questions(lab, besideAvahi: false)
                let beside = try await questions(lab, besideAvahi: true)
                // After 0, 1, 3 and 7 seconds, if nobody else asks.
                #expect(alone >= 4)
                #expect(beside < alone)
            }
        }

        /// How often ours asks for a type in eight seconds.
        private func questions(_ lab: Lab, besideAvahi: Bool) async throws -> Int {
            let wire = try await lab.tcpdump(3)
            let type = besideAvahi ? "_beside._tcp" : "_alone._tcp"
            var theirs: LiveProgram?
            if besideAvahi {
                theirs = try await lab.start(1, ["avahi-browse", "-p", type])
                _ = try await wire.line { $0.contains("\(type).local.") }
            }
            _ = try await lab.mdns(2, "browse", "--ipv4", "--timeout", "8", type)
            await wire.process.terminate()
            await theirs?.terminate()
            var count = 0
            while (try? await wire.line {
                $0.contains(lab.address(2) + ".5353 >") && $0.contains("\(type).local.")
            }) != nil { count += 1 }
            return count
        }
    }
}
