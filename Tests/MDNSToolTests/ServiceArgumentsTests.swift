import MDNS
import Testing

@testable import MDNSTool

@Suite("What is browsed and published")
struct ServiceArgumentsTests {
    private func description(_ words: String...) throws -> ServiceDescription {
        try ServiceArguments.description(try CommandLineParser.parse(words, for: .publish))
    }

    @Test("Types with and without subtype and domain")
    func types() throws {
        let http = try BrowsedType("_http._tcp")
        #expect(http.type.description == "_http._tcp" && http.subtype == nil)
        #expect(try BrowsedType("_http._tcp.local.") == http)
        let printer = try BrowsedType("_printer._sub._http._tcp.local")
        #expect(printer.type == http.type)
        #expect(printer.subtype?.label.text == "_printer")
        #expect(throws: MDNSError.self) { try BrowsedType("http") }
        #expect(throws: MDNSError.self) { try BrowsedType("a.b._sub._http._tcp") }
    }

    @Test("The four shapes of an attribute")
    func attributes() throws {
        let txt = try ServiceArguments.txt(["flag", "empty=", "path=/a=b", "bin=hex:00ff"])
        #expect(txt["flag"] == TXTRecord.Value.none)
        #expect(txt["empty"] == .bytes([]))
        #expect(txt["path"]?.text == "/a=b")
        #expect(txt["bin"] == .bytes([0, 255]))
        #expect(txt["absent"] == nil)
        #expect(throws: UsageError.self) { try ServiceArguments.txt(["bin=hex:0"]) }
        #expect(throws: MDNSError.self) { try ServiceArguments.txt(["=value"]) }
    }

