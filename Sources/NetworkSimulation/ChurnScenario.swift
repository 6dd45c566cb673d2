import DNSMessages
import DNSSD
import NetworkPrimitives

/// A link with a great many records on which something changes all day: services come, change
/// and go, hosts crash, stop, and come back, programs browse and resolve. Each day ends with an
/// hour and a half of quiet, after which everyone must know exactly what is there.
///
/// A week of ten thousand records is affordable because they are on few hosts and of many types:
/// what a run costs is deliveries: a datagram is received by every host, and every record of a
/// browsed type that needs refreshing is asked for with all others of its type as known answers.
package struct ChurnScenario: Sendable {
    package var seed: UInt64
    /// PTR, SRV and TXT records of all services together; the numbers of services that come and
    /// go keep it near this.
    package var recordCount: Int
    package var hostCount: Int
    package var duration: Duration
    /// The mean time between two happenings.
    package var pace: Duration
    package var conditions = LinkConditions.wired
    /// How long a day is, its quiet included.
    package var day: Duration = .seconds(86_400)

    /// The quiet at a day's end: 120 % of the longest lifetime.
    package static let quiet: Duration = .seconds(4500 * 12 / 10)

    package init(
        seed: UInt64, recordCount: Int = 10_000, hostCount: Int = 20,
        duration: Duration = .seconds(7 * 86_400), pace: Duration = .seconds(60)
    ) {
        self.seed = seed
        self.recordCount = recordCount
        self.hostCount = hostCount
        self.duration = duration
        self.pace = pace
    }

    package func run(trace: SimulationTrace = SimulationTrace(keptLines: 0)) -> Verdict {
        var run = ChurnRun(self, trace: trace)
        run.build()
        let end = run.network.now.advanced(by: duration)
        while run.network.now < end {
            run.live(until: min(end, run.network.now.advanced(by: day)))
        }
        return run.verdict
    }
}

/// A run of the churn scenario.
private struct ChurnRun {
    private struct Operation {
        let host: HostID
        let id: OperationID
    }

    let scenario: ChurnScenario
    var network: VirtualNetwork
    private var generator: SeededGenerator
    private var hosts: [HostID] = []
    private var services: [Operation] = []
    private var browses: [Operation] = []
    private var resolutions: [Operation] = []
    private var lastService = 0
    private var happenings: [String: Int] = [:]
    private var fewestRecords = Int.max
    private var mostRecords = 0
    private var mostCached = 0

    private static let types = (0..<20).compactMap { try? ServiceType("_churn-\($0)._tcp") }

    init(_ scenario: ChurnScenario, trace: SimulationTrace) {
        self.scenario = scenario
        network = VirtualNetwork(seed: scenario.seed, trace: trace)
        generator = SeededGenerator(seed: scenario.seed ^ 0xC4BA_11ED)
    }

    /// What a host has when all is well.
    private var servicesPerHost: Int {
        max(scenario.recordCount / 3 / max(scenario.hostCount, 1), 1)
    }

    private var recordCount: Int { services.count * 3 }

    // MARK: Building

    mutating func build() {
        let link = network.addLink(scenario.conditions)
        hosts = (0..<scenario.hostCount).compactMap { network.addDevice("host-\($0)", on: [link]) }
        for host in hosts {
            start(host)
            network.run(for: .seconds(2))
        }
    }

    private mutating func start(_ host: HostID) {
        network.start(host)
        for _ in 0..<servicesPerHost { register(by: host) }
        // One host in five looks for something all the time.
        if host.rawValue % 5 == 0 { browse(by: host) }
    }

    // MARK: Living

    /// A day: things happen, and then nothing.
    mutating func live(until end: Instant) {
        let evening = end.advanced(by: .zero - ChurnScenario.quiet)
        while network.now < evening {
            let wait = generator.duration(in: .zero...(scenario.pace * 2))
            network.run(until: min(evening, network.now.advanced(by: wait)))
            happen()
            observe()
        }
        for host in hosts where network.hosts[host.rawValue].state == .off { start(host) }
        network.run(until: max(end, network.now.advanced(by: ChurnScenario.quiet)))
        network.checkOwners()
        network.checkBrowses()
        observe()
    }

