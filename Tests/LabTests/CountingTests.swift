import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("Counters of a link with peers")
    struct CountingTests {
        @Test("What peers send is counted, told as text with its meaning and as one object")
        func counters() async throws {
            try await Lab.with(3) { lab in
                let words = ["monitor", "--stats", "--count", "8", "--timeout", "20"]
                let asText = try await lab.start(2, [LabAvailability.mdns] + words)
                let asJSON = try await lab.start(3, [LabAvailability.mdns] + words + ["--json"])
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080")
                let object = try await asJSON.object { _ in true }
                #expect(await asJSON.process.waitForExit().isSuccess)
                let received = try #require(object["received"]?.integer)
                let queries = try #require(object["queriesReceived"]?.integer)
                let responses = try #require(object["responsesReceived"]?.integer)
                #expect(received >= 8 && queries > 0 && responses > 0)
                #expect(queries + responses == received)
                for trouble in ["damaged", "malformedMessages", "lostByKernel", "sent"] {
                    #expect(object[trouble]?.integer == 0, "\(trouble)")
                }
                let line = try await asText.line { $0.hasPrefix("received\t") }
                let parts = line.split(separator: "\t")
                #expect(parts.count == 3)
                #expect(parts.count > 1 && Int(parts[1]).map { $0 >= 8 } == true, "\(line)")
            }
        }
    }
}
