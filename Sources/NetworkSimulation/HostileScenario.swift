import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

/// A host that says 20,000 things a second, none of them true, on a link where others offer
/// services and a user looks at them: random names, floods of the browsed type from one source
/// and from many, forged goodbyes, packets as large as can be, lifetimes of a second, questions
/// that announce known answers without end.
///
/// It says all this from its own address or from such as nobody has. A goodbye from the owner's
/// very address can't be distinguished from the owner's own, and removes the record
/// (RFC 6762 §10.1).
///
/// All the while the user must see each true service, and where it is, without a break; and no
/// engine may keep more than its limits say.
package struct HostileScenario: Sendable {
    package var seed: UInt64
    package var datagramsPerSecond: Int
    package var duration: Duration
    /// Honest hosts; each offers a service of the browsed type.
    package var providerCount: Int

    package init(
        seed: UInt64, datagramsPerSecond: Int = 20_000, duration: Duration = .seconds(60),
        providerCount: Int = 2
    ) {
        self.seed = seed
        self.datagramsPerSecond = datagramsPerSecond
        self.duration = duration
        self.providerCount = providerCount
    }

    package func run(
        trace: SimulationTrace = SimulationTrace(keptLines: 0, keptFrames: 0)
    ) -> Verdict {
        guard var run = HostileRun(self, trace: trace) else {
            var network = VirtualNetwork(seed: seed)
            network.invariants.report(
                "the names can't be made", by: HostID(rawValue: 0), at: network.now)
            return Verdict(network: network)
        }
        run.prepare()
        run.attack()
        run.recover()
        return run.verdict
    }
}

/// A run of the hostile scenario.
private struct HostileRun {
    let scenario: HostileScenario
    var network: VirtualNetwork
    private let link: LinkID
    private let type: ServiceType
    private var providers: [HostID] = []
    private var browser = HostID(rawValue: 0)
    private var enemy: HostileHost
    private var counts: [HostileHost.Kind: Int] = [:]
    private var browse: OperationID?
    /// The true instances that the user sees.
    private var instances: Set<DomainName> = []
    /// Those of which it is not known where they are.
    private var unlocated: Set<DomainName> = []
    private var mostCached = 0
    private var mostTimers = 0

    private static let port: UInt16 = 631

    init?(_ scenario: HostileScenario, trace: SimulationTrace) {
        guard let enemy = HostileHost(seed: scenario.seed ^ 0xBAD_BAD_BAD),
            let type = try? ServiceType(HostileHost.browsedType)
        else { return nil }
        self.scenario = scenario
        self.enemy = enemy
        self.type = type
        network = VirtualNetwork(seed: scenario.seed, trace: trace)
        link = network.addLink()
    }

    // MARK: Peace

    mutating func prepare() {
        for number in 0...scenario.providerCount {
            let text = number == 0 ? "browser" : "provider-\(number)"
            guard let host = network.addDevice(text, on: [link]) else { continue }
            network.start(host)
            if number == 0 { browser = host } else { providers.append(host) }
        }
        enemy.host = network.addHost(.script, on: [link], families: [.ipv4])
        network.start(enemy.host)
        for (number, provider) in providers.enumerated() {
            network.register(
                ServiceDescription(
                    name: "True \(number)", type: type, port: Self.port),
                by: provider)
        }
        network.setRecordsEvents(true, of: browser)
        browse = network.browse(type, detail: .services, by: browser)
        network.run(for: .seconds(10))
        learnTruth()
        processEvents()
        check()
    }

    /// What the user sees, and what the enemy can know by listening.
    private mutating func learnTruth() {
        for offer in network.groundTruth.offers where offer.isEstablished && offer.operation != nil
        {
            guard let name = offer.name,
                let host = network.hosts[offer.host.rawValue].discovery?.hostName,
                case .v4(let address) = AddressPlan.ipv4(offer.host, on: link).address
            else { continue }
            instances.insert(name)
            unlocated.insert(name)
            enemy.victims.append(
                HostileHost.Victim(
                    instance: name, host: host,
                    location: ServiceLocation(target: host, port: Self.port), address: address))
        }
    }

    // MARK: War

    /// In milliseconds, after each of which the user's view is looked at.
    mutating func attack() {
        let perTick = max(scenario.datagramsPerSecond / 1_000, 1)
        let end = network.now.advanced(by: scenario.duration)
        while network.now < end {
            for _ in 0..<perTick {
                guard let (kind, datagram) = enemy.next(on: link) else { continue }
                counts[kind, default: 0] += 1
                // At any moment of the millisecond: in step with the clock it would leave
                // others gaps.
                network.send(datagram, by: enemy.host, on: link, after: enemy.pause())
            }
            network.run(for: .milliseconds(1))
            // Its own words come back to it; nobody needs them.
            _ = network.drainInbox(of: enemy.host)
            check()
        }
    }

    /// Half a minute later everything still stands.
    mutating func recover() {
        for _ in 0..<30 {
            network.run(for: .seconds(1))
            check()
        }
        network.checkOwners()
        if network.groundTruth.renames > 0 {
            network.invariants.report("a true service was renamed", by: browser, at: network.now)
        }
    }

    // MARK: What must hold

    private mutating func check() {
        processEvents()
        let found = network.groundTruth.browses.first { $0.operation == browse }?.found ?? []
        for instance in instances.sorted()
        where !found.contains(.init(name: instance, interface: AddressPlan.index(of: link))) {
            network.invariants.report("lost sight of \(instance)", by: browser, at: network.now)
        }
        for instance in unlocated.sorted() {
            network.invariants.report(
                "does not know where \(instance) is", by: browser, at: network.now)
        }
        for host in [browser] + providers {
            let state = network.hosts[host.rawValue]
            guard let cached = state.cachedRecordCount, let timers = state.timerCount else {
                continue
            }
            mostCached = max(mostCached, cached)
            mostTimers = max(mostTimers, timers)
            let limits = Limits()
            if cached > limits.cachedRecords {
                network.invariants.report("\(cached) cached records", by: host, at: network.now)
            }
            // A link sweeps its timers when they are four times its records and questions; an
            // instance is asked about with four at most: SRV, TXT and both kinds of address.
            let needed = 64 + limits.cachedRecords + 4 * limits.cachedRecordsPerName
            if timers > 4 * needed {
                network.invariants.report("\(timers) timers", by: host, at: network.now)
            }
        }
    }

    /// What was reported to the user since the last look; a true service that goes away for less
    /// than that is missed as well.
    private mutating func processEvents() {
        for event in network.drainEvents(of: browser) {
            guard case .operation(_, .browse(let change)) = event,
                let name = change.instance?.name.domainName, instances.contains(name)
            else { continue }
            switch change {
            case .added, .incomplete: break
            case .changed(let instance):
                if instance.service == nil {
                    unlocated.insert(name)
                } else {
                    unlocated.remove(name)
                }
            case .removed:
                network.invariants.report("\(name) was removed", by: browser, at: network.now)
            }
        }
    }

    // MARK: Verdict

    var verdict: Verdict {
        let said = counts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.value) \($0.key.rawValue)" }.joined(separator: ", ")
        let statistics = network.hosts[browser.rawValue].statistics ?? Statistics()
        return Verdict(
            network: network,
            notes: [
                said,
                "at most \(mostCached) records cached and \(mostTimers) timers in one engine; the "
                    + "browser refused \(statistics.cacheRefused), evicted "
                    + "\(statistics.cacheEvicted), sent \(statistics.sent) datagrams",
            ])
    }
}
