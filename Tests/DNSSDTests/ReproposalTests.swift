import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import Testing

@Suite("Services whose host is renamed while they are probed for")
struct ReproposalTests {
    private let http: ServiceType
    private let box: DomainName
    private let service: DomainName

    init() throws {
        http = try ServiceType("_http._tcp")
        box = try DomainName("box.local")
        service = try ServiceInstanceName("x", type: http).domainName
    }

    private func register(
        on host: Int, of link: inout VirtualLink, proxy: DomainName? = nil
    ) throws -> OperationID {
        let address = try #require(IPAddress("192.0.2.77"))
        let proxy = proxy.map { ServiceDescription.ProxyHost(name: $0, addresses: [address]) }
        return try link.perform(host) {
            try $0.register(
                ServiceDescription(name: "x", type: http, port: 80, host: proxy), at: $1)
        }
    }

    private func runToProbe(of name: DomainName, _ link: inout VirtualLink) {
        for _ in 0..<100 {
            let isProbed = link.sent.contains {
                !$0.message.authorities.isEmpty
                    && $0.message.questions.contains { $0.name == name }
            }
            if isProbed { return }
            link.run(.milliseconds(10))
        }
    }

    private func foreignAddress(_ name: DomainName) throws -> ResourceRecord {
        let address = try #require(IPAddress("192.0.2.9"))
        return ResourceRecord(name, RecordData(address), timeToLive: .host, cacheFlush: true)
    }

    /// Whichever is contradicted first: what comes of the host's conflict must not undo the
    /// service's.
    @Test(
        "M8-12 a host and its service that another host has are both renamed",
        arguments: [true, false], [nil, "lamp.local"])
    func both(hostFirst: Bool, proxyName: String?) throws {
        var link = VirtualLink()
        let host = try link.add("box")
        let proxy = try proxyName.map { try DomainName($0) }
        let id = try register(on: host, of: &link, proxy: proxy)
        runToProbe(of: service, &link)
        let enemy = ServiceLocation(target: try DomainName("enemy.local"), port: 9)
        let address = try foreignAddress(proxy ?? box)
        let location = ResourceRecord(service, .srv(enemy), timeToLive: .host, cacheFlush: true)
        try link.inject(response(hostFirst ? [address, location] : [location, address]))
        link.run(.seconds(10))
        let renamed = try ServiceInstanceName("x (2)", type: http).domainName
        #expect(link.statuses(host, id).last == .established(renamed))
        let targets = link.records(host, .srv).filter { $0.name == renamed }.compactMap {
            if case .srv(let location) = $0.data { location.target } else { nil }
        }
        let other = try DomainName(proxy == nil ? "box-2.local" : "lamp-2.local")
        #expect(targets.last == other)
        #expect(!link.records(host, .srv).contains { $0.name == service })
    }

    @Test("M8-12 a holder with the very data that was proposed a moment ago has the name")
    func formerProposal() throws {
        var link = VirtualLink()
        let host = try link.add("box")
        let id = try register(on: host, of: &link)
        runToProbe(of: service, &link)
        try link.inject(response([try foreignAddress(box)]))
        let former = RecordData.srv(ServiceLocation(target: box, port: 80))
        try link.defend([service], with: former, for: .seconds(4))
        link.run(.seconds(10))
        let renamed = try ServiceInstanceName("x (2)", type: http).domainName
        #expect(link.statuses(host, id).last == .established(renamed))
        #expect(!link.records(host, .srv).contains { $0.name == service })
    }

    @Test("M8-41 a host that is renamed after a wake says no goodbye for services that live on")
    func noGoodbye() throws {
        var link = VirtualLink()
        let host = try link.add("box")
        let client = try link.add("client")
        let id = try register(on: host, of: &link)
        let browse = try link.perform(client) { try $0.startBrowse(http, at: $1) }
        link.run(.seconds(10))
        link.perform(host) { $0.wake(at: $1) }
        try link.defend([box], with: try foreignAddress(box).data, for: .seconds(3))
        link.run(.seconds(10))
        #expect(link.discovery(host).hostName == (try DomainName("box-2.local")))
        #expect(link.statuses(host, id).last == .established(service))
        let goodbyes = link.sent.flatMap { $0.message.answers }.filter {
            $0.data == .ptr(service) && $0.timeToLive == .goodbye
        }
        #expect(goodbyes.isEmpty)
        let wasLost = link.browse(client, browse).contains {
            if case .removed = $0 { true } else { false }
        }
        #expect(!wasLost)
    }

    @Test("what is due when an address comes is done at once")
    func nothingLeftBehind() throws {
        let first = VirtualLink.ethernet(["192.0.2.1"])
        var discovery = Discovery(
            configuration: DiscoveryConfiguration(
                hostLabel: try Label("box"), defaultInstanceName: "Box", hostPublication: .always),
            generator: SeededGenerator(seed: 1))
        discovery.update(interfaces: [first], at: .zero)
        var now = Instant.zero
        while let due = discovery.deadline, due < .zero.advanced(by: .seconds(20)) {
            now = due
            discovery.advance(to: now)
            while discovery.nextOutput() != nil {}
        }
        now = .zero.advanced(by: .seconds(20))
        discovery.update(interfaces: [VirtualLink.ethernet(["192.0.2.1", "192.0.2.2"])], at: now)
        while discovery.nextOutput() != nil {}
        var steps = 0
        while let due = discovery.deadline, due < .zero.advanced(by: .seconds(30)), steps < 100 {
            steps += 1
            discovery.advance(to: due)
            while discovery.nextOutput() != nil {}
            #expect(discovery.deadline.map { $0 > due } ?? true)
        }
        #expect(steps > 0 && steps < 100)
    }
}
