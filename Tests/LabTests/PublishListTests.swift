import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("Lists of services that are published")
    struct PublishListTests {
        private static let web =
            #"{"instance": "Web", "type": "_http._tcp", "port": 80, "txt": {"v": "1"}}"#
        private static let laser = #"{"instance": "Laser", "type": "_ipp._tcp", "port": 631}"#
        private static let shell = #"{"instance": "Shell", "type": "_ssh._tcp", "port": 22}"#

        /// What avahi finds of the three types: name, port and attributes.
        private func found(_ lab: Lab) async throws -> [String] {
            var found: Set<String> = []
            for type in ["_http._tcp", "_ipp._tcp", "_ssh._tcp"] {
                let listing = try await lab.run(2, "avahi-browse", "-rptk", type)
                for entry in AvahiListing(listing.text).entries {
                    let words = [entry.instance, entry.port] + entry.txt.sorted()
                    found.insert(words.joined(separator: " "))
                }
            }
            return found.sorted()
        }

        @Test("A list is published but for its bad line; SIGHUP changes what differs")
        func readAgain() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(2)
                let path = "\(lab.folder)/services.jsonl"
                let first = [Self.web, "oops", Self.laser, Self.shell]
                try SystemFile.write(first.joined(separator: "\n"), to: path)
                let ours = try await lab.startMDNS(1, "publish", "--from", path, "--json")
                let complaint = try await ours.errorLine { $0.contains(":2:") }
                #expect(
                    complaint
                        == "mdns: \(path):2: no JSON at column 1: no value begins like this")
                var names: Set<String> = []
                while names.count < 3 {
                    let event = try await ours.object { $0["event"]?.text == "established" }
                    names.insert(event["instance"]?.text ?? "")
                }
                #expect(try await found(lab) == ["Laser 631", "Shell 22", "Web 80 v=1"])

                let second = [
                    Self.web.replacing(#""1""#, with: #""2""#),
                    Self.laser.replacing("631", with: "632"),
                ]
                try SystemFile.write(second.joined(separator: "\n"), to: path)
                await ours.process.hangUp()
                var events: [String] = []
                while events.last != "established Laser" {
                    let event = try await ours.object { $0["instance"] != nil }
                    events.append(
                        "\(event["event"]?.text ?? "") \(event["instance"]?.text ?? "")")
                }
                #expect(
                    Set(events) == [
                        "withdrawn Laser", "withdrawn Shell", "probing Laser", "established Laser",
                    ])
                #expect(try await found(lab) == ["Laser 632", "Web 80 v=2"])
                let browser = try await lab.start(
                    2, ["stdbuf", "-oL", "avahi-browse", "-pk", "_http._tcp"])
                _ = try await browser.line { $0.hasPrefix("+;") && $0.contains("Web") }
                #expect(await ours.terminate().isSuccess)
                _ = try await browser.line { $0.hasPrefix("-;") && $0.contains("Web") }
                await browser.terminate()
            }
        }

        @Test("A list that is gone when it is to be read again leaves all as it was")
        func gone() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(2)
                let path = "\(lab.folder)/services.jsonl"
                try SystemFile.write(Self.web, to: path)
                let ours = try await lab.publish(1, "--from", path)
                try SystemFile.remove(path)
                await ours.process.hangUp()
                _ = try await ours.errorLine { $0.hasSuffix("the services stay as they were") }
                #expect(try await found(lab) == ["Web 80 v=1"])
                await ours.terminate()
            }
        }
    }
}
