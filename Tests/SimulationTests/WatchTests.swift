import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import Testing

/// What is watched over several hosts or over time is seen where it is broken.
@Suite struct WatchTests {
    private let type = Offer.type
    private let instance = Offer.named("Printer._ipp._tcp.local")
    private let asker = HostID(rawValue: 0)
    private let responder = HostID(rawValue: 1)
    private let link = LinkID(rawValue: 0)

    private func datagram(
        _ message: Message, by host: HostID, to target: IPAddress = .multicastDNS(.ipv4)
    ) throws -> Datagram {
        Datagram(
            try message.encoded(limit: 9_000),
            from: SocketAddress(AddressPlan.ipv4(host, on: link).address, port: 5353),
            to: SocketAddress(target, port: 5353))
    }

    private func pointer(_ timeToLive: TimeToLive) -> ResourceRecord {
        ResourceRecord(type, .ptr(instance), timeToLive: timeToLive)
    }

    // MARK: Known answers

    /// The breaches of a response after queries that list these records.
    private func breaches(
        of response: Message, after known: [[ResourceRecord]], delay: Int64 = 100,
        to target: IPAddress = .multicastDNS(.ipv4)
    ) throws -> [String] {
        var invariants = Invariants()
        invariants.addHost()
        invariants.addHost()
        // Long after both of them last changed anything.
        let start = Instant(nanoseconds: 500_000_000_000)
        for records in known {
            let query = Message(questions: [Question(type, .ptr)], answers: records)
            invariants.sent(try datagram(query, by: asker), by: asker, on: link, at: start)
        }
        invariants.sent(
            try datagram(response, by: responder, to: target), by: responder, on: link,
            at: start.advanced(by: .milliseconds(delay)))
        return invariants.violations.map(\.what)
    }

    @Test("M7-3 an answer that all who asked know already is a breach, by multicast or unicast")
    func knownAnswers() throws {
        let response = Message(header: .response, answers: [pointer(.standard)])
        let target = AddressPlan.ipv4(asker, on: link).address
        for target in [IPAddress.multicastDNS(.ipv4), target] {
            let half = [pointer(.seconds(2250))]
            #expect(try breaches(of: response, after: [half], to: target).count == 1)
            #expect(try breaches(of: response, after: [half, half], to: target).count == 1)
            let less = [pointer(.seconds(2249))]
            #expect(try breaches(of: response, after: [less], to: target).isEmpty)
            #expect(try breaches(of: response, after: [half, []], to: target).isEmpty)
            #expect(try breaches(of: response, after: [], to: target).isEmpty)
            // So late it is an answer to something else.
            #expect(try breaches(of: response, after: [half], delay: 2_600, to: target).isEmpty)
        }
        let goodbye = Message(header: .response, answers: [pointer(.goodbye)])
        #expect(try breaches(of: goodbye, after: [[pointer(.standard)]]).isEmpty)
        var beside = response
        beside.additionals = beside.answers
        beside.answers = [
            ResourceRecord(type, .ptr(Offer.named("b._ipp._tcp.local")), timeToLive: .standard)
        ]
        #expect(try breaches(of: beside, after: [[pointer(.standard)]]).isEmpty)
    }

    @Test("M5-6 M7-5 a query that does not list what its host knows, or more, is a breach")
    func listing() throws {
        func breaches(_ known: [[ResourceRecord]], expected: Int) throws -> Int {
            var invariants = Invariants()
            invariants.addHost()
            for (number, records) in known.enumerated() {
                var header = MessageHeader.query
                header.isTruncated = number < known.count - 1
                let message = Message(
                    header: header, questions: number == 0 ? [Question(type, .ptr)] : [],
                    answers: records)
                invariants.asked(
                    message, try datagram(message, by: asker), by: asker, on: link,
                    expected: number == 0 ? expected : 0, at: .zero)
            }
            return invariants.violationCount
        }
        let record = pointer(.standard)
        #expect(try breaches([[record]], expected: 1) == 0)
        #expect(try breaches([[]], expected: 1) == 1)
        #expect(try breaches([[record]], expected: 0) == 1)
        // The rest in further packets.
        #expect(try breaches([[record], [record], [record]], expected: 3) == 0)
        #expect(try breaches([[record], [record]], expected: 3) == 1)
    }