    @Test("A service for another host")
    func proxy() throws {
        let service = try description(
            "Laser", "_ipp._tcp", "631", "--host", "laser", "--address", "192.0.2.1", "-a",
            "fe80::1",
            "--subtype", "color", "-s", "_duplex")
        #expect(service.host?.name.description == "laser.local")
        #expect(service.host?.addresses.map(\.description) == ["192.0.2.1", "fe80::1"])
        #expect(service.subtypes.map(\.description) == ["_color", "_duplex"])
        #expect(service.port == 631)
        #expect(throws: UsageError.self) {
            try description("Laser", "_ipp._tcp", "631", "--address", "192.0.2.1")
        }
        #expect(throws: UsageError.self) {
            try description("Laser", "_ipp._tcp", "631", "--host", "a", "--address", "192.0.2")
        }
    }

    @Test("port 0 is published, with a note that it can't be reached")
    func portZero() throws {
        let service = try description("X", "_printer._tcp", "0")
        #expect(service.port == 0 && service.allowsPortZero && !service.reservesNameOnly)
        let notes = ServiceArguments.notes(on: service)
        #expect(notes.count == 1 && notes.first?.contains("can't be reached") == true)
        let ordinary = try description("X", "_printer._tcp", "515")
        #expect(!ordinary.allowsPortZero && ServiceArguments.notes(on: ordinary).isEmpty)
        #expect(throws: UsageError.self) { try description("X", "_printer._tcp", "65536") }
    }

    @Test(
        "S7-2 a type against the rules is published with --lenient, and the rule is named",
        arguments: [
            ("_a-name-of-over-15._tcp", "at most 15"), ("_with_underscore._udp", "'_' at place"),
            ("_12._tcp", "no letter"),
        ])
    func lenientType(type: String, rule: String) throws {
        #expect(throws: MDNSError.self) { try description("X", type, "80") }
        let service = try description("X", type, "80", "--lenient")
        #expect(service.isLenient && service.type.description == type)
        let notes = ServiceArguments.notes(on: service)
        #expect(notes.count == 1 && notes.first?.contains(rule) == true)
        #expect(notes.first?.contains("RFC 6335") == true)
        let fine = try description("X", "_http._tcp", "80", "--lenient")
        #expect(ServiceArguments.notes(on: fine).isEmpty)
    }

    @Test("the reverse mappings of a proxy host can be left out")
    func reverseMappings() throws {
        let words = ["X", "_http._tcp", "80", "--host", "lamp", "--address", "192.0.2.1"]
        func host(_ more: [String]) throws -> ServiceDescription.ProxyHost? {
            let parsed = try CommandLineParser.parse(words + more, for: .publish)
            return try ServiceArguments.description(parsed).host
        }
        #expect(try host([])?.publishesReverseMapping == true)
        #expect(try host(["--no-reverse"])?.publishesReverseMapping == false)
        #expect(throws: UsageError.self) {
            try description("X", "_http._tcp", "80", "--no-reverse")
        }
    }

    @Test("A service is listed once something is known of it, and what changes later is told")
    func gate() throws {
        let name = try ServiceInstanceName("Web", type: ServiceType("_http._tcp"))
        let interface = InterfaceIndex(rawValue: 2)
        let location = ServiceLocation(target: try DomainName("box.local"), port: 80)
        let bare = ServiceInstance(name, on: interface)
        var full = bare
        full.resolution = .resolved(
            ResolvedService(name: name, interface: interface, location: location))
        var part = bare
        part.resolution = .partial(
            PartialService(
                name: name, interface: interface, missing: .addresses, location: location))
        var gate = ResolutionGate()
        #expect(gate.filter(.added(bare)) == nil)
        #expect(gate.filter(.changed(part)) == .added(part))
        #expect(gate.filter(.changed(full)) == .changed(full))
        #expect(gate.filter(.changed(part)) == .changed(part))
        #expect(gate.filter(.removed(full)) == .removed(full))
        #expect(gate.filter(.added(bare)) == nil)
        #expect(gate.filter(.removed(bare)) == nil)
    }

    @Test("What is missing of a service is named (field 03)")
    func failures() throws {
        let name = try ServiceInstanceName("Web", type: ServiceType("_http._tcp"))
        let interface = InterfaceIndex(rawValue: 2)
        func part(_ missing: PartialService.Missing, _ host: String?) throws -> String {
            let location = try host.map { ServiceLocation(target: try DomainName($0), port: 80) }
            return Resolve.failure(
                of: name,
                .partial(
                    PartialService(
                        name: name, interface: interface, missing: missing, location: location)))
        }
        let web = "'Web._http._tcp.local'"
        #expect(
            try part(.addresses, "nowhere.local")
                == "\(web) is on nowhere.local:80, but nobody answers for nowhere.local")
        #expect(try part(.location, nil) == "\(web) has attributes, but nobody says where it is")
        #expect(
            try part(.unicastAddresses, "www.example.com").contains(
                "but www.example.com belongs to unicast DNS"))
        #expect(Resolve.failure(of: name, .unavailable(name, interface)) == "\(web) is not offered")
        #expect(Resolve.failure(of: name, nil) == "\(web) was not found in time")
    }

    @Test("A name that is not UTF-8 comes back byte for byte from its JSON (field 09)")
    func bytesOfNames() throws {
        let bytes: [UInt8] = [0x42, 0xFC, 0x72, 0x6F]
        let type = try ServiceType("_case._tcp")
        let name = try ServiceInstanceName(label: Label(bytes), type: type)
        var writer = JSONWriter()
        writer.beginObject()
        ServiceFormat.write(name, interface: "lan0", to: &writer)
        writer.endObject()
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"instance":{"hex":"42fc726f"},"name":"#))
        #expect(try Resolve.instanceName("hex:42fc726f", "_case._tcp").label.bytes == bytes)
        #expect(try Resolve.instanceName([name.description]).label.bytes == bytes)
        // What is no hexadecimal is a name like any other.
        #expect(try Resolve.instanceName("hex:x", "_case._tcp").instance == "hex:x")
    }
}
