import DNSMessages
import Testing

@Suite struct DomainNameTests {
    @Test(
        "the text form round-trips",
        arguments: [
            ".", "local", #"My\.Printer._ipp._tcp.local"#, #"a\\b.local"#, #"\000\007\127.local"#,
            " lead.local", "Büro 印刷機._http._tcp.local", #"\255\254.x"#, #"\194\155.x"#,
        ])
    func roundTrip(text: String) throws {
        #expect(try DomainName(text).description == text)
    }

    @Test("a final dot is allowed and not shown")
    func finalDot() throws {
        #expect(try DomainName("a.local.").description == "a.local")
        #expect(try DomainName("") == .root)
    }

    @Test(
        "field 22: text that is no name",
        arguments: [
            ("a..b", NameError.emptyLabel(position: 2)), (".a", .emptyLabel(position: 0)),
            (#"a\"#, .badEscape(position: 1)), (#"a\256"#, .badEscape(position: 1)),
            (#"a\12"#, .badEscape(position: 1)), ("a..", .emptyLabel(position: 2)),
            (
                String(repeating: "x", count: 64),
                .labelTooLong(label: String(repeating: "x", count: 64), bytes: 64)
            ),
        ])
    func refused(text: String, error: NameError) {
        #expect(throws: error) { try DomainName(text) }
    }

    @Test("MC-1 a name has 255 bytes before the zero, and no more")
    func longest() throws {
        let label = try Label([UInt8](repeating: 0x61, count: 63))
        let longest = try DomainName(labels: [
            label, label, label, Label([UInt8](repeating: 0x62, count: 62)),
        ])
        #expect(longest.byteCount == 255)
        #expect(throws: NameError.nameTooLong(bytes: 256)) {
            try DomainName(labels: [label, label, label, label])
        }
    }

    @Test("M16-5 case is folded for ASCII letters and nothing else")
    func folding() throws {
        #expect(try DomainName("MyHost.LOCAL") == DomainName("myhost.local"))
        #expect(try DomainName("MyHost.LOCAL").hashValue == DomainName("myhost.local").hashValue)
        #expect(try DomainName("Ä.local") != DomainName("ä.local"))
        #expect(try DomainName("a[.local") != DomainName("a{.local"))
        #expect(try DomainName("MyHost.local").description == "MyHost.local")
    }

    @Test("M16-5 every byte folds as it should wherever in a name it stands")
    func foldingByPosition() throws {
        var wrong: [String] = []
        for length in 1...20 {
            for place in [0, length / 2, length - 1] {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: 0x7A, count: length)
                    bytes[place] = byte
                    let given = try DomainName(labels: [Label(bytes)])
                    for other in [byte ^ 0x20, byte ^ 0x80, byte ^ 1] {
                        bytes[place] = other
                        let isLetter = (0x41...0x5A).contains(byte & ~0x20)
                        let changed = try DomainName(labels: [Label(bytes)])
                        let isSame = isLetter && other == byte ^ 0x20
                        if (given == changed) != isSame
                            || (given.hashValue == changed.hashValue) != isSame
                        {
                            wrong.append("\(byte) and \(other) at \(place) of \(length)")
                        }
                    }
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("suffixes share bytes and compare as names of their own")
    func suffixes() throws {
        let name = try DomainName("a._http._tcp.local")
        let parent = try #require(name.parent)
        #expect(try parent == DomainName("_http._tcp.local"))
        #expect(try parent.hashValue == DomainName("_http._tcp.local").hashValue)
        #expect(name.isSubdomain(of: .local) && name.isSubdomain(of: name))
        #expect(try !name.isSubdomain(of: DomainName("ocal")))
        #expect(name.labelCount == 4)
        #expect(DomainName.root.parent == nil)
    }
}