    @Test("M5-15 a question that nobody wants answered is a breach")
    func unwantedQuestions() throws {
        var invariants = Invariants()
        invariants.addHost()
        let question = Question(type, .ptr)
        let message = Message(questions: [question])
        invariants.asked(
            message, try datagram(message, by: asker), by: asker, on: link, expected: 0,
            unwanted: [question], at: .zero)
        #expect(invariants.violationCount == 1)
    }

    @Test func anEngineKnowsWhatItIsToAskAndList() throws {
        var engine = Engine(
            configuration: Configuration(families: [.ipv4]), generator: SeededGenerator(seed: 1))
        let interface = AddressPlan.interface(asker, on: link, families: [.ipv4])
        engine.update(interfaces: [interface], at: .zero)
        let question = Question(type, .ptr)
        #expect(!engine.wants(question, on: interface.index))
        let query = engine.startQuery(question, on: .all, at: .zero)
        #expect(engine.wants(question, on: interface.index))
        #expect(!engine.wants(Question(type, .srv), on: interface.index))
        let bytes = try Message(header: .response, answers: [pointer(.standard)]).encoded()
        let info = DatagramInfo(
            source: SocketAddress(AddressPlan.ipv4(responder, on: link).address, port: 5353),
            destination: .multicastDNS(.ipv4), interface: interface.index, hopLimit: 255)
        engine.receive(bytes.span, with: info, at: .zero)
        var seen: [ResourceRecord] = []
        engine.inspectCache(answering: question, on: interface.index) {
            record, expiry, needsReconfirmation in
            seen.append(record)
            #expect(expiry == Instant.zero.advanced(by: .seconds(4500)))
            #expect(!needsReconfirmation)
        }
        #expect(seen == [pointer(.standard)])
        #expect(engine.load(ofLink: 0)?.cachedRecords == 1)
        #expect(engine.load(ofLink: 0)?.questions == 1)
        #expect(engine.load(ofLink: 1) == nil)
        engine.stopQuery(query, at: .zero)
        #expect(!engine.wants(question, on: interface.index))
    }

    // MARK: Limits

    @Test("D-28 more than the limits allow is a breach")
    func loads() {
        let limits = Limits()
        func breaches(_ load: LinkLoad) -> Int {
            var invariants = Invariants()
            invariants.addHost()
            invariants.loaded(load, within: limits, of: asker, at: .zero)
            return invariants.violationCount
        }
        #expect(breaches(LinkLoad(cachedRecords: limits.cachedRecords)) == 0)
        #expect(breaches(LinkLoad(cachedRecords: limits.cachedRecords + 1)) == 1)
        #expect(breaches(LinkLoad(waitingReplies: limits.waitingUnicastReplies + 1)) == 1)
        #expect(breaches(LinkLoad(truncatedQueriers: limits.truncatedQueriers + 1)) == 1)
        #expect(breaches(LinkLoad(cachedRecords: 10, timers: 4 * 74)) == 0)
        #expect(breaches(LinkLoad(cachedRecords: 10, timers: 4 * 74 + 1)) == 1)
    }

    // MARK: Over time

    /// A provider and a browser that have found each other, and a third host.
    private func network() throws -> (network: VirtualNetwork, hosts: [HostID], link: LinkID) {
        var network = VirtualNetwork(seed: 9)
        let link = network.addLink()
        var hosts: [HostID] = []
        for label in ["a", "b", "c"] {
            let configuration = DiscoveryConfiguration(
                engine: Configuration(families: [.ipv4]), hostLabel: try Label(label),
                defaultInstanceName: "Device")
            let host = network.addHost(
                .discovery(configuration), on: [link], families: [.ipv4])
            network.start(host)
            hosts.append(host)
        }
        let service = try ServiceType("_ipp._tcp")
        network.register(
            ServiceDescription(name: "Printer", type: service, port: 631), by: hosts[0])
        network.browse(service, by: hosts[1])
        network.run(for: .seconds(20))
        return (network, hosts, link)
    }

    @Test("M8-1 two hosts that hold one name for ten quiet seconds are seen while the run goes on")
    func twoOwners() throws {
        var (network, hosts, _) = try network()
        network.register(
            ServiceDescription(name: "x", type: try ServiceType("_ipp._tcp"), port: 1),
            by: hosts[2])
        network.run(for: .seconds(5))
        #expect(network.invariants.violationCount == 0)
        let id = try #require(network.groundTruth.offers.compactMap(\.operation).last)
        network.process(.operation(id, .registration(.established(instance))), by: hosts[2])
        network.process(.hostName(.established(Offer.named("c.local"))), by: hosts[2])
        network.run(for: .seconds(9))
        #expect(network.invariants.violationCount == 0)
        network.run(for: .seconds(2))
        #expect(network.invariants.violations.map(\.host) == [hosts[2]])
    }

