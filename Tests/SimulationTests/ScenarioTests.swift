import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// What users of other stacks report, on virtual links. The numbers are those of the reports.
@Suite(.runEvidence) struct ScenarioTests {
    private func configuration(
        _ label: String, families: Set<AddressFamily> = [.ipv4], limits: Limits = Limits()
    ) throws -> DiscoveryConfiguration {
        DiscoveryConfiguration(
            engine: Configuration(families: families, limits: limits),
            hostLabel: try Label(label), defaultInstanceName: "Device")
    }

    private func service(_ name: String = "Printer") throws -> ServiceDescription {
        ServiceDescription(name: name, type: try ServiceType("_ipp._tcp"), port: 631)
    }

    private func expectClean(_ network: VirtualNetwork) {
        let violations = network.invariants.violations.map(\.description)
        #expect(violations.isEmpty)
    }

    @Test(
        "field 41: a host between two links with reflectors keeps its names",
        arguments: [1, 2])
    func reflectors(_ count: Int) throws {
        var network = VirtualNetwork(seed: 41)
        let links = [network.addLink(), network.addLink()]
        let both = network.addHost(.discovery(try configuration("router")), on: links)
        let one = network.addHost(.discovery(try configuration("printer")), on: [links[0]])
        for _ in 0..<count { network.addReflector(between: links, passes: 6) }
        for host in [both, one] {
            network.start(host)
            network.register(try service("Printer of \(host)"), by: host)
        }
        network.run(for: .seconds(60))
        network.withDiscovery(of: both) { $0.wake(at: $1) }
        network.run(for: .seconds(600))
        #expect(network.groundTruth.renames == 0)
        #expect(network.hosts[both.rawValue].statistics?.conflicts == 0)
        #expect(network.groundTruth.offers.allSatisfy { $0.isEstablished })
        let before = network.trace.frameCount
        network.run(for: .seconds(600))
        // The exchange between the reflected interfaces comes to rest.
        #expect(network.trace.frameCount - before < 40)
    }

    @Test("field 30: an interface that is away for longer than the records live is found again")
    func interfaceAwayPastTTL() throws {
        var network = VirtualNetwork(seed: 30)
        let link = network.addLink()
        let provider = network.addHost(.discovery(try configuration("a")), on: [link])
        let browser = network.addHost(.discovery(try configuration("b")), on: [link])
        network.start(provider)
        network.start(browser)
        network.register(try service(), by: provider)
        network.browse(try ServiceType("_ipp._tcp"), detail: .services, by: browser)
        network.run(for: .seconds(10))
        for _ in 0..<3 {
            network.setCable(of: browser, on: link, isIn: false)
            network.run(for: .seconds(5_000))
            #expect(network.groundTruth.browses[0].found.isEmpty)
            network.setCable(of: browser, on: link, isIn: true)
            network.run(for: .seconds(5))
            #expect(network.groundTruth.browses[0].found.count == 1)
        }
        expectClean(network)
    }

    @Test("field 38: after a power cut of all, what does not come back is gone in its time")
    func powerCut() throws {
        let crowd = CrowdScenario(
            seed: 38, hostCount: 40, browserCount: 4, startSpread: .seconds(5))
        var (network, hosts) = crowd.network()
        crowd.start(hosts, of: &network)
        network.run(for: .seconds(20))
        network.checkBrowses()
        // Every second one stays dark; browsers are among the others.
        for (number, host) in hosts.enumerated() where number % 2 == 1 { network.crash(host) }
        network.run(for: .seconds(4500 * 12 / 10))
        network.checkBrowses()
        expectClean(network)
    }

    @Test("field 50: a crowd that comes back at once after a power cut finds itself")
    func powerReturns() throws {
        var crowd = CrowdScenario(seed: 50, hostCount: 60, browserCount: 6)
        crowd.startSpread = .milliseconds(200)
        let network = crowd.run(for: .seconds(30)).network
        expectClean(network)
        #expect(network.groundTruth.renames == 0)
        // Probes, announcements and answers: a number that grows with the hosts, no storm.
        #expect(network.trace.frameCount < 60 * 40)
    }

    @Test("field 21: types and names in another case are the same")
    func otherCase() throws {
        var network = VirtualNetwork(seed: 21)
        let link = network.addLink()
        let provider = network.addHost(.discovery(try configuration("a")), on: [link])
        let browser = network.addHost(.discovery(try configuration("b")), on: [link])
        network.start(provider)
        network.start(browser)
        network.register(try service("PRINTER"), by: provider)
        network.browse(try ServiceType("_IPP._TCP"), detail: .services, by: browser)
        network.run(for: .seconds(10))
        #expect(network.groundTruth.browses[0].found.count == 1)
        network.register(try service("printer"), by: browser)
        network.run(for: .seconds(10))
        #expect(network.groundTruth.renames == 1)
        network.checkOwners()
        expectClean(network)
    }

    @Test("field 44: a host that shares its name with another stack of the machine loses nothing")
    func sameHostNameTwice() throws {
        var network = VirtualNetwork(seed: 44)
        let link = network.addLink()
        let hosts = try (0..<2).map { _ in
            network.addHost(.discovery(try configuration("same")), on: [link])
        }
        for host in hosts {
            network.start(host)
            network.register(try service("Of \(host)"), by: host)
            network.run(for: .seconds(10))
        }
        #expect(network.groundTruth.renames == 1)
        network.checkOwners()
        expectClean(network)
    }

    @Test("a replayed capture meets live hosts")
    func replay() throws {
        var recorded = VirtualNetwork(seed: 1)
        let link = recorded.addLink()
        let provider = recorded.addHost(.discovery(try configuration("a")), on: [link])
        recorded.start(provider)
        recorded.register(try service(), by: provider)
        recorded.run(for: .seconds(10))
        let capture = try CaptureReplay(recorded.trace.capture)
        #expect(capture.datagrams.count == recorded.trace.frameCount)

        var network = VirtualNetwork(seed: 2)
        let other = network.addLink()
        let player = network.addHost(.script, on: [other])
        let browser = network.addHost(.discovery(try configuration("b")), on: [other])
        network.start(player)
        network.start(browser)
        network.browse(try ServiceType("_ipp._tcp"), detail: .services, by: browser)
        network.replay(capture, by: player, on: other)
        network.run(for: .seconds(20))
        #expect(network.groundTruth.browses[0].found.count == 1)
    }
}
