import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

/// The second service of a name, interface of a service and return of an instance.
@Suite("The second of each, services")
struct SecondServiceTests {
    private static let second = InterfaceIndex(rawValue: 3)
    private let http: ServiceType

    init() throws {
        http = try ServiceType("_http._tcp")
    }

    private var interfaces: [NetworkInterface] {
        [
            VirtualLink.ethernet(["192.0.2.1", "2001:db8::1"]),
            VirtualLink.ethernet(
                ["198.51.100.1", "2001:db8:1::1"], index: Self.second, name: "eth1"),
        ]
    }

    private func instance(_ text: String) throws -> ServiceInstanceName {
        try ServiceInstanceName(text, type: http)
    }

    private func asked(_ link: VirtualLink, _ host: Int, since start: Int) -> [(DomainName, Int)] {
        link.sent[start...].filter { $0.host == host }.flatMap { sent in
            sent.message.questions.map { ($0.name, Int(sent.interface.rawValue)) }
        }
    }

    // MARK: Registering

    @Test("M14-2 a service, or a proxy host, for one interface is on no other", arguments: [2, 3])
    func oneInterface(index: UInt32) throws {
        var link = VirtualLink()
        let host = try link.add("box")
        link.update(host, interfaces: interfaces)
        let meant = InterfaceIndex(rawValue: index)
        let lamp = try DomainName("lamp.local")
        for proxy in [
            nil,
            ServiceDescription.ProxyHost(
                name: lamp, addresses: [try #require(IPAddress("192.0.2.70"))]),
        ] {
            _ = try link.perform(host) {
                try $0.register(
                    ServiceDescription(
                        name: proxy == nil ? "One" : "Lamp", type: http, port: 80, host: proxy,
                        interfaces: .index(meant)), at: $1)
            }
        }
        link.run(.seconds(10))
        for name in try [instance("One").domainName, instance("Lamp").domainName, lamp] {
            let places = Set(
                link.sent.filter { sent in
                    (sent.message.answers + sent.message.authorities).contains {
                        $0.name == name || $0.data == .ptr(name)
                    }
                }.map(\.interface))
            #expect(places == [meant], "\(name)")
        }
    }

    @Test("S7-5 new attributes leave a service its subtypes")
    func subtypesAfterUpdate() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let subtype = try ServiceSubtype("_one")
        let id = try link.perform(server) {
            try $0.register(
                ServiceDescription(name: "X", type: http, port: 80, subtypes: [subtype]), at: $1)
        }
        link.run(.seconds(5))
        try link.perform(server) {
            try $0.update(id, txt: TXTRecord(parsing: ["rev=2"]), at: $1)
        }
        link.run(.seconds(5))
        let browse = try link.perform(client) {
            try $0.startBrowse(http, subtype: subtype, at: $1)
        }
        link.run(.seconds(2))
        #expect(link.browse(client, browse).count == 1)
        let goodbyes = link.records(server, .ptr).filter { $0.timeToLive == .goodbye }
        #expect(goodbyes.isEmpty)
    }

    @Test("M9-6 another name is none that another service of this process has")
    func nextFreeName() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let ids = try ["X (2)", "X"].map { name in
            try link.perform(server) {
                try $0.register(ServiceDescription(name: name, type: http, port: 80), at: $1)
            }
        }
        try link.defend([instance("X").domainName], for: .seconds(5))
        link.run(.seconds(5))
        #expect(
            link.statuses(server, ids[0]).last
                == .established(try instance("X (2)").domainName))
        #expect(
            link.statuses(server, ids[1]) == [
                .probing(try instance("X").domainName),
                .renamed(
                    from: try instance("X").domainName, to: try instance("X (3)").domainName),
                .probing(try instance("X (3)").domainName),
                .established(try instance("X (3)").domainName),
            ])
    }

    @Test("M8-40 a service whose host is renamed again and again never names a former host")
    func hostRenamedOften() throws {
        var link = VirtualLink()
        let server = try link.add("box")
        let id = try link.perform(server) {
            try $0.register(ServiceDescription(name: "X", type: http, port: 80), at: $1)
        }
        let hosts = try (1...8).map { try DomainName($0 == 1 ? "box.local" : "box-\($0).local") }
        try link.defend(
            Array(hosts.prefix(7)), with: .a(IPv4Address(192, 0, 2, 99)), for: .seconds(12))
        link.run(.seconds(10))
        #expect(link.statuses(server, id).last == .established(try instance("X").domainName))
        let targets = Set(
            link.records(server, .srv).compactMap {
                if case .srv(let location) = $0.data { location.target } else { nil }
            })
        #expect(targets == [hosts[7]])
    }

    // MARK: Browsing

    @Test("M14-4 an instance on two interfaces is one on each", arguments: [0, 1])
    func instanceOnBoth(gone: Int) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        link.update(client, interfaces: interfaces)
        let browse = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        link.run(.milliseconds(500))
        let name = try instance("X")
        let both = [VirtualLink.interface, Self.second]
        let pointer = try ResourceRecord(
            http.domainName(), .ptr(name.domainName), timeToLive: .standard)
        for interface in both { try link.inject(response([pointer]), on: interface) }
        link.run(.seconds(1))
        let found = both.map { ServiceInstance(name, on: $0) }
        #expect(link.browse(client, browse) == found.map { .added($0) })
        var goodbye = pointer
        goodbye.timeToLive = .goodbye
        try link.inject(response([goodbye]), on: both[gone])
        link.run(.seconds(3))
        #expect(link.browse(client, browse).dropFirst(2) == [.removed(found[gone])])
    }

    @Test("an instance that is gone is not asked for any more")
    func goneInstance() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        _ = try link.perform(client) { try $0.startBrowse(http, detail: .services, at: $1) }
        link.run(.milliseconds(500))
        let name = try instance("X").domainName
        var pointer = try ResourceRecord(http.domainName(), .ptr(name), timeToLive: .standard)
        try link.inject(response([pointer]))
        link.run(.seconds(2))
        #expect(asked(link, client, since: 0).contains { $0.0 == name })
        pointer.timeToLive = .goodbye
        try link.inject(response([pointer]))
        link.run(.seconds(2))
        let start = link.sent.count
        link.run(.seconds(100))
        #expect(!asked(link, client, since: start).contains { $0.0 == name })
    }

    @Test("a service's host is looked up where the service is", arguments: [0, 1])
    func hostWhereTheServiceIs(which: Int) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        link.update(client, interfaces: interfaces)
        let name = try instance("X")
        let id = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let host = try DomainName("h.local")
        let both = [VirtualLink.interface, Self.second]
        for (number, interface) in both.enumerated() {
            // Each link has its own device of that name.
            let target = number == which ? host : try DomainName("other.local")
            let records = [
                ResourceRecord(
                    name.domainName, .srv(ServiceLocation(target: target, port: 80)),
                    timeToLive: .host, cacheFlush: true),
                ResourceRecord(
                    name.domainName, .txt(TextStrings([[UInt8(number) + 65]]) ?? .empty),
                    timeToLive: .standard, cacheFlush: true),
                ResourceRecord(
                    target, .a(IPv4Address(192, 0, 2, UInt8(number) + 60)), timeToLive: .host,
                    cacheFlush: true),
            ]
            try link.inject(
                response(records), from: number == 0 ? "192.0.2.9" : "198.51.100.9",
                on: interface)
        }
        link.run(.seconds(5))
        let places = asked(link, client, since: 0).filter { $0.0 == host }.map(\.1)
        #expect(Set(places) == [Int(both[which].rawValue)])
        let services = link.resolutions(client, id).compactMap {
            if case .resolved(let service) = $0 { service } else { nil }
        }
        #expect(services.map(\.interface) == both)
        #expect(services.map { $0.txt.textStrings.wireBytes } == [[1, 65], [1, 66]])
        #expect(services[which].host == host && services[1 - which].host != host)
    }

    @Test("the second family of a host whose addresses return is waited for anew")
    func addressesReturn() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let name = try instance("X")
        let id = link.perform(client) { $0.startResolve(name, at: $1) }
        link.run(.seconds(1))
        let host = try DomainName("h.local")
        let location = ResourceRecord(
            name.domainName, .srv(ServiceLocation(target: host, port: 80)), timeToLive: .host,
            cacheFlush: true)
        let text = ResourceRecord(
            name.domainName, .txt(.empty), timeToLive: .standard, cacheFlush: true)
        var four = ResourceRecord(
            host, .a(IPv4Address(192, 0, 2, 60)), timeToLive: .host, cacheFlush: true)
        let six = ResourceRecord(
            host, RecordData(try #require(IPAddress("fe80::60"))), timeToLive: .host,
            cacheFlush: true)
        try link.inject(response([location, four]))
        four.timeToLive = .goodbye
        try link.inject(response([four]))
        link.run(.milliseconds(1_200))
        four.timeToLive = .host
        try link.inject(response([four, text]))
        link.run(.milliseconds(50))
        try link.inject(response([six]))
        link.run(.seconds(1))
        let changes = link.resolutions(client, id)
        #expect(changes.count == 1)
        guard case .resolved(let service) = changes.first else { return }
        #expect(service.addresses.count == 2)
    }
}
