import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("Services known in part")
struct PartialResolutionTests {
    let type: ServiceType
    let name: ServiceInstanceName
    let host: DomainName

    init() throws {
        type = try ServiceType("_http._tcp")
        name = try ServiceInstanceName("x", type: type)
        host = try DomainName("box.local")
    }

    private func ptr(_ name: ServiceInstanceName) throws -> ResourceRecord {
        try ResourceRecord(
            type.domainName(), .ptr(name.domainName), timeToLive: TimeToLive(rawValue: 4500))
    }

    private func srv(
        _ name: ServiceInstanceName, ttl: UInt32 = 120
    ) -> ResourceRecord {
        ResourceRecord(
            name.domainName, .srv(ServiceLocation(target: host, port: 80)),
            timeToLive: TimeToLive(rawValue: ttl), cacheFlush: true)
    }

    private func txt(_ name: ServiceInstanceName) -> ResourceRecord {
        ResourceRecord(
            name.domainName, .txt(.empty), timeToLive: TimeToLive(rawValue: 4500),
            cacheFlush: true)
    }

    private func address(_ text: String, ttl: UInt32 = 120) throws -> ResourceRecord {
        ResourceRecord(
            host, RecordData(try #require(IPAddress(text))),
            timeToLive: TimeToLive(rawValue: ttl), cacheFlush: true)
    }

    private func states(
        _ link: VirtualLink, _ client: Int, _ browse: OperationID
    ) -> [String] {
        link.browse(client, browse).map { event in
            let known =
                switch event.instance?.resolution {
                case .resolved(let service): "resolved \(service.addresses.count)"
                case .partial(let service): "\(service.missing)"
                case .unavailable: "unavailable"
                case .lost: "lost"
                case nil: "name"
                }
            return switch event {
            case .added: "+ \(known)"
            case .changed: "~ \(known)"
            case .removed: "- \(known)"
            case .incomplete: "incomplete"
            }
        }
    }

    @Test(
        "field 02: an expired SRV or address is reported, and its return", arguments: [true, false])
    func expiry(ofAddress: Bool) throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let browse = try link.perform(client) {
            try $0.startBrowse(type, detail: .services, at: $1)
        }
        link.run(.seconds(1))
        let answer = try response([
            ptr(name), srv(name, ttl: ofAddress ? 120 : 4), txt(name),
            address("192.0.2.9", ttl: ofAddress ? 4 : 120),
        ])
        try link.inject(answer)
        link.run(.seconds(20))
        let missing = ofAddress ? "addresses" : "location"
        #expect(states(link, client, browse) == ["+ name", "~ resolved 1", "~ \(missing)"])
        try link.inject(answer)
        link.run(.seconds(1))
        #expect(states(link, client, browse).last == "~ resolved 1")
    }

    @Test(
        "field 03: a service without an address or SRV is listed with the rest, or its name alone")
    func parts() throws {
        for (records, missing) in [
            ([srv(name), txt(name)], "addresses"), ([txt(name)], "location"), ([], "location"),
        ] {
            var link = VirtualLink()
            let client = try link.add("client")
            let browse = try link.perform(client) {
                try $0.startBrowse(type, detail: .services, at: $1)
            }
            link.run(.seconds(1))
            try link.inject(response([ptr(name)] + records))
            link.run(.seconds(4))
            #expect(states(link, client, browse) == ["+ name", "~ \(missing)"])
        }
    }

    @Test("A-12 a service that is not offered is listed as such, without delay")
    func notOffered() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let browse = try link.perform(client) {
            try $0.startBrowse(type, detail: .services, at: $1)
        }
        link.run(.seconds(1))
        let none = ResourceRecord(
            name.domainName, .srv(ServiceLocation(target: .root, port: 0)), timeToLive: .host,
            cacheFlush: true)
        try link.inject(response([ptr(name), none]))
        #expect(states(link, client, browse) == ["+ name", "~ unavailable"])
    }

    @Test(
        "field 05: addresses of the link first, link-local ones last, unusable ones never",
        arguments: [
            [
                "127.0.0.1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "169.254.7.7",
                "10.9.9.9", "192.0.2.77",
            ],
            ["::1", "::", "ff02::fb", "fe80::7", "2001:db8:9::1", "2001:db8:2::77"],
        ])
    func order(_ addresses: [String]) throws {
        var link = VirtualLink()
        let client = try link.add("client", addresses: ["192.0.2.1", "fe80::1", "2001:db8:2::1"])
        let resolve = link.perform(client) { $0.startResolve(name, at: $1) }
        let lookup = link.perform(client) { $0.startAddressLookup(host: host, at: $1) }
        link.run(.seconds(1))
        try link.inject(response([srv(name), txt(name)] + addresses.map { try address($0) }))
        link.run(.seconds(1))
        guard case .resolved(let service) = link.resolutions(client, resolve).last else {
            Issue.record("\(link.resolutions(client, resolve))")
            return
        }
        #expect(service.addresses.map(\.description) == addresses.suffix(3).reversed())
        #expect(link.addresses(client, lookup).count == 3)
    }

    @Test("loopback addresses are listed on the loopback itself")
    func loopback() throws {
        var interface = VirtualLink.ethernet(["127.0.0.1", "::1"])
        interface.flags = [.up, .running, .loopback]
        for text in ["127.0.0.1", "::1"] {
            let address = try #require(IPAddress(text))
            #expect(AddressPreference.ordered([address], on: interface) == [address])
            #expect(AddressPreference.ordered([address], on: nil).isEmpty)
        }
    }

    @Test("D-28 a browse of very many services resolves a window at a time, and all in the end")
    func window() throws {
        var link = VirtualLink()
        let client = try link.add("client")
        let browse = try link.perform(client) {
            try $0.startBrowse(type, detail: .services, at: $1)
        }
        link.run(.seconds(1))
        let names = try (0..<500).map { try ServiceInstanceName("n\($0)", type: type) }
        for start in stride(from: 0, to: names.count, by: 50) {
            try link.inject(response(names[start..<start + 50].map { try ptr($0) }))
        }
        let before = link.sent.count
        link.run(.seconds(1))
        let asked = Set(
            link.sent[before...].flatMap { $0.message.questions }.filter { $0.type == .srv })
        #expect(asked.count == DiscoveryLimits.pendingResolutions)
        // Whoever has not been asked about yet can go without a trace.
        let gone = ResourceRecord(
            try type.domainName(), .ptr(names[499].domainName), timeToLive: .goodbye)
        try link.inject(response([gone]))
        // The first hundred never answer; the others do as soon as they are asked.
        var seen = link.sent.count
        for _ in 0..<3000 {
            link.run(.milliseconds(10))
            let questions = link.sent[seen...].flatMap { $0.message.questions }
            seen = link.sent.count
            for name in names[100...]
            where questions.contains(where: { $0.name == name.domainName }) {
                try link.inject(response([srv(name), txt(name), address("192.0.2.9")]))
            }
        }
        let resolved = Set(
            link.browse(client, browse).compactMap { $0.instance?.service?.name })
        #expect(resolved == Set(names[100..<499]))
    }
}