    @Test("two owners are no breach where they were not connected")
    func twoOwnersApart() throws {
        var (network, hosts, link) = try network()
        network.setPartition(of: hosts[2], on: link, group: 1)
        network.register(
            ServiceDescription(name: "Printer", type: try ServiceType("_ipp._tcp"), port: 1),
            by: hosts[2])
        network.run(for: .seconds(60))
        #expect(network.groundTruth.offers.count { $0.name == instance && $0.isEstablished } == 2)
        #expect(network.invariants.violationCount == 0)
    }

    /// The breaches that are seen once a browse has long had that event.
    private func watched(
        _ start: VirtualNetwork, after event: Discovery.Event, of browse: GroundTruth.Browse,
        saying text: String
    ) -> [String] {
        func said(_ network: VirtualNetwork) -> [String] {
            network.invariants.violations.map(\.what).filter { $0.hasPrefix(text) }
        }
        var network = start
        network.run(for: .seconds(5_400))
        network.process(.operation(browse.operation, event), by: browse.host)
        network.run(for: .seconds(5_399))
        #expect(said(network).isEmpty)
        network.run(for: .seconds(2))
        return said(network)
    }

    @Test("S4-1 what a browser sees and is not there, or the reverse, is seen 90 minutes later")
    func browsers() throws {
        let made = try network()
        let (start, link) = (made.network, made.link)
        let browse = try #require(start.groundTruth.browses.first)
        let name = try #require(ServiceInstanceName(instance))
        let index = AddressPlan.index(of: link)
        let lost = watched(
            start, after: .browse(.removed(ServiceInstance(name, on: index))), of: browse,
            saying: "does not see")
        #expect(lost.count == 1)
        let other = try ServiceInstanceName("Ghost", type: ServiceType("_ipp._tcp"))
        let ghost = watched(
            start, after: .browse(.added(ServiceInstance(other, on: index))), of: browse,
            saying: "still sees")
        #expect(ghost.count == 1)
    }

    @Test func changesThatMustNotBeAreSeen() throws {
        var (network, hosts, link) = try network()
        let browse = try #require(network.groundTruth.browses.first)
        let name = try #require(ServiceInstanceName(instance))
        let found = ServiceInstance(name, on: AddressPlan.index(of: link))
        let host = hosts[1]
        let events: [(Discovery.Event, breaches: Int)] = [
            // What is removed before its lifetime is over is seen at once.
            (.browse(.added(found)), 1), (.browse(.removed(found)), 2),
            (.browse(.removed(found)), 3), (.browse(.changed(found)), 4),
        ]
        for (event, breaches) in events {
            network.process(.operation(browse.operation, event), by: host)
            #expect(network.invariants.violationCount == breaches)
        }
        network.stopBrowse(browse.operation, by: host)
        network.process(.operation(browse.operation, .browse(.added(found))), by: host)
        #expect(network.invariants.violationCount == 5)
        let id = try #require(network.groundTruth.offers.compactMap(\.operation).first)
        let renamed = RegistrationStatus.renamed(from: instance, to: Offer.named("x.local"))
        network.process(.operation(id, .registration(renamed)), by: hosts[0])
        #expect(network.invariants.violationCount == 6)
    }

    @Test("M5-15 the query of a browse that was stopped is seen")
    func stoppedBrowse() throws {
        var (network, hosts, link) = try network()
        let browse = try #require(network.groundTruth.browses.first)
        // Another browse of the type, of which the groundTruth does not know, asks on.
        let printers = try ServiceType("_ipp._tcp")
        let silent = network.withDiscovery(of: hosts[1]) { discovery, now in
            try? discovery.startBrowse(printers, at: now)
        }
        #expect(silent != nil)
        network.stopBrowse(browse.operation, by: hosts[1])
        network.setCable(of: hosts[1], on: link, isIn: false)
        network.setCable(of: hosts[1], on: link, isIn: true)
        network.run(for: .seconds(2))
        #expect(network.invariants.violations.contains { $0.what.hasPrefix("asks for") })
    }
}
