import LinuxNetworking
import MDNS
import TestSupport
import Testing

@Suite("The README")
struct ReadmeTests {
    private func lines(_ path: String) throws -> [Substring] {
        let bytes = try SystemFile.read("\(ProjectFiles.root)/\(path)")
        return String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("Every Swift example is one that is compiled")
    func examples() throws {
        var blocks: [[Substring]] = []
        var block: [Substring]?
        for line in try lines("README.md") {
            if line == "```swift" {
                block = []
            } else if line == "```", let finished = block {
                blocks.append(finished)
                block = nil
            } else {
                block?.append(line)
            }
        }
        #expect(blocks.count == 5)
        let compiled = try ["MDNSTests", "PeerSessionTests"].flatMap {
            try lines("Tests/\($0)/ReadmeExamples.swift")
        }.joined(separator: "\n")
        for block in blocks {
            let code = block.joined(separator: "\n")
            #expect(compiled.contains(code), "not compiled: \(code)")
        }
    }

    @Test("An example does what it says", .makesNetworks)
    func offers() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let registration = try await offerWebServer(on: node)
            #expect(
                try await registration.established().description
                    == "My Web Server._http._tcp.local")
            #expect(try await address(ofPrinter: "None", on: node) == nil)
        }
    }
}
