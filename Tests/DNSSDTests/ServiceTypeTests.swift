import DNSMessages
import DNSSD
import Testing

@Suite("Service types and subtypes")
struct ServiceTypeTests {
    @Test("S4-9 the service part is two labels, an underscore before each")
    func shape() throws {
        let type = try ServiceType("_http._tcp")
        #expect(type.name == "http")
        #expect(type.transport == .tcp)
        #expect(try type.domainName() == DomainName("_http._tcp.local"))
        #expect(try ServiceType("_http._tcp.").description == "_http._tcp")
        #expect(throws: ServiceTypeError.missingUnderscore("http")) {
            try ServiceType("http._tcp")
        }
        #expect(throws: ServiceTypeError.missingTransport("_http")) { try ServiceType("_http") }
        #expect(throws: ServiceTypeError.unknownTransport("_tcp.local")) {
            try ServiceType("_http._tcp.local")
        }
        #expect(throws: ServiceTypeError.emptyName) { try ServiceType("_._tcp") }
        #expect(throws: ServiceTypeError.missingUnderscore("")) { try ServiceType("") }
    }

    @Test("S7-1 transports other than _tcp and _udp are refused", arguments: ["_sctp", "tcp", ""])
    func transports(transport: String) throws {
        #expect(throws: ServiceTypeError.unknownTransport(transport)) {
            try ServiceType("_http.\(transport)" + (transport.isEmpty ? "." : ""))
        }
        #expect(try ServiceType("_ntp._UDP").transport == .udp)
    }

    @Test(
        "S7-2 legal service names", arguments: ["_http", "_a", "_a-b", "_9p", "_exactly15-chars"])
    func legal(name: String) throws {
        #expect(try ServiceType("\(name)._tcp").description == "\(name)._tcp")
    }

    @Test("S7-2 illegal service names say which rule and where")
    func illegal() {
        let cases: [(String, ServiceTypeError)] = [
            ("_1", .noLetter("1")),
            ("_-a", .hyphenAtStart("-a")),
            ("_a-", .hyphenAtEnd("a-")),
            ("_a--b", .adjacentHyphens("a--b", position: 3)),
            ("_sixteen-letters", .tooLong(name: "sixteen-letters0", bytes: 16)),
            ("_in_ner", .badCharacter("_", name: "in_ner", position: 3)),
            ("_dé", .badCharacter("é", name: "dé", position: 2)),
            ("_a b", .badCharacter(" ", name: "a b", position: 2)),
        ]
        for (text, error) in cases {
            let whole = text == "_sixteen-letters" ? text + "0._tcp" : text + "._tcp"
            #expect(throws: error) { try ServiceType(whole) }
            #expect(error.description.contains("RFC 6335"))
        }
        let error = ServiceTypeError.badCharacter("_", name: "in_ner", position: 3)
        #expect(error.description.contains("'_' at place 3"))
    }

    @Test("S7-2 an error names control characters without sending them to a terminal")
    func printable() {
        let error = ServiceTypeError.badCharacter("\u{1B}", name: "a\u{1B}[0m", position: 2)
        #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 })
        #expect(error.description.contains("\\u{1b}"))
    }

    @Test("A-14 names that break the rules can be looked for, not registered")
    func lenient() throws {
        for text in ["_a_name_of_over_fifteen._tcp", "_Spotify-Connect._TCP", "_x_y._udp"] {
            let type = try ServiceType(lenient: text)
            #expect(type.description == text)
        }
        #expect(throws: ServiceTypeError.missingUnderscore("http")) {
            try ServiceType(lenient: "http._tcp")
        }
        let type = try ServiceType(lenient: "_x_y._udp")
        #expect(throws: ServiceTypeError.badCharacter("_", name: "x_y", position: 2)) {
            try type.checkRules()
        }
    }

    @Test("S7-3 service names are compared without case")
    func caseFolding() throws {
        let upper = try ServiceType("_HTTP._TCP")
        #expect(upper == (try ServiceType("_http._tcp")))
        #expect(Set([upper, try ServiceType("_http._tcp")]).count == 1)
        #expect(upper.description == "_HTTP._TCP")
    }

    @Test("S7-4 a subtype is browsed at <sub>._sub.<type>.<domain>")
    func subtypeName() throws {
        let subtype = try ServiceSubtype("_printer")
        let name = try subtype.domainName(of: ServiceType("_http._tcp"))
        #expect(name.description == "_printer._sub._http._tcp.local")
    }

    @Test("S7-6 subtype labels are any bytes up to 63, compared without ASCII case")
    func subtypes() throws {
        #expect(try ServiceSubtype("printer") == ServiceSubtype("PRINTER"))
        #expect(try ServiceSubtype("printer") != ServiceSubtype("_printer"))
        let binary = ServiceSubtype(try Label([0x00, 0xFF, 0x2E]))
        let name = try binary.domainName(of: ServiceType("_http._tcp"))
        #expect(name.firstLabel?.bytes == [0x00, 0xFF, 0x2E])
        #expect(throws: NameError.self) {
            try ServiceSubtype(String(repeating: "x", count: 64))
        }
        #expect(throws: NameError.self) { try ServiceSubtype("") }
    }

    @Test("S7-7 the longest legal parts make names of at most 255 bytes")
    func budget() throws {
        let type = try ServiceType("_abcdefghijklmno._tcp")
        let local = try type.domainName()
        #expect(local.byteCount - DomainName.local.byteCount == 22)
        let long = String(repeating: "i", count: 63)
        let instance = try ServiceInstanceName(long, type: type)
        #expect(instance.domainName.byteCount == 64 + 22 + 6)
        let subtype = try ServiceSubtype(String(repeating: "s", count: 63))
        #expect(try subtype.domainName(of: type).byteCount == 69 + 22 + 6)

        let label = String(repeating: "d", count: 63)
        let domain = try DomainName(
            [label, label, String(repeating: "d", count: 40)]
                .joined(separator: "."))
        #expect(domain.byteCount == 169)
        #expect(
            try ServiceInstanceName(long, type: type, domain: domain).domainName.byteCount == 255)
        let longer = try DomainName("d." + domain.description)
        #expect(throws: InstanceNameError.nameTooLong(bytes: 257)) {
            try ServiceInstanceName(long, type: type, domain: longer)
        }
    }
}
