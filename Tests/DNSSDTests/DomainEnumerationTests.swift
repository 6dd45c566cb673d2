import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

/// Asking for domains (RFC 6763 §11), seen on the wire.
@Suite("Domain enumeration") struct DomainEnumerationTests {
    private func enumerated(_ link: VirtualLink, _ host: Int) -> Set<String> {
        Set(
            link.sent.filter { $0.host == host }.flatMap(\.message.questions)
                .filter { $0.type == .ptr }.map(\.name.description))
    }

    @Test(
        "S11-1 each of the five kinds asks for its own name", arguments: DomainEnumeration.allCases)
    func kinds(kind: DomainEnumeration) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        _ = try link.perform(client) { try $0.startDomainEnumeration(kind, at: $1) }
        link.run(.seconds(2))
        #expect(enumerated(link, client) == ["\(kind.rawValue)._dns-sd._udp.local"])
    }

    @Test("S11-2 domains are reported as they come and go, and nothing is done with them")
    func adviceOnly() throws {
        var link = VirtualLink()
        let client = try link.add("client", multicastsAnyName: true)
        let listing = try link.perform(client) { try $0.startDomainEnumeration(.browse, at: $1) }
        let other = try link.perform(client) {
            try $0.startDomainEnumeration(.automaticBrowse, at: $1)
        }
        let owner = try DomainName("b._dns-sd._udp.local")
        let domains = try [DomainName("local"), DomainName("example.com")]
        let answers = domains.map {
            ResourceRecord(owner, .ptr($0), timeToLive: .standard)
        }
        link.run(.milliseconds(300))
        try link.inject(response(answers))
        link.run(.seconds(60))
        #expect(
            link.events(client, listing)
                == domains.map { .domains(.added($0, VirtualLink.interface)) })
        #expect(link.events(client, other).isEmpty)
        // No query for anything in a domain that was recommended.
        #expect(enumerated(link, client) == ["b._dns-sd._udp.local", "lb._dns-sd._udp.local"])
        #expect(link.sent.filter { $0.host == client }.allSatisfy { !$0.message.header.isResponse })
        var goodbye = answers[1]
        goodbye.timeToLive = .goodbye
        try link.inject(response([goodbye]))
        link.run(.seconds(2))
        #expect(
            link.events(client, listing).last
                == .domains(.removed(domains[1], VirtualLink.interface)))
    }

    /// The names that a program asks for which enumerates domains by the addresses of its
    /// interfaces, as RFC 6763 §11 says: those of all but link-local ones.
    private func asked(_ prefixes: [NetworkPrefix]) throws -> Set<String> {
        var link = VirtualLink()
        let client = try link.add("client", multicastsAnyName: true)
        for prefix in prefixes {
            guard let domain = DomainEnumeration.domain(of: prefix) else { continue }
            _ = try link.perform(client) {
                try $0.startDomainEnumeration(.automaticBrowse, domain: domain, at: $1)
            }
        }
        link.run(.seconds(2))
        return enumerated(link, client)
    }

    private func prefix(_ text: String, _ length: Int) throws -> NetworkPrefix {
        NetworkPrefix(try #require(IPAddress(text)), length: length)
    }

    @Test(
        "S11-3 the name of an IPv4 subnet has the bits of the host cleared",
        arguments: [
            (16, "0.0.168.192"), (24, "0.12.168.192"), (20, "0.0.168.192"), (21, "0.8.168.192"),
            (32, "34.12.168.192"), (0, "0.0.0.0"),
        ])
    func subnet(length: Int, reversed: String) throws {
        #expect(
            try asked([prefix("192.168.12.34", length)])
                == ["lb._dns-sd._udp.\(reversed).in-addr.arpa"])
    }

    @Test(
        "S11-4 so has that of an IPv6 subnet",
        arguments: [
            (64, "2001:db8:1:2::"), (48, "2001:db8:1::"), (62, "2001:db8:1::"),
            (128, "2001:db8:1:2:3:4:5:6"),
        ])
    func subnet6(length: Int, cleared: String) throws {
        let name = ReverseMapping.name(of: try #require(IPAddress(cleared)))
        #expect(
            try asked([prefix("2001:db8:1:2:3:4:5:6", length)])
                == ["lb._dns-sd._udp.\(name)"])
        #expect(name.labelCount == 34)
    }

    @Test("S11-5 nothing is asked for by link-local addresses, whatever their prefix")
    func linkLocal() throws {
        let linkLocal = try [
            prefix("169.254.3.4", 16), prefix("169.254.3.4", 24), prefix("fe80::1", 64),
            prefix("febf::1", 10),
        ]
        #expect(try asked(linkLocal).isEmpty)
        // Beside others, these are asked for alone.
        let all = try linkLocal + [prefix("10.1.2.3", 8), prefix("fec0::1", 64)]
        let six = ReverseMapping.name(of: try #require(IPAddress("fec0::")))
        #expect(
            try asked(all)
                == ["lb._dns-sd._udp.0.0.0.10.in-addr.arpa", "lb._dns-sd._udp.\(six)"])
    }
}