    private mutating func observe() {
        fewestRecords = min(fewestRecords, recordCount)
        mostRecords = max(mostRecords, recordCount)
        for host in hosts {
            mostCached = max(mostCached, network.hosts[host.rawValue].cachedRecordCount ?? 0)
        }
    }

    private mutating func happen() {
        let host = hosts[generator.integer(in: hosts.indices)]
        guard network.hosts[host.rawValue].state == .running else {
            count("returns")
            return start(host)
        }
        switch generator.integer(in: 0..<100) {
        case 0..<40:
            if recordCount < scenario.recordCount {
                count("registrations")
                register(by: host)
            } else {
                withdrawOne()
            }
        case 40..<60: changeOne()
        case 60..<68:
            count("crashes")
            network.crash(host)
            forget(host)
        case 68..<72:
            count("shutdowns")
            network.shutDown(host)
            network.run(for: .milliseconds(100))
            network.crash(host)
            forget(host)
        case 72..<78:
            count("browses")
            browse(by: host)
        case 78..<84: stopOneBrowse()
        case 84..<95: resolveOne(by: host)
        default: stopResolutions()
        }
    }

    private mutating func count(_ happening: String) {
        happenings[happening, default: 0] += 1
    }

    private mutating func forget(_ host: HostID) {
        services.removeAll { $0.host == host }
        browses.removeAll { $0.host == host }
        resolutions.removeAll { $0.host == host }
    }

    private mutating func register(by host: HostID) {
        guard let type = generator.element(of: Self.types) else { return }
        lastService += 1
        let service = ServiceDescription(
            name: "Service \(lastService)", type: type,
            port: UInt16.random(in: 1024...65_535, using: &generator))
        if let id = network.register(service, by: host) {
            services.append(Operation(host: host, id: id))
        }
    }

    private mutating func withdrawOne() {
        guard let index = generator.element(of: services.indices) else { return }
        count("withdrawals")
        let service = services.remove(at: index)
        network.unregister(service.id, by: service.host)
    }

    private mutating func changeOne() {
        guard let service = generator.element(of: services),
            let text = try? TXTRecord(parsing: [
                "n=\(UInt16.random(in: 0...999, using: &generator))"
            ])
        else { return }
        count("changes")
        network.update(service.id, txt: text, by: service.host)
    }

    private mutating func browse(by host: HostID) {
        guard let type = generator.element(of: Self.types),
            let id = network.browse(type, by: host)
        else { return }
        browses.append(Operation(host: host, id: id))
    }

    /// Some keep on: there are never fewer browses than one for five hosts.
    private mutating func stopOneBrowse() {
        guard browses.count > max(hosts.count / 5, 1),
            let index = generator.element(of: browses.indices)
        else { return }
        count("ended browses")
        let browse = browses.remove(at: index)
        network.stopBrowse(browse.id, by: browse.host)
    }

    /// Resolves something that is there, which takes no more than a moment.
    private mutating func resolveOne(by host: HostID) {
        let offers = network.groundTruth.offers
        guard !offers.isEmpty else { return }
        let offer = offers[generator.integer(in: offers.indices)]
        guard offer.operation != nil, let name = offer.name,
            let instance = ServiceInstanceName(name)
        else { return }
        count("resolutions")
        network.setRecordsEvents(true, of: host)
        guard let id = network.withDiscovery(of: host, { $0.startResolve(instance, at: $1) })
        else { return }
        resolutions.append(Operation(host: host, id: id))
        network.run(for: .seconds(3))
        let isResolved = network.drainEvents(of: host).contains { event in
            guard case .operation(id, .resolution(.resolved)) = event else { return false }
            return true
        }
        network.setRecordsEvents(false, of: host)
        if offer.isEstablished, !isResolved {
            network.invariants.report("did not resolve \(name)", by: host, at: network.now)
        }
    }

    private mutating func stopResolutions() {
        for resolution in resolutions {
            network.withDiscovery(of: resolution.host) { $0.stop(resolution.id, at: $1) }
        }
        resolutions = []
    }

    // MARK: Verdict

    var verdict: Verdict {
        let counts = happenings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return Verdict(
            network: network,
            notes: [
                "\(fewestRecords) to \(mostRecords) records offered, at most \(mostCached) cached "
                    + "by one host",
                counts.joined(separator: ", "),
            ])
    }
}
