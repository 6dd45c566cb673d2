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

    @Test(
        "M4-1 M4-2 reverse names of addresses, both ways",
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

    @Test("S11-1 the five names that ask for domains")
    func domainNames() throws {
        let names = try DomainEnumeration.allCases.map {
            try $0.domainName(in: .local).description
        }
        #expect(names == ["b", "db", "r", "dr", "lb"].map { "\($0)._dns-sd._udp.local" })
    }

    @Test("S11-3 the domain of an IPv4 subnet has the host part cleared")
    func subnet() throws {
        let prefix = NetworkPrefix(try #require(IPAddress("192.168.12.34")), length: 16)
        let domain = try #require(DomainEnumeration.domain(of: prefix))
        #expect(
            try DomainEnumeration.automaticBrowse.domainName(in: domain).description
                == "lb._dns-sd._udp.0.0.168.192.in-addr.arpa")
        let all = NetworkPrefix(try #require(IPAddress("192.168.12.34")), length: 32)
        #expect(DomainEnumeration.domain(of: all)?.description == "34.12.168.192.in-addr.arpa")
    }

    @Test("S11-4 the same for IPv6")
    func subnet6() throws {
        let prefix = NetworkPrefix(try #require(IPAddress("2001:db8::42")), length: 64)
        let expected = ReverseMapping.name(of: try #require(IPAddress("2001:db8::")))
        #expect(DomainEnumeration.domain(of: prefix) == expected)
    }

    @Test("S11-5 not for link-local addresses", arguments: ["169.254.3.4", "fe80::1"])
    func linkLocal(text: String) throws {
        let prefix = NetworkPrefix(try #require(IPAddress(text)), length: 16)
        #expect(DomainEnumeration.domain(of: prefix) == nil)
    }
}
