import LinuxNetworking
import ProcessSupport
import TestSupport
import Testing

extension LabTests {
    @Suite("A network that changes")
    struct ChangeTests {
        @Test("M5-22 M8-1 with the cable back in we ask for unicast first, and probe anew")
        func cable() async throws {
            try await Lab.with(3) { lab in
                _ = try await lab.zeroconfPublish(3, "Theirs", "_http._tcp", "81", "@only=v4")
                let browser = try await lab.startMDNS(
                    1, "browse", "--json", "--ipv4", "_http._tcp")
                let added = { (event: JSONValue) in event["event"]?.text == "added" }
                #expect(try await browser.object(added)["instance"]?.text == "Theirs")
                try await lab.setCable(1, isIn: false)
                let removed = try await browser.object { $0["event"]?.text == "removed" }
                #expect(removed["instance"]?.text == "Theirs")
                let wire = try await lab.tcpdump(2)
                try await lab.setCable(1, isIn: true)
                let from = lab.address(1) + ".5353 >"
                let asked = try await wire.line { $0.contains(from) && $0.contains("_http._tcp") }
                #expect(asked.contains("PTR (QU)? _http._tcp.local."), "\(asked)")
                #expect(try await browser.object(added)["instance"]?.text == "Theirs")
                let again = try await wire.line { $0.contains(from) && $0.contains("_http._tcp") }
                #expect(again.contains("PTR (QM)? _http._tcp.local."), "\(again)")
            }
        }

        @Test("M8-1 what we publish is probed and announced when the cable is back in")
        func cableOfPublisher() async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(1, "--ipv4", "Web", "_http._tcp", "8080")
                try await lab.setCable(1, isIn: false)
                let wire = try await lab.tcpdump(2)
                try await lab.setCable(1, isIn: true)
                for _ in 0..<3 {
                    let probe = try await wire.line { $0.contains(lab.address(1) + ".5353 >") }
                    #expect(probe.contains("ANY (QU)? Web._http._tcp.local."), "\(probe)")
                }
                let said = try await wire.line { $0.contains(lab.address(1) + ".5353 >") }
                #expect(said.contains("PTR Web._http._tcp.local."), "\(said)")
            }
        }

        @Test("M8-39 an address that comes is announced and found by peers, one that goes is gone")
        func addresses() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(2, only: .ipv4)
                _ = try await lab.publish(
                    1, "--ipv4", "Web", "_http._tcp", "8080", "--host-suffix", "wire")
                let ours = try await lab.startMDNS(
                    3, "browse", "--resolve", "--json", "--ipv4", "_http._tcp")
                _ = try await ours.object { Self.addresses($0) == ["10.77.0.1"] }
                let wire = try await lab.tcpdump(3)
                try await lab.run(1, "ip", "addr", "add", "10.77.0.201/24", "dev", "lan0")
                let said = try await wire.line {
                    $0.contains(lab.address(1) + ".5353 >") && $0.contains("A 10.77.0.201")
                }
                #expect(said.contains("(Cache flush) A 10.77.0.1,"), "\(said)")
                #expect(said.contains("(Cache flush) A 10.77.0.201"), "\(said)")
                _ = try await ours.object { Self.addresses($0) == ["10.77.0.1", "10.77.0.201"] }
                let name = try await lab.run(2, "avahi-resolve", "-a", "10.77.0.201")
                #expect(name.text.contains("h1-wire.local"), "\(name.errorText)")
                try await lab.run(1, "ip", "addr", "del", "10.77.0.201/24", "dev", "lan0")
                _ = try await ours.object { Self.addresses($0) == ["10.77.0.1"] }
            }
        }

        @Test("M9-5 M9-8 a host name that avahi has is avahi's; ours gets a number, and it is told")
        func hostRename() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(2, "host-name=h1-same")
                let ours = try await lab.start(
                    1,
                    [LabAvailability.mdns, "publish", "--json", "--host-suffix", "same"]
                        + ["Web", "_http._tcp", "8080"])
                let renamed = try await ours.object { $0["event"]?.text == "hostRenamed" }
                #expect(renamed["instance"]?.text == "Web")
                let established = try await ours.object { $0["event"]?.text == "established" }
                #expect(established["host"]?.text == "h1-same-2.local")
                let found = try await lab.mdns(3, "resolve", "--json", "Web", "_http._tcp")
                let object = try #require(JSONValue(found.output), "\(found.errorText)")
                #expect(object["host"]?.text == "h1-same-2.local")
                for (name, address) in [("h1-same", 2), ("h1-same-2", 1)] {
                    let host = try await lab.run(2, "avahi-resolve", "-4", "-n", "\(name).local")
                    #expect(host.text == "\(name).local\t\(lab.address(address))\n")
                }
            }
        }

        @Test("M9-2 a host name that we have stays ours; avahi takes another")
        func hostNameKept() async throws {
            try await Lab.with(2) { lab in
                _ = try await lab.publish(
                    1, "Web", "_http._tcp", "8080", "--host-suffix", "same")
                try await lab.avahi(2, "host-name=h1-same")
                let host = try await lab.run(2, "avahi-resolve", "-4", "-n", "h1-same.local")
                #expect(host.text == "h1-same.local\t10.77.0.1\n", "\(host.errorText)")
                let other = try await lab.mdns(
                    1, "lookup", "--json", "--ipv4", "h1-same-2.local")
                #expect(other.text.contains("10.77.0.2"), "\(other.errorText)")
            }
        }

        static func addresses(_ object: JSONValue) -> [String] {
            (object["addresses"]?.elements.compactMap(\.text) ?? []).sorted()
        }
    }

    @Suite("Types and domains")
    struct EnumerationTests {
        @Test("S9-1 peers list the types that we publish")
        func types() async throws {
            try await Lab.with(3) { lab in
                try await lab.avahi(2)
                _ = try await lab.publish(1, "Ours", "_vicinity._tcp", "8080")
                let theirs = try await lab.run(2, "avahi-browse", "-apt")
                #expect(theirs.text.contains(";Ours;_vicinity._tcp;local"), "\(theirs.text)")
                let script = """
                    from zeroconf import ZeroconfServiceTypes
                    print("\\n".join(ZeroconfServiceTypes.find(timeout=3)))
                    """
                let listed = try await lab.run(3, "python3", "-c", script)
                #expect(
                    listed.text.split(separator: "\n").contains("_vicinity._tcp.local."),
                    "\(listed.text)\(listed.errorText)")
            }
        }

        @Test("S11-1 we read the domain that avahi recommends for browsing")
        func domains() async throws {
            try await Lab.with(2) { lab in
                // It recommends none if its own is the usual one.
                try await lab.avahi(1, "domain-name=home.local")
                let outcome = try await lab.mdns(
                    2, "query", "b._dns-sd._udp.local", "PTR", "--json", "--count", "1")
                let object = try #require(JSONValue(outcome.output), "\(outcome.errorText)")
                #expect(object["rdata"]?.text == "home.local")
            }
        }
    }
}
