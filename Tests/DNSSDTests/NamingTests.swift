import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

@Suite("Names that are made and names that stand for addresses")
struct NamingTests {
    @Test("M9-5 a taken instance name gets a number, and the number rises")
    func instanceNumbers() {
        #expect(InstanceRenaming.name(after: "Foo") == "Foo (2)")
        #expect(InstanceRenaming.name(after: "Foo (2)") == "Foo (3)")
        #expect(InstanceRenaming.name(after: "Foo (9)") == "Foo (10)")
        #expect(InstanceRenaming.name(after: "Foo (1)") == "Foo (1) (2)")
        #expect(InstanceRenaming.name(after: "Foo(2)") == "Foo(2) (2)")
        #expect(InstanceRenaming.name(after: "(2)") == "(2) (2)")
        #expect(InstanceRenaming.name(after: "Foo (02)") == "Foo (02) (2)")
        #expect(InstanceRenaming.name(after: "Foo (99999999999)") == "Foo (99999999999) (2)")
    }

    @Test("M9-5 a taken host name gets a number behind a hyphen")
    func hostNumbers() throws {
        let base = try Label("printer-1234")
        #expect(HostNaming.label(base, attempt: 1).text == "printer-1234")
        #expect(HostNaming.label(base, attempt: 2).text == "printer-1234-2")
        #expect(HostNaming.label(base, attempt: 12).text == "printer-1234-12")
        let long = try Label(String(repeating: "h", count: 63))
        #expect(HostNaming.label(long, attempt: 2).text == String(repeating: "h", count: 61) + "-2")
    }

    @Test("S4-8 a renamed instance is cut at a border between characters")
    func cutting() {
        let umlauts = String(repeating: "ü", count: 31)
        let renamed = InstanceRenaming.name(after: umlauts)
        #expect(renamed == String(repeating: "ü", count: 29) + " (2)")
        #expect(renamed.utf8.count == 62)
        let families = String(repeating: "x", count: 45) + "👨‍👩‍👧‍👦"
        #expect(
            InstanceRenaming.name(after: families) == String(repeating: "x", count: 45) + " (2)")
        let spaced = String(repeating: "y", count: 58) + " tail"
        #expect(InstanceRenaming.name(after: spaced) == String(repeating: "y", count: 58) + " (2)")
        var name = String(repeating: "z", count: 63)
        for number in 2...101 {
            name = InstanceRenaming.name(after: name)
            #expect(name.utf8.count == 63)
            #expect(name.hasSuffix("z (\(number))"))
        }
    }

    @Test("S4-6 a default instance name has no control characters and fits")
    func defaults() {
        #expect(InstanceRenaming.usableDefault("My\tHost\u{85}") == "MyHost")
        #expect(InstanceRenaming.usableDefault("") == "Service")
        #expect(InstanceRenaming.usableDefault("  ") == "Service")
        #expect(InstanceRenaming.usableDefault(String(repeating: "é", count: 40)).utf8.count == 62)
    }

    @Test("S4-7 the name that people read carries no suffix of the machine")
    func noFactoryNames() {
        #expect(HostNaming.baseLabel(systemName: "printer.example.com") == "printer")
        #expect(InstanceRenaming.usableDefault("printer") == "printer")
    }

    @Test("the default host name is the system's first label and a stable suffix")
    func hostNames() {
        #expect(
            HostNaming.defaultLabel(systemName: "printer.example.com", suffix: "3f2a").text
                == "printer-3f2a")
        #expect(HostNaming.defaultLabel(systemName: "my_box", suffix: "").text == "my-box")
        #expect(HostNaming.defaultLabel(systemName: "", suffix: "0001").text == "host-0001")
        #expect(HostNaming.defaultLabel(systemName: "localhost", suffix: "1").text == "host-1")
        #expect(HostNaming.defaultLabel(systemName: "--é--", suffix: "1").text == "host-1")
        let long = HostNaming.defaultLabel(
            systemName: String(repeating: "a", count: 64), suffix: "3f2a")
        #expect(long.bytes.count == 63)
        #expect(long.text.hasSuffix("a-3f2a"))
    }

    @Test("the suffix follows from the identity and nothing else")
    func suffixes() {
        let one = HostNaming.suffix(identity: [1, 2, 3])
        #expect(one == HostNaming.suffix(identity: [1, 2, 3]))
        #expect(one.utf8.count == 4)
        #expect(one != HostNaming.suffix(identity: [1, 2, 4]))
        let many = Set(
            (0..<500).map { HostNaming.suffix(identity: [UInt8($0 & 0xFF), UInt8($0 >> 8)]) })
        #expect(many.count > 480)
    }

    @Test("M21-1 nothing is appended to a name of two labels or more")
    func severalLabels() throws {
        #expect(try HostNaming.lookupName("www.example.com").description == "www.example.com")
        #expect(try HostNaming.lookupName("printer.").description == "printer")
    }

    @Test("M21-2 a single label gets local behind it")
    func oneLabel() throws {
        #expect(try HostNaming.lookupName("printer").description == "printer.local")
    }

    @Test("M3-9 a name is of the link however `local` got behind it")
    func suffixHoweverAdded() throws {
        let completed = try HostNaming.lookupName("printer")
        for name in try [
            completed, HostNaming.lookupName("printer.local"), DomainName("printer.local."),
            DomainName("printer").appending(.local), DomainName.local.prepending(Label("printer")),
            DomainName("PRINTER.LOCAL"),
        ] {
            #expect(name == completed)
            #expect(name.isLinkLocal)
        }
    }

    @Test("M13-3 the only search list is that of look-ups, `local`, and only for one label")
    func unqualifiedNames() throws {
        for (text, name) in [
            ("printer", "printer.local"), ("printer.", "printer"), ("a.b", "a.b"),
            ("printer.example.com", "printer.example.com"), (".", "."),
        ] {
            #expect(try HostNaming.lookupName(text).description == name)
            // A name by itself is taken as it is given.
            let asGiven = try DomainName(text)
            #expect(asGiven.isLinkLocal == false)
        }
        // Nor is anything completed by whoever asks: it is refused, since it is not of the link.
        var link = VirtualLink()
        let client = try link.add("client")
        let single = try DomainName("printer")
        #expect(throws: QueryError.unicastName(single)) {
            try link.discovery(client).checkMulticast(single)
        }
        let host = try HostNaming.lookupName("printer")
        _ = link.perform(client) { $0.startAddressLookup(host: host, at: $1) }
        link.run(.seconds(1))
        let asked = Set(link.sent.flatMap(\.message.questions).map(\.name.description))
        #expect(asked == ["printer.local"])
    }

    @Test(
        "reverse names of addresses, both ways",
        arguments: [
            ("192.0.2.1", "1.2.0.192.in-addr.arpa"),
            (
                "fe80::1:2",
                "2.0.0.0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.e.f.ip6.arpa"
            ),
        ])
    func reverse(text: String, name: String) throws {
        let address = try #require(IPAddress(text))
        #expect(ReverseMapping.name(of: address).description == name)
        #expect(ReverseMapping.address(of: try DomainName(name)) == address)
    }

    @Test("names that stand for no whole address")
    func notReverse() throws {
        for name in [
            "2.0.192.in-addr.arpa", "300.2.0.192.in-addr.arpa", "1.ip6.arpa", "a.local",
            "arpa", ".", "1.2.3.4.5.in-addr.arpa", "01.2.0.192.in-addr.arpa",
        ] {
            #expect(ReverseMapping.address(of: try DomainName(name)) == nil, "\(name)")
        }
    }
}
