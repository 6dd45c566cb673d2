import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

@Suite("Reverse mappings of this host")
struct ReverseMappingTests {
    private static let second = InterfaceIndex(rawValue: 3)
    private let first = ["10.77.0.2", "2001:db8:77::2"]
    private let other = ["10.88.0.2", "2001:db8:88::2"]

    private func reverseNames(_ texts: [String]) throws -> Set<DomainName> {
        Set(try texts.map { ReverseMapping.name(of: try #require(IPAddress($0))) })
    }

    private func interfaces(_ addresses: [String]) -> [NetworkInterface] {
        [
            VirtualLink.ethernet(addresses),
            VirtualLink.ethernet(other, index: Self.second, name: "eth1"),
        ]
    }

    /// A host on two links, ten seconds after it was started.
    private func established(in link: inout VirtualLink) throws -> Int {
        let host = try link.add("box", hostPublication: .always)
        link.update(host, interfaces: interfaces(first))
        link.run(.seconds(10))
        link.sent = []
        return host
    }

    /// The names of the PTR records that were sent, and of those that said goodbye.
    private func pointers(
        _ link: VirtualLink, _ host: Int
    ) -> (announced: Set<DomainName>, goodbyes: Set<DomainName>) {
        let records = link.records(host, .ptr)
        return (
            Set(records.filter { $0.timeToLive > .goodbye }.map(\.name)),
            Set(records.filter { $0.timeToLive == .goodbye }.map(\.name))
        )
    }

    @Test("M8-17 no reverse mapping is probed for: this host's on each link, nor a proxy host's")
    func notProbed() throws {
        var link = VirtualLink()
        let host = try link.add("box", hostPublication: .always)
        link.update(host, interfaces: interfaces(first))
        let lamp = ["10.77.0.7", "2001:db8:77::7"]
        let addresses = try lamp.map { try #require(IPAddress($0)) }
        let service = ServiceDescription(
            name: "Lamp", type: try ServiceType("_http._tcp"), port: 80,
            host: .init(
                name: try DomainName("lamp.local"), addresses: addresses,
                publishesReverseMapping: true))
        _ = try link.perform(host) { try $0.register(service, at: $1) }
        link.run(.seconds(10))
        // Nor are they on wake-up, nor that of an address that is added.
        link.perform(host) { $0.wake(at: $1) }
        link.run(.seconds(10))
        link.update(host, interfaces: interfaces(first + ["10.77.0.99", "2001:db8:77::99"]))
        link.run(.seconds(10))
        let probes = link.sent.filter { !$0.message.authorities.isEmpty }
        #expect(Set(probes.map(\.interface)) == [VirtualLink.interface, Self.second])
        for probe in probes {
            let names =
                probe.message.questions.map(\.name) + probe.message.authorities.map(\.name)
            #expect(!names.contains { $0.description.hasSuffix("arpa") })
        }
        for (interface, texts) in [
            (VirtualLink.interface, first + lamp + ["10.77.0.99", "2001:db8:77::99"]),
            (Self.second, other + lamp),
        ] {
            let announced = link.sent.filter { $0.interface == interface }
                .flatMap(\.message.answers)
                .filter { $0.type == .ptr && $0.name.description.hasSuffix("arpa") }
            #expect(try Set(announced.map(\.name)) == reverseNames(texts), "on \(interface)")
            // They are ours alone all the same.
            #expect(announced.allSatisfy { $0.cacheFlush })
        }
    }

    @Test(
        "field 10: an added address announces its own reverse name, and disturbs no other",
        arguments: ["10.77.0.99", "2001:db8:77::99"])
    func added(text: String) throws {
        var link = VirtualLink()
        let host = try established(in: &link)
        link.update(host, interfaces: interfaces(first + [text]))
        link.run(.seconds(10))
        let (announced, goodbyes) = pointers(link, host)
        #expect(try announced == reverseNames([text]))
        #expect(goodbyes.isEmpty)
        #expect(!link.sent.contains { !$0.message.authorities.isEmpty })
        #expect(!link.sent.contains { $0.interface == Self.second })
    }

    @Test("a removed address says goodbye to its own reverse name, and to no other")
    func removed() throws {
        var link = VirtualLink()
        let host = try established(in: &link)
        link.update(host, interfaces: interfaces(["10.77.0.2"]))
        link.run(.seconds(10))
        let (announced, goodbyes) = pointers(link, host)
        #expect(announced.isEmpty)
        #expect(try goodbyes == reverseNames(["2001:db8:77::2"]))
    }

    @Test("a reverse name that another host has is given up alone")
    func conflict() throws {
        var link = VirtualLink()
        let host = try established(in: &link)
        let contested = try #require(try reverseNames(["10.77.0.2"]).first)
        let rival = ResourceRecord(
            contested, .ptr(try DomainName("rival.local")), timeToLive: .host, cacheFlush: true)
        for _ in 0..<3 {
            try link.inject(response([rival]), from: "10.77.0.3")
            link.run(.seconds(2))
        }
        let client = try link.add("client", addresses: ["10.77.0.9", "2001:db8:77::9"])
        var found: [String: [Discovery.Event]] = [:]
        for text in first {
            let address = try #require(IPAddress(text))
            let lookup = link.perform(client) { $0.startReverseLookup(address, at: $1) }
            link.run(.seconds(3))
            found[text] = link.events(client, lookup)
        }
        let box = try DomainName("box.local")
        #expect(found["10.77.0.2"] == [])
        #expect(found["2001:db8:77::2"] == [.names(.added(box, VirtualLink.interface))])
        #expect(link.hosts[host].nameEvents.last == .established(box))
    }

    @Test(
        "a reverse name that was given up leaves the others to be withdrawn with their addresses",
        arguments: [0, 1])
    func withdrawnAfterConflict(contested: Int) throws {
        var link = VirtualLink()
        let host = try established(in: &link)
        let owner = try #require(try reverseNames([first[contested]]).first)
        let rival = ResourceRecord(
            owner, .ptr(try DomainName("rival.local")), timeToLive: .host, cacheFlush: true)
        try link.inject(response([rival]), from: "10.77.0.3")
        link.run(.seconds(2))
        link.sent = []
        link.update(host, interfaces: interfaces([first[contested]]))
        link.run(.seconds(5))
        #expect(try pointers(link, host).goodbyes == reverseNames([first[1 - contested]]))
    }

    @Test("M8-41 a renamed host says goodbye to the reverse records of its old name")
    func renamed() throws {
        var link = VirtualLink()
        let host = try established(in: &link)
        let box = try DomainName("box.local")
        let renamed = try DomainName("box-2.local")
        let rival = ResourceRecord(
            box, .a(IPv4Address(10, 77, 0, 3)), timeToLive: .host, cacheFlush: true)
        for _ in 0..<30 where link.discovery(host).hostName == box {
            try link.inject(response([rival]), from: "10.77.0.3")
            link.run(.milliseconds(200))
        }
        link.run(.seconds(10))
        #expect(link.hosts[host].nameEvents.last == .established(renamed))
        for (interface, addresses) in [(VirtualLink.interface, first), (Self.second, other)] {
            let records = link.sent.filter { $0.interface == interface }
                .flatMap { $0.message.header.isResponse ? $0.message.answers : [] }
            let goodbyes = records.filter {
                $0.data == .ptr(box) && $0.timeToLive == .goodbye
            }
            let announced = records.filter {
                $0.data == .ptr(renamed) && $0.timeToLive > .goodbye
            }
            #expect(try Set(goodbyes.map(\.name)) == reverseNames(addresses), "on \(interface)")
            #expect(try Set(announced.map(\.name)) == reverseNames(addresses), "on \(interface)")
        }
    }
}
