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

    @Test("A service that resolves late is reported once, as added")
    func resolvedOnly() throws {
        let name = try ServiceInstanceName("Web", type: ServiceType("_http._tcp"))
        let interface = InterfaceIndex(rawValue: 2)
        let bare = ServiceInstance(name, on: interface)
        var full = bare
        full.service = ResolvedService(
            name: name, interface: interface,
            location: ServiceLocation(target: .local, port: 80))
        var resolved = ResolvedOnly()
        #expect(resolved.filter(.added(bare)) == nil)
        #expect(resolved.filter(.changed(full)) == .added(full))
        #expect(resolved.filter(.changed(full)) == .changed(full))
        #expect(resolved.filter(.removed(full)) == .removed(full))
        #expect(resolved.filter(.added(bare)) == nil)
        #expect(resolved.filter(.removed(bare)) == nil)
    }
}
