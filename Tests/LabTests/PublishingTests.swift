import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("Ours, found by peers")
    struct PublishingTests {
        @Test("avahi-browse finds and resolves what we publish", arguments: Family.allCases)
        func avahiFindsOurs(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(2)
                let ours = try await lab.publish(
                    1, family.option, "Web", "_http._tcp", "8080", "path=/")
                let listing = try await avahiBrowse(lab, "_http._tcp")
                #expect(
                    listing.entries == [
                        AvahiListing.Entry(
                            interface: "lan0", family: family.name, instance: "Web",
                            type: "_http._tcp", host: try await hostName(lab),
                            address: lab.address(1, family), port: "8080", txt: ["path=/"])
                    ])
                await ours.terminate()
            }
        }

        @Test("python-zeroconf finds and resolves what we publish", arguments: Family.allCases)
        func zeroconfFindsOurs(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                let browser = try await lab.zeroconfBrowse(
                    2, "_http._tcp", family == .ipv4 ? "--v4" : "--v6")
                _ = try await lab.publish(1, family.option, "Web", "_http._tcp", "8080", "path=/")
                let found = try await browser.object { $0["port"] != nil }
                #expect(found["name"]?.text == "Web._http._tcp.local.")
                #expect(found["port"]?.integer == 8080)
                #expect(found["txt"]?["path"]?.text == "2f")
                let addresses = found["addresses"]?.elements.compactMap(\.text) ?? []
                #expect(addresses.contains { $0.hasPrefix(lab.address(1, family)) })
            }
        }

        @Test("A host that we publish resolves with avahi, both ways", arguments: Family.allCases)
        func avahiResolvesHost(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(2)
                _ = try await lab.publish(1, family.option, "Web", "_http._tcp", "8080")
                let host = try await hostName(lab)
                let number = family == .ipv4 ? "-4" : "-6"
                let forward = try await lab.run(2, "avahi-resolve", number, "-n", host)
                #expect(words(forward.text) == [host, lab.address(1, family)])
                let backward = try await lab.run(
                    2, "avahi-resolve", "-a", lab.address(1, family))
                #expect(words(backward.text) == [lab.address(1, family), host])
            }
        }

        @Test("TXT records of every shape reach avahi")
        func avahiReadsTXT() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(2)
                _ = try await publishTXT(lab)
                let listing = try await avahiBrowse(lab, "_http._tcp")
                #expect(!listing.entries.isEmpty)
                for entry in listing.entries {
                    #expect(
                        entry.txt == [
                            "none", "empty=", "text=/a b", "utf8=gr\\195\\188n",
                            "binary=\\000\\001\\255\\254", "long=" + TXTShapes.long,
                        ])
                }
            }
        }

        @Test("TXT records of every shape reach python-zeroconf")
        func zeroconfReadsTXT() async throws {
            try await Lab.with(2) { lab in
                let browser = try await lab.zeroconfBrowse(2, "_http._tcp")
                _ = try await publishTXT(lab)
                let found = try await browser.object { $0["txt"] != nil }
                #expect(found["txt"] == TXTShapes.inHexadecimal)
            }
        }

        @Test("Names keep dots, backslashes, spaces and UTF-8", arguments: InstanceNames.all)
        func names(_ name: String) async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(2)
                let browser = try await lab.zeroconfBrowse(3, "_http._tcp")
                _ = try await lab.publish(1, name, "_http._tcp", "8080")
                let listing = try await avahiBrowse(lab, "_http._tcp")
                #expect(listing.entries.map(\.instance) == [name, name])
                let found = try await browser.object { $0["port"] != nil }
                #expect(found["name"]?.text == name + "._http._tcp.local.")
            }
        }

        @Test("Peers find ours by subtype, and under the type itself")
        func subtypes() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(2)
                let browser = try await lab.zeroconfBrowse(3, "_printer._sub._http._tcp")
                _ = try await lab.publish(
                    1, "Laser", "_http._tcp", "8080", "--subtype", "_printer", "--subtype",
                    "_color")
                for type in ["_printer._sub._http._tcp", "_color._sub._http._tcp", "_http._tcp"] {
                    let listing = try await avahiBrowse(lab, type)
                    #expect(listing.entries.map(\.instance) == ["Laser", "Laser"], "\(type)")
                }
                let other = try await avahiBrowse(lab, "_scanner._sub._http._tcp")
                #expect(other.entries.isEmpty)
                _ = try await browser.object {
                    $0["name"]?.text?.hasPrefix("Laser.") == true
                }
            }
        }

        @Test("Our goodbye is seen by both peers", arguments: ["TERM", "INT"])
        func goodbye(_ signal: String) async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(2)
                let avahi = try await lab.start(
                    2, ["stdbuf", "-oL", "avahi-browse", "-pk", "_http._tcp"])
                let zeroconf = try await lab.zeroconfBrowse(3, "_http._tcp")
                let ours = try await lab.publish(1, "Web", "_http._tcp", "8080")
                _ = try await avahi.line { $0.hasPrefix("+;lan0;IPv4;Web;") }
                _ = try await zeroconf.object { $0["event"]?.text == "added" }
                let status = signal == "TERM" ? await ours.terminate() : await ours.interrupt()
                #expect(status.isSuccess)
                // The peers would keep the record for more than an hour otherwise.
                _ = try await avahi.line { $0.hasPrefix("-;lan0;IPv4;Web;") }
                _ = try await zeroconf.object { $0["event"]?.text == "removed" }
            }
        }

        @Test("A service that we publish for another host resolves to that host's addresses")
        func proxy() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(2)
                _ = try await lab.publish(
                    1, "Laser", "_ipp._tcp", "631", "--host", "laser.local", "--address",
                    "10.77.0.200", "--address", "fe80::ff:fe4d:c8")
                let listing = try await avahiBrowse(lab, "_ipp._tcp")
                #expect(Set(listing.entries.map(\.host)) == ["laser.local"])
                let addresses = Set(listing.entries.map(\.address))
                #expect(addresses.isSubset(of: ["10.77.0.200", "fe80::ff:fe4d:c8"]))
                let resolved = try await lab.run(2, "avahi-resolve", "-4", "-n", "laser.local")
                #expect(words(resolved.text) == ["laser.local", "10.77.0.200"])
            }
        }

        private func publishTXT(_ lab: Lab) async throws -> LiveProgram {
            try await lab.publish(
                1, "Web", "_http._tcp", "8080", "none", "empty=", "text=/a b", "utf8=grün",
                "binary=hex:0001fffe", "long=" + TXTShapes.long)
        }

        /// The name of host 1 as `mdns publish` says it.
        private func hostName(_ lab: Lab) async throws -> String {
            let outcome = try await lab.mdns(
                2, "browse", "--resolve", "--json", "--count", "1", "--timeout", "10",
                "_http._tcp")
            let object = try #require(JSONValue(outcome.output))
            return try #require(object["host"]?.text)
        }

        private func avahiBrowse(_ lab: Lab, _ type: String) async throws -> AvahiListing {
            AvahiListing(try await lab.run(2, "avahi-browse", "-rptk", type).text)
        }

        private func words(_ text: String) -> [String] {
            text.split { $0 == "\t" || $0 == "\n" }.map(String.init)
        }
    }
}

/// Every shape of value that a TXT record can have.
enum TXTShapes {
    /// With the key and the sign, 205 bytes.
    static let long = String(repeating: "0123456789", count: 20)

    /// As `zc_browse.py` shows them.
    static let inHexadecimal = JSONValue.object([
        "none": .null, "empty": .string(""), "text": .string("2f612062"),
        "utf8": .string("6772c3bc6e"), "binary": .string("0001fffe"),
        "long": .string(String(repeating: "30313233343536373839", count: 20)),
    ])

    /// As `mdns` shows them.
    static let asOurs = JSONValue.object([
        "none": .null, "empty": .string(""), "text": .string("/a b"), "utf8": .string("grün"),
        "binary": .object(["hex": .string("0001fffe")]), "long": .string(long),
    ])
}

enum InstanceNames {
    static let all = [
        "Dr. Dre's 2.0 Server.", #"C:\temp\new"#, "  led by spaces", "Grüße, 日本語 🖨",
        #" a.b\c. "#,
    ]
}
