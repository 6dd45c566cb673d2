import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
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

    /// A host with both families that looks up an address; the groups that its questions went to.
    private func groups(of text: String) throws -> (name: DomainName, groups: [String: Int]) {
        var network = VirtualNetwork(seed: 1)
        let delay: Duration = .milliseconds(1)
        let wire = network.addLink(LinkConditions(delay: delay...delay))
        network.transmissions = []
        let configuration = DiscoveryConfiguration(
            hostLabel: try Label("client"), defaultInstanceName: "Client")
        let host = network.addHost(.discovery(configuration), on: [])
        network.start(host)
        let index = AddressPlan.index(of: wire)
        network.setInterfaces(
            [VirtualLink.ethernet(["192.0.2.1", "fe80::1"], index: index)], of: host)
        let address = try #require(IPAddress(text))
        let name = ReverseMapping.name(of: address)
        _ = network.withDiscovery(of: host) { discovery, now in
            discovery.startReverseLookup(address, at: now)
        }
        network.run(for: .milliseconds(500))
        var groups: [String: Int] = [:]
        for sent in network.transmissions ?? [] {
            let message = try Message.decode(sent.datagram.payload.span).message
            guard message.questions.map(\.name) == [name], message.questions[0].type == .ptr
            else { continue }
            groups[sent.datagram.destination.address.description, default: 0] += 1
        }
        #expect(network.transmissions?.count == groups.values.reduce(0, +))
        return (name, groups)
    }

    @Test(
        "M4-1 reverse mappings of 169.254/16 are asked for on the group, and are names of the link",
        arguments: [("169.254.0.1", true), ("169.254.255.254", true), ("169.253.0.1", false)])
    func linkLocalAddresses(text: String, isLinkLocal: Bool) throws {
        let (name, groups) = try groups(of: text)
        #expect(groups == ["224.0.0.251": 1, "ff02::fb": 1])
        #expect(name.isLinkLocal == isLinkLocal)
    }

    @Test(
        "M4-2 so are those of fe80::/10, in each of the four zones",
        arguments: [
            ("fe80::1", true), ("fe8f:1::1", true), ("fe90::1", true), ("fe9f::2", true),
            ("fea0::1", true), ("feaf::2", true), ("feb0::1", true), ("febf:ffff::1", true),
            ("fe7f::1", false), ("fec0::1", false), ("ff02::1", false), ("2001:db8::1", false),
        ])
    func linkLocalAddresses6(text: String, isLinkLocal: Bool) throws {
        let (name, groups) = try groups(of: text)
        #expect(groups == ["224.0.0.251": 1, "ff02::fb": 1])
        #expect(name.isLinkLocal == isLinkLocal)
        // By its name, as a program asks for any record, it is taken or refused by that.
        var link = VirtualLink()
        let client = try link.add("client")
        if isLinkLocal {
            try link.discovery(client).checkMulticast(name)
        } else {
            #expect(throws: QueryError.unicastName(name)) {
                try link.discovery(client).checkMulticast(name)
            }
        }
    }

    @Test("M3-5 names outside local are asked for by multicast where that was chosen, else not")
    func otherDomains() throws {
        let host = try DomainName("host.example.com")
        let address = try #require(IPv4Address("192.0.2.80"))
        let answer = ResourceRecord(host, .a(address), timeToLive: .host, cacheFlush: true)
        let looked = try asked([answer], multicastsAnyName: true) { discovery, now in
            try discovery.checkMulticast(host)
            return discovery.startAddressLookup(host: host, families: [.ipv4], at: now)
        }
        #expect(looked.names == [host])
        #expect(
            looked.events.contains(
                .addresses(.added(.v4(address), name: host, VirtualLink.interface))))
        #expect(throws: QueryError.unicastName(host)) {
            try asked([answer], multicastsAnyName: false) { discovery, now in
                try discovery.checkMulticast(host)
                return discovery.startAddressLookup(host: host, families: [.ipv4], at: now)
            }
        }
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
