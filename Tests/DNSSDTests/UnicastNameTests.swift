import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

/// Field 06: names of other domains neither leak to the link nor are believed from it.
@Suite("Names of unicast DNS")
struct UnicastNameTests {
    private let http: ServiceType

    init() throws {
        http = try ServiceType("_http._tcp")
    }

    @Test(
        "M13-1 M13-2 what is asked for by multicast unless any name is allowed",
        arguments: [
            ("local", true), ("a.LOCAL", true), ("x.b.local", true),
            ("1.2.254.169.in-addr.arpa", true), ("254.169.IN-ADDR.arpa", true),
            ("1.8.e.f.ip6.arpa", true), ("9.e.f.ip6.arpa", true), ("a.e.F.ip6.arpa", true),
            ("0.B.e.f.ip6.arpa", true),
            (".", false), ("www.example.com", false), ("localhost", false),
            ("local.example.com", false), ("notlocal", false), ("1.0.77.10.in-addr.arpa", false),
            ("1.253.169.in-addr.arpa", false), ("e.f.ip6.arpa", false), ("c.e.f.ip6.arpa", false),
            ("7.e.f.ip6.arpa", false), ("8.e.f.ip6.example", false),
        ])
    func domains(text: String, isLinkLocal: Bool) throws {
        let name = try DomainName(text)
        #expect(name.isLinkLocal == isLinkLocal)
        var link = VirtualLink()
        let strict = try link.add("strict")
        let free = try link.add("free", multicastsAnyName: true)
        try link.discovery(free).checkMulticast(name)
        if isLinkLocal {
            try link.discovery(strict).checkMulticast(name)
        } else {
            #expect(throws: QueryError.unicastName(name)) {
                try link.discovery(strict).checkMulticast(name)
            }
        }
        #expect(QueryError.unicastName(name).description.contains("unicast DNS"))
    }

    /// The names that a client asks for while it resolves what it browses for, or looks up a
    /// host, and receives `answers`.
    private func asked(
        _ answers: [ResourceRecord], multicastsAnyName: Bool,
        _ start: (inout Discovery, Instant) throws -> OperationID
    ) throws -> (names: Set<DomainName>, events: [Discovery.Event]) {
        var link = VirtualLink()
        let client = try link.add("client", multicastsAnyName: multicastsAnyName)
        let id = try link.perform(client, start)
        link.run(.milliseconds(500))
        try link.inject(response(answers))
        link.run(.seconds(3))
        let questions = link.sent.filter { $0.host == client }.flatMap(\.message.questions)
        return (Set(questions.map(\.name)), link.events(client, id))
    }

    @Test("M13-2 an SRV target of unicast DNS is not looked up", arguments: [false, true])
    func locationTarget(multicastsAnyName: Bool) throws {
        let instance = try ServiceInstanceName("X", type: http)
        let target = try DomainName("www.example.com")
        let list = try http.domainName()
        let answers = [
            ResourceRecord(list, .ptr(instance.domainName), timeToLive: .standard),
            ResourceRecord(
                instance.domainName, .srv(ServiceLocation(target: target, port: 80)),
                timeToLive: .host, cacheFlush: true),
        ]
        let browsed = try asked(answers, multicastsAnyName: multicastsAnyName) {
            try $0.startBrowse(http, detail: .services, at: $1)
        }
        #expect(browsed.names.contains(list))
        #expect(browsed.names.contains(target) == multicastsAnyName)
        let resolved = try asked(answers, multicastsAnyName: multicastsAnyName) {
            $0.startResolve(instance, at: $1)
        }
        #expect(resolved.names.contains(instance.domainName))
        #expect(resolved.names.contains(target) == multicastsAnyName)
    }

    @Test("M13-2 an alias that leads to unicast DNS ends the look-up", arguments: [false, true])
    func alias(multicastsAnyName: Bool) throws {
        let host = try DomainName("a.local")
        let target = try DomainName("www.example.com")
        let address = try #require(IPv4Address("192.0.2.80"))
        let answers = [
            ResourceRecord(host, .cname(target), timeToLive: .host, cacheFlush: true),
            ResourceRecord(target, .a(address), timeToLive: .host, cacheFlush: true),
        ]
        let looked = try asked(answers, multicastsAnyName: multicastsAnyName) {
            $0.startAddressLookup(host: host, families: [.ipv4], at: $1)
        }
        let change = AddressEvent.added(.v4(address), name: target, VirtualLink.interface)
        #expect(looked.events.contains(.addresses(change)) == multicastsAnyName)
        let asking = try asked([answers[0]], multicastsAnyName: multicastsAnyName) {
            $0.startAddressLookup(host: host, families: [.ipv4], at: $1)
        }
        #expect(asking.names == (multicastsAnyName ? [host, target] : [host]))
    }

    @Test(
        "M13-2 a listed service of another domain is shown, not resolved", arguments: [false, true])
    func listedInstance(multicastsAnyName: Bool) throws {
        let domain = try DomainName("example.com")
        let instance = try ServiceInstanceName("X", type: http, domain: domain)
        let pointer = ResourceRecord(
            try http.domainName(), .ptr(instance.domainName), timeToLive: .standard)
        let browsed = try asked([pointer], multicastsAnyName: multicastsAnyName) {
            try $0.startBrowse(http, detail: .services, at: $1)
        }
        #expect(browsed.names.contains(instance.domainName) == multicastsAnyName)
        let added = BrowseEvent.added(ServiceInstance(instance, on: VirtualLink.interface))
        #expect(browsed.events.contains(.browse(added)))
    }

    @Test("an address is looked up wherever it belongs: hosts on the link answer for all they have")
    func reverseLookup() throws {
        let address = try #require(IPAddress("10.77.0.1"))
        let name = try DomainName("1.0.77.10.in-addr.arpa")
        let looked = try asked(
            [
                ResourceRecord(
                    name, .ptr(try DomainName("h.local")), timeToLive: .host, cacheFlush: true)
            ], multicastsAnyName: false
        ) { $0.startReverseLookup(address, at: $1) }
        #expect(looked.names == [name])
        #expect(looked.events.count == 1)
    }
}
