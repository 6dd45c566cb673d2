import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("Browsing")
struct BrowseTests {
    let http: ServiceType

    init() throws {
        http = try ServiceType("_http._tcp")
    }

    private func pointer(
        _ owner: String, _ target: String, ttl: TimeToLive = .standard
    ) throws -> ResourceRecord {
        ResourceRecord(try DomainName(owner), .ptr(try DomainName(target)), timeToLive: ttl)
    }

    @Test("S4-1 a browse asks PTR of the type; each instance is added once and removed once")
    func addedAndRemoved() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let service = ServiceDescription(name: "My Site", type: http, port: 80)
        let registration = try link.perform(server) { try $0.register(service, at: $1) }
        let browse = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        link.run(.seconds(10))
        let question = try #require(
            link.sent.first { $0.host == client }?.message.questions.first)
        #expect(question.name.description == "_http._tcp.local")
        #expect(question.type == .ptr)
        let name = try ServiceInstanceName("My Site", type: http)
        let instance = ServiceInstance(name, on: VirtualLink.interface)
        #expect(link.browse(client, browse) == [.added(instance)])

        link.perform(server) { $0.unregister(registration, at: $1) }
        link.run(.seconds(5))
        #expect(link.browse(client, browse) == [.added(instance), .removed(instance)])
    }

    @Test("A-20 the same answer twice, in another case too, is one instance")
    func onlyOnce() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let browse = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        for target in ["Box._http._tcp.local", "Box._http._tcp.local", "BOX._HTTP._tcp.LOCAL"] {
            try link.inject(response([pointer("_http._tcp.local", target)]))
            link.run(.milliseconds(300))
        }
        let changes = link.browse(client, browse)
        #expect(changes.count == 1)
        #expect(changes.first?.instance?.name.instance == "Box")
    }

    @Test("S4-13 an answer of another type or domain is reported with its own parts")
    func otherParts() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let browse = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        try link.inject(
            response([
                pointer("_http._tcp.local", "a\\.b._ipp._tcp.example.com"),
                pointer("_http._tcp.local", "not-an-instance.local"),
                pointer("_http._tcp.local", "_http._tcp.local"),
            ]))
        link.run(.seconds(1))
        let changes = link.browse(client, browse)
        #expect(changes.count == 1)
        let name = try #require(changes.first?.instance?.name)
        #expect(name.instance == "a.b")
        #expect(name.type == (try ServiceType("_ipp._tcp")))
        #expect(name.domain == (try DomainName("example.com")))
    }

    @Test("S7-3 a type asked for in another case is answered")
    func caseOfType() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let service = ServiceDescription(name: "x", type: http, port: 80)
        _ = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        let browse = try link.perform(client) {
            try $0.startBrowse(ServiceType("_HTTP._TCP"), at: $1)
        }
        link.run(.seconds(3))
        #expect(link.browse(client, browse).count == 1)
    }

    @Test("S7-5 a subtype finds the ordinary instance name, and the type finds it too")
    func subtypes() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let subtype = try ServiceSubtype("_printer")
        let plain = ServiceDescription(name: "plain", type: http, port: 80)
        let special = ServiceDescription(
            name: "special", type: http, port: 81, subtypes: [subtype])
        _ = try link.perform(server) { try $0.register(plain, at: $1) }
        let registration = try link.perform(server) { try $0.register(special, at: $1) }
        let narrow = try link.perform(client) {
            try $0.startBrowse(http, subtype: subtype, at: $1)
        }
        let wide = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        link.run(.seconds(10))
        let name = try ServiceInstanceName("special", type: http)
        let instance = ServiceInstance(name, on: VirtualLink.interface)
        #expect(link.browse(client, narrow) == [.added(instance)])
        #expect(
            Set(link.browse(client, wide).map(\.instance?.name.instance)) == ["plain", "special"])

        // A subtype that is taken away is withdrawn by itself; the service stays.
        try link.perform(server) { try $0.update(registration, subtypes: [], at: $1) }
        link.run(.seconds(5))
        #expect(link.browse(client, narrow).last == .removed(instance))
        #expect(!link.browse(client, wide).contains(.removed(instance)))
    }

    @Test("S7-6 subtypes of any bytes are found")
    func binarySubtype() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let subtype = ServiceSubtype(try Label([0xFF, 0x2E, 0x00]))
        let service = ServiceDescription(name: "x", type: http, port: 80, subtypes: [subtype])
        _ = try link.perform(server) { try $0.register(service, at: $1) }
        let browse = try link.perform(client) {
            try $0.startBrowse(http, subtype: subtype, at: $1)
        }
        link.run(.seconds(5))
        #expect(link.browse(client, browse).count == 1)
    }

    @Test("a browse that resolves tells what is known, and what changes")
    func resolvingBrowse() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let service = ServiceDescription(
            name: "x", type: http, port: 80, txt: try TXTRecord(parsing: ["v=1"]))
        let registration = try link.perform(server) { try $0.register(service, at: $1) }
        let browse = try link.perform(client) {
            try $0.startBrowse(http, detail: .services, at: $1)
        }
        link.run(.seconds(10))
        var changes = link.browse(client, browse)
        #expect(changes.count == 2)
        guard case .changed(let resolved) = changes.last else {
            Issue.record("not resolved: \(changes)")
            return
        }
        #expect(resolved.service?.port == 80)
        #expect(resolved.service?.txt["v"]?.text == "1")
        #expect(resolved.service?.addresses.count == 2)

        try link.perform(server) {
            try $0.update(registration, txt: TXTRecord(parsing: ["v=2"]), at: $1)
        }
        link.run(.seconds(5))
        changes = link.browse(client, browse)
        #expect(changes.count == 3)
        #expect(changes.last?.instance?.service?.txt["v"]?.text == "2")

        link.perform(server) { $0.unregister(registration, at: $1) }
        link.run(.seconds(5))
        changes = link.browse(client, browse)
        #expect(changes.filter { if case .removed = $0 { true } else { false } }.count == 1)
        guard case .removed = changes.last else {
            Issue.record("something was said after the end: \(changes)")
            return
        }
    }

    @Test("a stopped browse gets no more events")
    func stopped() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let browse = try link.perform(client) {
            try $0.startBrowse(http, detail: .services, at: $1)
        }
        try link.inject(response([pointer("_http._tcp.local", "x._http._tcp.local")]))
        link.run(.seconds(1))
        link.perform(client) { $0.stop(browse, at: $1) }
        let count = link.events(client, browse).count
        let packets = link.sent.count
        #expect(count == 1)
        try link.inject(
            response([pointer("_http._tcp.local", "x._http._tcp.local", ttl: .goodbye)]))
        link.run(.seconds(5000))
        #expect(link.events(client, browse).count == count)
        #expect(link.sent.count == packets)
        #expect(link.discovery(client).deadline == nil)
    }

    @Test("S9-1 each type is listed once, without subtypes")
    func types() throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        let ipp = try ServiceType("_ipp._tcp")
        let subtype = try ServiceSubtype("_universal")
        let one = ServiceDescription(name: "a", type: http, port: 80)
        let two = ServiceDescription(name: "b", type: http, port: 81)
        let three = ServiceDescription(name: "c", type: ipp, port: 82, subtypes: [subtype])
        let first = try link.perform(server) { try $0.register(one, at: $1) }
        let second = try link.perform(server) { try $0.register(two, at: $1) }
        _ = try link.perform(server) { try $0.register(three, at: $1) }
        link.run(.seconds(5))
        let listing = try link.perform(client) { try $0.startTypeEnumeration(at: $1) }
        link.run(.seconds(5))
        let listed = Discovery.Event.types(.added(http, VirtualLink.interface))
        #expect(
            Set(link.events(client, listing)) == [
                listed, .types(.added(ipp, VirtualLink.interface)),
            ])
        #expect(link.events(client, listing).count == 2)

        // The two share the record that names the type: it goes with the last of them.
        let gone = Discovery.Event.types(.removed(http, VirtualLink.interface))
        link.perform(server) { $0.unregister(first, at: $1) }
        link.run(.seconds(5))
        #expect(!link.events(client, listing).contains(gone))
        link.perform(server) { $0.unregister(second, at: $1) }
        link.run(.seconds(5))
        #expect(link.events(client, listing).filter { $0 == gone }.count == 1)
    }

    @Test("S9-2 only the first two labels name a type")
    func typesOfDomains() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let listing = try link.perform(client) { try $0.startTypeEnumeration(at: $1) }
        let owner = "_services._dns-sd._udp.local"
        try link.inject(
            response([
                pointer(owner, "_http._tcp.local"), pointer(owner, "_http._tcp.example.com"),
                pointer(owner, "nonsense.local"),
            ]))
        link.run(.seconds(1))
        let added = Discovery.Event.types(.added(http, VirtualLink.interface))
        #expect(link.events(client, listing) == [added])
        try link.inject(response([pointer(owner, "_http._tcp.local", ttl: .goodbye)]))
        link.run(.seconds(2))
        #expect(link.events(client, listing) == [added])
        try link.inject(response([pointer(owner, "_http._tcp.example.com", ttl: .goodbye)]))
        link.run(.seconds(2))
        #expect(link.events(client, listing).count == 2)
    }

    @Test("M14-4 a browse can be kept to one interface and names where it found things")
    func interfaces() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let second = InterfaceIndex(rawValue: 3)
        link.update(
            client,
            interfaces: [
                VirtualLink.ethernet(["192.0.2.1"]),
                VirtualLink.ethernet(["198.51.100.1"], index: second, name: "eth1"),
            ])
        let narrow = try link.perform(client) {
            try $0.startBrowse(http, on: .named(["eth1"]), at: $1)
        }
        let wide = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        link.run(.seconds(1))
        let asked = link.sent.filter { $0.host == client && $0.interface == second }
        #expect(!asked.isEmpty)
        try link.inject(response([pointer("_http._tcp.local", "x._http._tcp.local")]))
        link.run(.seconds(1))
        #expect(link.browse(client, narrow).isEmpty)
        #expect(link.browse(client, wide).map(\.instance?.interface) == [VirtualLink.interface])
    }
}
