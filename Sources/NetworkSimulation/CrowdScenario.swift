import DNSSD
import NetworkPrimitives

/// Many hosts on one link, each with services of five types, some of which browse.
package struct CrowdScenario: Sendable {
    package var seed: UInt64
    package var hostCount: Int
    package var browserCount: Int
    package var servicesPerHost: Int
    package var conditions: LinkConditions
    /// Over how long the hosts start; all at once after a power cut.
    package var startSpread: Duration

    package init(
        seed: UInt64, hostCount: Int = 500, browserCount: Int = 50, servicesPerHost: Int = 2,
        conditions: LinkConditions = .wired, startSpread: Duration = .seconds(60)
    ) {
        self.seed = seed
        self.hostCount = hostCount
        self.browserCount = browserCount
        self.servicesPerHost = servicesPerHost
        self.conditions = conditions
        self.startSpread = startSpread
    }

    private static let types = ["_http._tcp", "_ipp._tcp", "_ssh._tcp", "_osc._udp", "_hap._tcp"]
        .compactMap { try? ServiceType($0) }

    /// The only link.
    static let link = LinkID(rawValue: 0)

    /// The network with all hosts on it, none started.
    package func network(
        trace: SimulationTrace = SimulationTrace(keptLines: 0)
    ) -> (network: VirtualNetwork, hosts: [HostID]) {
        var network = VirtualNetwork(seed: seed, trace: trace)
        let link = network.addLink(conditions)
        let hosts = (0..<hostCount).compactMap { network.addDevice("device-\($0)", on: [link]) }
        return (network, hosts)
    }

    /// Starts all hosts, with their services and browses, over the spread.
    package func start(_ hosts: [HostID], of network: inout VirtualNetwork) {
        let interval = startSpread / max(hosts.count, 1)
        for (number, host) in hosts.enumerated() {
            start(number, host, of: &network)
            network.run(for: interval)
        }
    }

    /// Starts one of them.
    func start(_ number: Int, _ host: HostID, of network: inout VirtualNetwork) {
        network.start(host)
        for service in 0..<servicesPerHost {
            network.register(
                ServiceDescription(
                    name: "Service \(service) of \(number)", type: type(number + service),
                    port: 1000),
                by: host)
        }
        if number % max(hostCount / max(browserCount, 1), 1) == 0,
            number * browserCount / max(hostCount, 1) < browserCount
        {
            network.browse(type(number), by: host)
        }
    }

    /// One of the five types.
    func type(_ number: Int) -> ServiceType { Self.types[number % Self.types.count] }

    /// Starts all, lets them live so long, and checks what the browsers know.
    package func run(
        for duration: Duration, trace: SimulationTrace = SimulationTrace(keptLines: 0)
    ) -> Verdict {
        var (network, hosts) = network(trace: trace)
        start(hosts, of: &network)
        network.run(for: duration)
        network.checkOwners()
        network.checkBrowses()
        return Verdict(network: network)
    }
}
