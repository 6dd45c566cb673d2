import DNSMessages
import DNSSD
import Testing

@Suite("Service instance names")
struct ServiceInstanceNameTests {
    private func http() throws -> ServiceType { try ServiceType("_http._tcp") }

    @Test(
        "S4-2 control characters are refused, with their place",
        arguments: [0x00, 0x09, 0x1F, 0x7F])
    func control(byte: UInt8) throws {
        let text = "ab" + String(Character(Unicode.Scalar(byte))) + "c"
        #expect(throws: InstanceNameError.controlCharacter(byte, position: 3)) {
            try ServiceInstanceName(text, type: http())
        }
    }

    @Test("S4-3 anything else is allowed, in one label")
    func richText() throws {
        let text = "Dr. Müller's 印刷機 @ 2.OG"
        let name = try ServiceInstanceName(text, type: http())
        #expect(name.domainName.labelCount == 4)
        #expect(name.domainName.firstLabel?.text == text)
        #expect(name.instance == text)
    }

    @Test("S4-8 63 bytes are fine, 64 are refused")
    func length() throws {
        let fits = String(repeating: "ü", count: 31) + "x"
        #expect(try ServiceInstanceName(fits, type: http()).label.bytes.count == 63)
        #expect(throws: InstanceNameError.tooLong(bytes: 64)) {
            try ServiceInstanceName(String(repeating: "ü", count: 32), type: http())
        }
        #expect(throws: InstanceNameError.empty) { try ServiceInstanceName("", type: http()) }
    }

    @Test("S4-8 text is brought into the composed form before it is measured")
    func composition() throws {
        let name = try ServiceInstanceName("Cafe\u{301}", type: http())
        #expect(name.label.bytes == Array("Caf\u{E9}".utf8))
        let long = String(repeating: "e\u{301}", count: 31)
        #expect(long.utf8.count > 63)
        #expect(try ServiceInstanceName(long, type: http()).label.bytes.count == 62)
    }

    @Test("S4-11 names go out as composed UTF-8, in unicast domains too")
    func unicastDomain() throws {
        let name = try ServiceInstanceName(
            "u\u{308}ber", type: http(), domain: DomainName("example.com"))
        #expect(name.domainName.firstLabel?.bytes == [0xC3, 0xBC] + Array("ber".utf8))
        #expect(try ServiceSubtype("u\u{308}").label.bytes == [0xC3, 0xBC])
    }

    @Test("A-27 names from the network keep their bytes")
    func bytesKept() throws {
        let decomposed = Array(" .e\u{301} ".utf8)
        let wire = try http().domainName().prepending(Label(decomposed))
        let name = try #require(ServiceInstanceName(wire))
        #expect(name.label.bytes == decomposed)
        #expect(name != (try ServiceInstanceName(" .\u{E9} ", type: http())))
    }

    @Test("S4-10 the domain is local or a unicast one, of rich text too")
    func domains() throws {
        let domain = try DomainName("Büro 2\\.OG.example.com")
        let name = try ServiceInstanceName("x", type: http(), domain: domain)
        #expect(name.domain == domain)
        #expect(try ServiceInstanceName("x", type: http()).domain == .local)
    }

    @Test("S4-13 an answer is taken apart by its own labels")
    func split() throws {
        let name = try #require(ServiceInstanceName(DomainName("a\\.b._ipp._tcp.example.com")))
        #expect(name.instance == "a.b")
        #expect(name.type == (try ServiceType("_ipp._tcp")))
        #expect(name.domain == (try DomainName("example.com")))
        for other in ["_http._tcp.local", "x.local", "x._http.local", "x.http._tcp.local", "."] {
            #expect(ServiceInstanceName(try DomainName(other)) == nil, "\(other)")
        }
    }

    @Test("S4-1 several labels before the type are kept as they are, and are no one instance")
    func severalLabels() throws {
        let text = "Two.Labels._x._tcp.local"
        let name = try #require(ServiceInstanceName(DomainName(text)))
        #expect(name.instanceLabels == [try Label("Two"), try Label("Labels")])
        #expect(name.instance == text && name.description == text)
        #expect(name.type == (try ServiceType("_x._tcp")) && name.domain == .local)
        #expect(try ServiceInstanceName(parsing: text) == name)
        let dotted = try ServiceInstanceName("Two.Labels", type: ServiceType("_x._tcp"))
        #expect(dotted.instanceLabels == [try Label("Two.Labels")])
        #expect(dotted != name && dotted.instance != name.instance)
        let many = try #require(ServiceInstanceName(DomainName("a.b.c._x._udp.example.com")))
        #expect(many.instanceLabels.count == 3 && many.domain.description == "example.com")
        // A subtype's name names no instance.
        for other in ["_p._sub._x._tcp.local", "a._p._sub._x._tcp.local", "a.b._x.local"] {
            #expect(ServiceInstanceName(try DomainName(other)) == nil, "\(other)")
        }
    }

    @Test("S4-1 a listed name with several labels before the type is reported like any other")
    func browsedSeveralLabels() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let type = try ServiceType("_x._tcp")
        let browse = try link.perform(client) { try $0.startBrowse(type, at: $1) }
        let names = [
            try DomainName("Two.Labels._x._tcp.local"),
            try DomainName("Two\\.Labels._x._tcp.local"),
        ]
        for name in names {
            try link.inject(
                response([
                    ResourceRecord(try type.domainName(), .ptr(name), timeToLive: .standard)
                ]))
        }
        link.run(.seconds(1))
        #expect(link.browse(client, browse).map(\.instance?.name.domainName) == names)
    }

    @Test("S4-14 a name that is not UTF-8 survives as bytes and in the text form")
    func otherBytes() throws {
        let label = try Label([0x42, 0xFC, 0x72, 0x6F])
        let name = try ServiceInstanceName(label: label, type: http())
        #expect(name.description == "B\\252ro._http._tcp.local")
        let again = try ServiceInstanceName(parsing: name.description)
        #expect(again.label.bytes == label.bytes)
    }

    @Test(
        "S4-14 field 19: the text form keeps label borders",
        arguments: ["a.b", "a\\b", ".", "\\", "..", "a\\.b", " lead", "trail ", "x\u{7F}y", "日本"])
    func roundTrip(instance: String) throws {
        let name = try ServiceInstanceName(label: Label(instance), type: http())
        let again = try ServiceInstanceName(parsing: name.description)
        #expect(again == name)
        #expect(again.label.bytes == Array(instance.utf8))
    }

    @Test("S4-15 dots of the instance are escaped")
    func dots() throws {
        let name = try ServiceInstanceName("a.b", type: http())
        #expect(name.description == "a\\.b._http._tcp.local")
    }

    @Test("S4-16 backslashes of the instance are escaped")
    func backslashes() throws {
        let name = try ServiceInstanceName("a\\b", type: http())
        #expect(name.description == "a\\\\b._http._tcp.local")
    }

    @Test("S13-1 a space is shown as a space")
    func spaces() throws {
        let name = try ServiceInstanceName("My Printer", type: http())
        #expect(name.description == "My Printer._http._tcp.local")
        #expect(name.instance == "My Printer")
    }

    @Test("text that names no instance is refused with the reason")
    func refused() {
        #expect(throws: InstanceNameError.notAnInstance("printer.local")) {
            try ServiceInstanceName(parsing: "printer.local")
        }
        #expect(throws: InstanceNameError.unreadable(.emptyLabel(position: 2))) {
            try ServiceInstanceName(parsing: "a..b._http._tcp.local")
        }
    }
}
