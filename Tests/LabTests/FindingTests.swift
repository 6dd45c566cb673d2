import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("Peers, found by ours")
    struct FindingTests {
        @Test("We find and resolve what avahi publishes", arguments: Family.allCases)
        func avahiFound(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(1, only: family)
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080", "path=/")
                let found = try await browseOne(lab, family)
                expect(
                    found, host: "h1.local", address: lab.address(1, family),
                    txt: .object(["path": .string("/")]))
                let resolved = try await lab.mdns(
                    2, "resolve", "--json", family.option, "Web", "_http._tcp")
                #expect(resolved.status.isSuccess)
                expect(
                    try #require(JSONValue(resolved.output)), host: "h1.local",
                    address: lab.address(1, family), txt: .object(["path": .string("/")]))
            }
        }

        @Test("We find and resolve what python-zeroconf publishes", arguments: Family.allCases)
        func zeroconfFound(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.zeroconfPublish(
                    1, "Web", "_http._tcp", "8080", "path=/",
                    family == .ipv4 ? "@only=v4" : "@only=v6")
                let found = try await browseOne(lab, family)
                expect(
                    found, host: "h1.local", address: lab.address(1, family),
                    txt: .object(["path": .string("/")]))
            }
        }

        @Test("We read avahi's TXT records of every shape")
        func avahiTXT() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(1)
                let strings = [
                    "none", "empty=", "text=/a b", "utf8=grün", "hex:62696e6172793d0001fffe",
                    "long=" + TXTShapes.long,
                ]
                _ = try await lab.start(
                    1,
                    ["python3", "\(ProjectFiles.root)/Tests/Lab/avahi_txt.py", "Web", "_http._tcp"]
                        + ["8080", strings.joined(separator: ",")])
                #expect(try await browseOne(lab, .ipv4)["txt"] == TXTShapes.asOurs)
            }
        }

        @Test("We read python-zeroconf's TXT records of every shape")
        func zeroconfTXT() async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.zeroconfPublish(
                    1, "Web", "_http._tcp", "8080", "none", "empty=", "text=/a b", "utf8=grün",
                    "binary=hex:0001fffe", "long=" + TXTShapes.long)
                #expect(try await browseOne(lab, .ipv4)["txt"] == TXTShapes.asOurs)
            }
        }

        @Test("We tell that a TXT record changed", arguments: Family.allCases)
        func changed(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                let browser = try await lab.startMDNS(
                    2, "browse", "--resolve", "--json", family.option, "_http._tcp")
                let peer = try await lab.zeroconfPublish(1, "Web", "_http._tcp", "8080", "a=1")
                let added = try await browser.object { $0["event"]?.text == "added" }
                #expect(added["txt"] == .object(["a": .string("1")]))
                await peer.process.send(signal: 1)
                let changed = try await browser.object {
                    $0["event"]?.text == "changed" && $0["txt"]?["rev"] != nil
                }
                #expect(changed["txt"] == .object(["a": .string("1"), "rev": .string("2")]))
            }
        }

        @Test("We keep dots, backslashes, spaces and UTF-8 in names", arguments: InstanceNames.all)
        func names(_ name: String) async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", name, "_http._tcp", "8080")
                var services = [("_http._tcp", 8080)]
                // python-zeroconf cuts a name into labels at each dot.
                if !name.contains(".") {
                    _ = try await lab.zeroconfPublish(2, name, "_ipp._tcp", "631")
                    services.append(("_ipp._tcp", 631))
                }
                for (type, port) in services {
                    let outcome = try await lab.mdns(3, "resolve", "--json", name, type)
                    let object = try #require(JSONValue(outcome.output), "\(outcome.errorText)")
                    #expect(object["instance"]?.text == name)
                    #expect(object["port"]?.integer == port)
                }
            }
        }

        @Test("We find peers by subtype")
        func subtypes() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(
                    1, "--subtype=_printer._sub._http._tcp", "-s", "Laser", "_http._tcp", "8080")
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "80")
                _ = try await lab.zeroconfPublish(
                    2, "Ink", "_http._tcp", "8081", "@subtype=_printer")
                let outcome = try await lab.mdns(
                    3, "browse", "--json", "--ipv4", "--timeout", "3",
                    "_printer._sub._http._tcp")
                let names = outcome.text.split(separator: "\n").compactMap {
                    JSONValue($0.utf8)?["instance"]?.text
                }
                #expect(names.sorted() == ["Ink", "Laser"])
            }
        }

        @Test("We look hosts up by name and by address", arguments: Family.allCases)
        func lookup(_ family: Family) async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(1, only: family)
                let forward = try await lab.mdns(
                    2, "lookup", "--json", family.option, "h1.local", "--count", "1")
                #expect(forward.status.isSuccess)
                let answer = try #require(JSONValue(forward.output), "\(forward.errorText)")
                #expect(answer["host"]?.text == "h1.local")
                #expect(answer["address"]?.text?.hasPrefix(lab.address(1, family)) == true)
                let backward = try await lab.mdns(
                    2, "lookup", "--json", family.option, lab.address(1, family), "--count", "1")
                let name = try #require(JSONValue(backward.output), "\(backward.errorText)")
                #expect(name["host"]?.text == "h1.local")
            }
        }

        @Test("A host that nobody has is not found, with exit status 1")
        func notFound() async throws {
            try await Lab.with(1) { lab in
                let outcome = try await lab.mdns(1, "lookup", "nobody.local", "--timeout", "1")
                #expect(outcome.status == .exited(1))
            }
        }

        @Test("We list the types that peers publish")
        func types() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080")
                _ = try await lab.zeroconfPublish(2, "Laser", "_ipp._tcp", "631")
                let outcome = try await lab.mdns(3, "types", "--json", "--timeout", "3")
                let types = outcome.text.split(separator: "\n").compactMap {
                    JSONValue($0.utf8)?["type"]?.text
                }
                #expect(Set(types).isSuperset(of: ["_http._tcp", "_ipp._tcp"]))
            }
        }

        @Test("We see the goodbyes of both peers", arguments: Family.allCases)
        func goodbye(_ family: Family) async throws {
            try await Lab.with(3) { lab in
                let browser = try await lab.startMDNS(
                    3, "browse", "--json", family.option, "_http._tcp")
                try await lab.avahi(1)
                let avahi = try await lab.avahiPublish(1, "-s", "A", "_http._tcp", "8080")
                let zeroconf = try await lab.zeroconfPublish(2, "Z", "_http._tcp", "8081")
                var expected: Set = ["A", "Z"]
                while !expected.isEmpty {
                    let added = try await browser.object { $0["event"]?.text == "added" }
                    expected.remove(added["instance"]?.text ?? "")
                }
                await avahi.terminate()
                let first = try await browser.object { $0["event"]?.text == "removed" }
                #expect(first["instance"]?.text == "A")
                await zeroconf.terminate()
                let second = try await browser.object { $0["event"]?.text == "removed" }
                #expect(second["instance"]?.text == "Z")
            }
        }

        @Test("Control characters from the network are never printed raw")
        func controlCharacters() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(
                    1, "-s", "Evil \u{1B}[31m", "_http._tcp", "8080", "key=\u{1B}]0;title\u{07}")
                let outcome = try await lab.mdns(
                    2, "browse", "--resolve", "--count", "1", "--timeout", "10", "_http._tcp")
                #expect(outcome.status.isSuccess)
                #expect(outcome.text.contains("Evil"))
                let controls = outcome.output.filter { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 }
                #expect(controls.isEmpty, "\(outcome.output)")
            }
        }

        @Test("Any record can be asked for")
        func query() async throws {
            try await Lab.with(2) { lab in
                try await lab.avahi(1)
                _ = try await lab.avahiPublish(1, "-s", "Web", "_http._tcp", "8080")
                let outcome = try await lab.mdns(
                    2, "query", "Web._http._tcp.local", "SRV", "--json", "--count", "1")
                let object = try #require(JSONValue(outcome.output), "\(outcome.errorText)")
                #expect(object["name"]?.text == "Web._http._tcp.local")
                #expect(object["type"]?.text == "SRV")
            }
        }

        /// The first service that `mdns browse --resolve` tells of.
        private func browseOne(_ lab: Lab, _ family: Family) async throws -> JSONValue {
            let outcome = try await lab.mdns(
                2, "browse", "--resolve", "--json", "--count", "1", "--timeout", "10",
                family.option, "_http._tcp")
            #expect(outcome.status.isSuccess)
            return try #require(JSONValue(outcome.output), "\(outcome.errorText)")
        }

        private func expect(
            _ object: JSONValue, host: String, address: String, txt: JSONValue,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let words = ["instance", "type", "domain", "interface"].map { object[$0]?.text }
            #expect(
                words == ["Web", "_http._tcp", "local", "lan0"], sourceLocation: sourceLocation)
            #expect(object["host"]?.text == host, sourceLocation: sourceLocation)
            #expect(object["port"]?.integer == 8080, sourceLocation: sourceLocation)
            let addresses = object["addresses"]?.elements.compactMap(\.text) ?? []
            #expect(
                addresses.contains { $0.hasPrefix(address) }, "\(addresses)",
                sourceLocation: sourceLocation)
            #expect(object["txt"] == txt, sourceLocation: sourceLocation)
        }
    }
}
