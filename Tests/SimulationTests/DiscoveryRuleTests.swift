import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// Rules that show on a link with whole hosts on it.
@Suite(.runEvidence) struct DiscoveryRuleTests {
    /// A link with a script that receives everything, and hosts.
    struct World {
        var network = VirtualNetwork(seed: 7)
        let link: LinkID
        let ear: HostID
        var hosts: [HostID] = []

        init(hosts count: Int, families: Set<AddressFamily> = [.ipv4]) throws {
            link = network.addLink()
            ear = network.addHost(.script, on: [link], families: families)
            network.start(ear)
            for number in 0..<count {
                let configuration = DiscoveryConfiguration(
                    engine: Configuration(families: families),
                    hostLabel: try Label("host-\(number)"), defaultInstanceName: "Device")
                let host = network.addHost(
                    .discovery(configuration), on: [link], families: families)
                network.start(host)
                hosts.append(host)
            }
        }

        /// What was received since the last call.
        mutating func receivedMessages() throws -> [Message] {
            try network.drainInbox(of: ear).map {
                try Message.decode($0.datagram.payload.span).message
            }
        }

        func established(_ host: HostID) -> [DomainName] {
            network.groundTruth.offers.filter { $0.host == host && $0.isEstablished }
                .compactMap(\.name)
        }
    }

    private let type: ServiceType
    private let service: ServiceDescription

    init() throws {
        type = try ServiceType("_ipp._tcp")
        service = ServiceDescription(name: "Printer", type: type, port: 631)
    }

    @Test("M3-2 SD-1 who loses a name takes another by itself, numbered, and keeps it")
    func losersTakeAnotherName() throws {
        var world = try World(hosts: 2)
        world.network.register(service, by: world.hosts[0])
        world.network.run(for: .seconds(5))
        world.network.register(service, by: world.hosts[1])
        world.network.run(for: .seconds(10))
        let second = try DomainName("Printer (2)._ipp._tcp.local")
        #expect(world.established(world.hosts[1]).contains(second))
        world.network.withDiscovery(of: world.hosts[1]) { $0.wake(at: $1) }
        world.network.run(for: .seconds(10))
        #expect(world.established(world.hosts[1]).contains(second))
        #expect(world.network.groundTruth.renames == 1)
    }

    @Test("M3-7 host names have one label and local")
    func flatHostNames() throws {
        var world = try World(hosts: 3, families: [.ipv4, .ipv6])
        for host in world.hosts { world.network.register(service, by: host) }
        world.network.run(for: .seconds(20))
        var owners: [DomainName] = []
        for message in try world.receivedMessages() {
            for section in MessageSection.allCases {
                owners += message.records(in: section).filter { $0.data.address != nil }
                    .map(\.name)
            }
        }
        #expect(owners.count > 6)
        #expect(owners.allSatisfy { $0.labelCount == 2 && $0.isSubdomain(of: .local) })
    }

    @Test("M13-2 discovery asks for no names outside local")
    func otherDomains() throws {
        var world = try World(hosts: 1)
        world.network.browse(type, by: world.hosts[0])
        world.network.run(for: .seconds(5))
        let asked = try world.receivedMessages().flatMap(\.questions)
        #expect(!asked.isEmpty)
        #expect(asked.allSatisfy { $0.name.isSubdomain(of: .local) })
    }

    @Test("M16-1 MF-1 S4-11 names go out in composed form, as UTF-8")
    func composedNames() throws {
        var world = try World(hosts: 1)
        let decomposed = ServiceDescription(name: "Cafe\u{301}", type: type, port: 1)
        world.network.register(decomposed, by: world.hosts[0])
        world.network.run(for: .seconds(5))
        let label = Array("Caf\u{E9}".utf8)
        let instances = try world.receivedMessages().flatMap(\.answers).compactMap { record in
            if case .ptr(let target) = record.data, record.name.firstLabel?.text == "_ipp" {
                target.firstLabel?.bytes
            } else {
                nil
            }
        }
        #expect(!instances.isEmpty)
        #expect(instances.allSatisfy { $0 == label })
    }

    @Test("SF-1 S12-2 browsing is live: at once, without further asking, over cable and goodbye")
    func liveBrowsing() throws {
        var world = try World(hosts: 2)
        let (provider, browser) = (world.hosts[0], world.hosts[1])
        let registration = world.network.register(service, by: provider)
        world.network.run(for: .seconds(5))
        func found() -> Int { world.network.groundTruth.browses.last?.found.count ?? -1 }

        world.network.browse(type, by: browser)
        world.network.run(for: .milliseconds(400))
        #expect(found() == 1)
        // A second browse has it from the cache.
        world.network.browse(type, by: browser)
        world.network.run(for: .milliseconds(1))
        #expect(found() == 1)

        world.network.setCable(of: browser, on: world.link, isIn: false)
        world.network.run(for: .seconds(1))
        #expect(found() == 0)
        world.network.setCable(of: browser, on: world.link, isIn: true)
        world.network.run(for: .seconds(3))
        #expect(found() == 1)

        if let registration { world.network.unregister(registration, by: provider) }
        world.network.run(for: .milliseconds(1_100))
        #expect(found() == 0)
        world.network.register(service, by: provider)
        world.network.run(for: .seconds(2))
        #expect(found() == 1)
    }

    @Test("M17-3 S6-6 a large TXT record is warned of")
    func largeRecords() throws {
        let value = String(repeating: "x", count: 200)
        let large = try TXTRecord(parsing: (0..<7).map { "key\($0)=\(value)" })
        let small = try TXTRecord(parsing: ["a=1"])
        #expect(small.warnings().isEmpty)
        let isWarned = large.warnings().contains {
            if case .large(_, over: 1300) = $0 { true } else { false }
        }
        #expect(isWarned)
    }
}
