import DNSMessages
import DNSSD
import NetworkPrimitives
import Testing

/// The second subtype, instance, interface and host of what is browsed and resolved.
@Suite("The second of each, browsing")
struct SecondResolutionTests {
    private static let second = InterfaceIndex(rawValue: 3)
    private let http: ServiceType

    init() throws {
        http = try ServiceType("_http._tcp")
    }

    private func pointer(_ name: String) throws -> ResourceRecord {
        ResourceRecord(
            try http.domainName(), .ptr(try ServiceInstanceName(name, type: http).domainName),
            timeToLive: .standard)
    }

    private func location(_ name: String, _ host: String) throws -> ResourceRecord {
        ResourceRecord(
            try ServiceInstanceName(name, type: http).domainName,
            .srv(ServiceLocation(target: try DomainName(host), port: 80)), timeToLive: .host,
            cacheFlush: true)
    }

    /// The names that a host asks for from that place on.
    private func asked(_ link: VirtualLink, _ host: Int, since start: Int) -> Set<DomainName> {
        Set(
            link.sent[start...].filter { $0.host == host }.flatMap(\.message.questions)
                .map(\.name))
    }

    @Test("S7-5 a service is found by each of its subtypes", arguments: ["_one", "_two", "_three"])
    func everySubtype(text: String) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let client = try link.add("client")
        var service = ServiceDescription(name: "X", type: http, port: 80)
        service.subtypes = try ["_one", "_two", "_three"].map { try ServiceSubtype($0) }
        _ = try link.perform(server) { try $0.register(service, at: $1) }
        link.run(.seconds(5))
        let subtype = try ServiceSubtype(text)
        let browse = try link.perform(client) {
            try $0.startBrowse(http, subtype: subtype, at: $1)
        }
        link.run(.seconds(2))
        #expect(link.browse(client, browse).count == 1)
    }

    @Test("a browse that resolves and ends leaves no query of any instance behind")
    func endedBrowse() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let browse = try link.perform(client) {
            try $0.startBrowse(http, detail: .services, at: $1)
        }
        link.run(.milliseconds(300))
        try link.inject(response([pointer("One"), pointer("Two"), pointer("Three")]))
        link.run(.seconds(2))
        link.perform(client) { $0.stop(browse, at: $1) }
        let start = link.sent.count
        link.run(.seconds(100))
        #expect(asked(link, client, since: start).isEmpty)
    }

    @Test("a resolution on two interfaces that ends asks for its host on neither")
    func endedResolution() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        link.update(
            client,
            interfaces: [
                VirtualLink.ethernet(["192.0.2.1"]),
                VirtualLink.ethernet(["198.51.100.1"], index: Self.second, name: "eth1"),
            ])
        let instance = try ServiceInstanceName("One", type: http)
        let id = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.milliseconds(300))
        for interface in [VirtualLink.interface, Self.second] {
            try link.inject(response([location("One", "h.local")]), on: interface)
        }
        let before = link.sent.count
        link.run(.seconds(2))
        #expect(asked(link, client, since: before).contains(try DomainName("h.local")))
        link.perform(client) { $0.stop(id, at: $1) }
        let start = link.sent.count
        link.run(.seconds(100))
        #expect(asked(link, client, since: start).isEmpty)
    }

    @Test("the former host of a service that moved is asked for no longer")
    func formerHost() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let instance = try ServiceInstanceName("One", type: http)
        _ = link.perform(client) { $0.startResolve(instance, at: $1) }
        link.run(.milliseconds(300))
        try link.inject(response([location("One", "old.local")]))
        link.run(.seconds(5))
        try link.inject(response([location("One", "new.local")]))
        link.run(.seconds(3))
        let start = link.sent.count
        link.run(.seconds(60))
        let names = asked(link, client, since: start)
        #expect(names.contains(try DomainName("new.local")))
        #expect(!names.contains(try DomainName("old.local")))
    }

    @Test("records are reported by the first name that is theirs alone", arguments: [false, true])
    func nameOfRecords(isReversed: Bool) throws {
        var link = VirtualLink()
        let server = try link.add("server")
        let unique = try location("One", "h.local")
        let members: [RecordRegistration.Member] = [
            .init(try pointer("One"), .shared), .init(unique, .unique),
        ]
        let records = RecordRegistration(isReversed ? members.reversed() : members)
        let id = try link.perform(server) { try $0.registerRecords(records, at: $1) }
        link.run(.seconds(5))
        #expect(link.statuses(server, id) == [.probing(unique.name), .established(unique.name)])
    }
}
