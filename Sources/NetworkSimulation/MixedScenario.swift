import DNSSD
import NetworkPrimitives

/// Hosts of all kinds on links of all kinds, all kinds of faults, and then quiet, in
/// which everyone must come to know what is true. All of it follows from the seed.
package struct MixedScenario: Sendable {
    package var seed: UInt64
    /// How many hosts; drawn from 2 to 12 if nil.
    package var hostCount: Int?
    /// How long things happen.
    package var duration: Duration
    /// The share of deliveries lost on the worst link.
    package var loss: Double
    /// The mean time between two happenings.
    package var pace: Duration

    package init(
        seed: UInt64, hostCount: Int? = nil, duration: Duration = .seconds(600),
        loss: Double = 0.05, pace: Duration = .seconds(10)
    ) {
        self.seed = seed
        self.hostCount = hostCount
        self.duration = duration
        self.loss = loss
        self.pace = pace
    }

    package func run(trace: SimulationTrace = SimulationTrace()) -> Verdict {
        var run = MixedRun(self, trace: trace)
        run.build()
        run.live()
        run.calm()
        return Verdict(network: run.network, notes: ["\(run.happenings) happenings"])
    }
}

/// A run of the mixed scenario.
struct MixedRun {
    let scenario: MixedScenario
    var network: VirtualNetwork
    var happenings = 0
    var generator: SeededGenerator
    var links: [LinkID] = []
    var hosts: [HostID] = []
    /// The families that each host's stack was made for.
    var families: [HostID: Set<AddressFamily>] = [:]
    /// On each link somebody whose queries no stack of ours would send.
    var askers: [HostID] = []
    var services: [(host: HostID, id: OperationID, starts: Int)] = []
    var searches: [(host: HostID, id: OperationID, starts: Int)] = []
    var queries: [(host: HostID, id: OperationID, starts: Int)] = []
    var generation = 0

    static let types = [
        "_http._tcp", "_ipp._tcp", "_ssh._tcp", "_osc._udp", "_airplay._tcp",
    ]
    .compactMap { try? ServiceType($0) }
    static let instances = [
        "Printer", "Küche", "Living room", "a.b\\c", "NAS", "Stage left",
    ]

    init(_ scenario: MixedScenario, trace: SimulationTrace) {
        self.scenario = scenario
        network = VirtualNetwork(seed: scenario.seed, trace: trace)
        // Another sequence than the network's own, so that either may change by itself.
        generator = SeededGenerator(seed: scenario.seed ^ 0x5EED_0F5C_E7A2_1000)
    }

    // MARK: Building

    mutating func build() {
        for _ in 0..<generator.integer(in: 1...3) {
            var conditions: LinkConditions = chance(0.5) ? .wired : .wireless
            // Where nothing is lost, everybody must know everything at once.
            let loss = Double.random(in: 0...scenario.loss, using: &generator)
            conditions.loss = chance(0.4) ? 0 : loss
            conditions.duplication = Double.random(in: 0...0.02, using: &generator)
            links.append(network.addLink(conditions))
        }
        let count = scenario.hostCount ?? generator.integer(in: 2...12)
        for number in 0..<count {
            var attached = [pick(links)]
            if links.count > 1, chance(0.2) {
                attached = Array(generator.shuffled(links).prefix(2))
            }
            // One in eight takes a name that others may take as well.
            let label = chance(0.12) ? "shared" : "host-\(number)"
            let families: Set<AddressFamily> =
                chance(0.7) ? [.ipv4, .ipv6] : chance(0.5) ? [.ipv4] : [.ipv6]
            let host = network.addDevice(label, on: attached, families: families)
            guard let host else { continue }
            hosts.append(host)
            self.families[host] = families
        }
        for link in links {
            let asker = network.addHost(.script, on: [link])
            network.start(asker)
            askers.append(asker)
        }
        for host in hosts {
            network.run(for: generator.duration(in: .zero...(.seconds(2))))
            start(host)
        }
    }

    mutating func start(_ host: HostID) {
        network.start(host)
        for _ in 0..<generator.integer(in: 0...3) { register(host) }
        if chance(0.5) { browse(host) }
        if chance(0.3) { follow(host) }
    }

    private mutating func register(_ host: HostID) {
        guard let type = generator.element(of: Self.types) else { return }
        let name = pick(Self.instances)
        register(chance(0.3) ? name : "\(name) of \(host)", type, by: host)
    }

    mutating func register(_ name: String, _ type: ServiceType, by host: HostID) {
        let service = ServiceDescription(
            name: name, type: type, port: UInt16.random(in: 1024...65_535, using: &generator),
            subtypes: Array(Self.subtypes.prefix(chance(0.3) ? 2 : 0)))
        if let id = network.register(service, by: host) {
            services.append((host, id, network.hosts[host.rawValue].starts))
        }
    }

    private mutating func browse(_ host: HostID) {
        guard let type = generator.element(of: Self.types) else { return }
        let detail: BrowseDetail = chance(0.4) ? .services : .names
        let subtype = chance(0.2) ? generator.element(of: Self.subtypes) : nil
        if let id = network.browse(type, subtype: subtype, detail: detail, by: host) {
            searches.append((host, id, network.hosts[host.rawValue].starts))
        }
    }

    // MARK: Living

    mutating func live() {
        let end = network.now.advanced(by: scenario.duration)
        while network.now < end {
            let wait = generator.duration(in: .zero...(scenario.pace * 2))
            network.run(until: min(end, network.now.advanced(by: wait)))
            happen()
            happenings += 1
            forgetTheDead()
        }
    }

    /// Operations of stacks that are gone.
    private mutating func forgetTheDead() {
        let network = network
        services.removeAll { network.hosts[$0.host.rawValue].starts != $0.starts }
        searches.removeAll { network.hosts[$0.host.rawValue].starts != $0.starts }
        queries.removeAll { network.hosts[$0.host.rawValue].starts != $0.starts }
    }

    private mutating func happen() {
        let host = pick(hosts)
        let state = network.hosts[host.rawValue].state
        if state == .off { return start(host) }
        if state == .asleep { return network.wake(host) }
        switch generator.integer(in: 0..<100) {
        case 0..<14: register(host)
        case 14..<24: withdrawOne()
        case 24..<34: browse(host)
        case 34..<39: stopOne()
        case 39..<44: network.crash(host)
        case 44..<48:
            network.shutDown(host)
            network.run(for: .milliseconds(100))
            network.crash(host)
        case 48..<53: network.suspend(host)
        case 53..<60: flap(host)
        case 60..<65: divide(host)
        case 65..<68: network.restart(host)
        default: happenSeldom(to: host)
        }
    }

    private mutating func withdrawOne() {
        guard let index = generator.element(of: services.indices) else { return }
        let service = services[index]
        guard network.hosts[service.host.rawValue].state == .running else { return }
        services.remove(at: index)
        network.unregister(service.id, by: service.host)
    }

    private mutating func stopOne() {
        guard let index = generator.element(of: searches.indices) else { return }
        let search = searches[index]
        guard network.hosts[search.host.rawValue].state == .running else { return }
        searches.remove(at: index)
        network.stopBrowse(search.id, by: search.host)
    }

    private mutating func flap(_ host: HostID) {
        guard
            let attachment = generator.element(of: network.hosts[host.rawValue].attachments)
        else { return }
        network.setCable(of: host, on: attachment.link, isIn: !attachment.isUp)
    }

    /// Takes a host to the other half of its link, or back; its switch port bounces with it.
    private mutating func divide(_ host: HostID) {
        guard
            let attachment = generator.element(of: network.hosts[host.rawValue].attachments)
        else { return }
        let group = network.group(of: host, on: attachment.link) == 0 ? 1 : 0
        network.setPartition(of: host, on: attachment.link, group: group)
    }

    // MARK: Quiet

    /// Everything is mended; then nothing happens for longer than any record lives.
    mutating func calm() {
        for link in links { network.setConditions(.wired, of: link) }
        for host in hosts {
            for attachment in network.hosts[host.rawValue].attachments {
                network.setPartition(of: host, on: attachment.link, group: 0)
                if !attachment.isUp {
                    network.setCable(of: host, on: attachment.link, isIn: true)
                }
            }
            switch network.hosts[host.rawValue].state {
            case .running: break
            case .asleep: network.wake(host)
            case .off: start(host)
            }
            network.run(for: .milliseconds(100))
        }
        // Who was apart without knowing finds out: the switch that joins them bounces all ports.
        for host in hosts { network.restart(host) }
        network.run(for: .seconds(120))
        network.checkOwners()
        network.run(for: .seconds(4500 * 12 / 10))
        network.checkOwners()
        network.checkBrowses()
    }

    // MARK: Chance

    mutating func chance(_ share: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < share
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[generator.integer(in: elements.indices)]
    }
}
