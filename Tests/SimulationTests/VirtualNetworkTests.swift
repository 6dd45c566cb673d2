import DNSMessages
import MulticastDNS
import NetworkPrimitives
import NetworkSimulation
import PacketCapture
import Testing

/// The virtual network itself: what it delivers, when, and that a seed fixes all of it.
@Suite(.runEvidence) struct VirtualNetworkTests {
    private static let port: UInt16 = 5353

    /// A multicast of one byte by a script.
    private func shout(
        _ byte: UInt8, by host: HostID, on link: LinkID, in network: inout VirtualNetwork
    ) {
        let source = SocketAddress(
            network.hosts[host.rawValue].address(on: link, .ipv4), port: 5353)
        let group = SocketAddress(.multicastDNS(.ipv4), port: Self.port)
        network.send(Datagram([byte], from: source, to: group), by: host, on: link)
    }

    /// Two scripts on one link.
    private func pair(
        _ conditions: LinkConditions, seed: UInt64 = 1
    ) -> (network: VirtualNetwork, link: LinkID, first: HostID, second: HostID) {
        var network = VirtualNetwork(seed: seed)
        let link = network.addLink(conditions)
        let first = network.addHost(.script, on: [link])
        let second = network.addHost(.script, on: [link])
        network.start(first)
        network.start(second)
        return (network, link, first, second)
    }

    @Test func datagramsArriveWithinTheDelayInTheirOrder() {
        let delay: ClosedRange<Duration> = .milliseconds(2)...(.milliseconds(5))
        var (network, link, first, second) = pair(LinkConditions(delay: delay, echoesOwn: false))
        for byte in 0..<100 as Range<UInt8> {
            let sent = network.now
            shout(byte, by: first, on: link, in: &network)
            network.run(for: .milliseconds(10))
            let arrivals = network.drainInbox(of: second)
            #expect(arrivals.map(\.datagram.payload) == [[byte]])
            #expect(arrivals.allSatisfy { delay.contains(sent.duration(to: $0.time)) })
        }
        #expect(network.drainInbox(of: first).isEmpty)
    }

    @Test func ownMulticastsComeBackWhereTheLinkEchoes() {
        var (network, link, first, _) = pair(LinkConditions(echoesOwn: true))
        shout(7, by: first, on: link, in: &network)
        network.run(for: .milliseconds(10))
        #expect(network.drainInbox(of: first).map(\.datagram.payload) == [[7]])
    }

    @Test func lossAndDuplicationComeInTheirShares() {
        var (network, link, first, second) = pair(LinkConditions(loss: 0.2, duplication: 0.1))
        for _ in 0..<5_000 { shout(1, by: first, on: link, in: &network) }
        network.run(for: .seconds(1))
        let count = network.drainInbox(of: second).count
        #expect((4_200...4_600).contains(count))
    }

    @Test func heldBackDatagramsAreOvertaken() {
        var (network, link, first, second) = pair(LinkConditions(reordering: 0.3))
        for byte in 0..<200 as Range<UInt8> {
            shout(byte, by: first, on: link, in: &network)
            network.run(for: .milliseconds(2))
        }
        network.run(for: .seconds(1))
        let order = network.drainInbox(of: second).map { $0.datagram.payload[0] }
        #expect(order.count == 200)
        #expect(order != order.sorted())
    }

    @Test func groupsOfAPartitionHearOnlyEachOther() {
        var (network, link, first, second) = pair(.wired)
        network.setPartition(of: second, on: link, group: 1)
        shout(1, by: first, on: link, in: &network)
        network.run(for: .seconds(1))
        #expect(network.drainInbox(of: second).isEmpty)
        network.setPartition(of: second, on: link, group: 0)
        shout(2, by: first, on: link, in: &network)
        network.run(for: .seconds(1))
        #expect(network.drainInbox(of: second).map(\.datagram.payload) == [[2]])
    }

    @Test func pulledCablesSleepersAndTheDeadHearNothing() {
        var (network, link, first, second) = pair(.wired)
        network.setCable(of: second, on: link, isIn: false)
        shout(1, by: first, on: link, in: &network)
        network.run(for: .seconds(1))
        network.setCable(of: second, on: link, isIn: true)
        network.suspend(second)
        shout(2, by: first, on: link, in: &network)
        network.run(for: .seconds(1))
        network.wake(second)
        network.crash(second)
        shout(3, by: first, on: link, in: &network)
        network.run(for: .seconds(1))
        network.start(second)
        shout(4, by: first, on: link, in: &network)
        network.run(for: .seconds(1))
        #expect(network.drainInbox(of: second).map(\.datagram.payload) == [[4]])
    }

    @Test func unicastReachesItsAddressAlone() {
        var (network, link, first, second) = pair(.wired)
        let third = network.addHost(.script, on: [link])
        network.start(third)
        let source = SocketAddress(network.hosts[0].address(on: link, .ipv4), port: 5353)
        let target = network.hosts[second.rawValue].address(on: link, .ipv4)
        network.send(
            Datagram([9], from: source, to: SocketAddress(target, port: 5353)), by: first, on: link)
        network.run(for: .seconds(1))
        #expect(network.drainInbox(of: second).count == 1)
        #expect(network.drainInbox(of: third).isEmpty)
        #expect(network.drainInbox(of: first).isEmpty)
    }

    @Test func reflectorsCopyToTheOtherLinkAndNotBack() {
        var network = VirtualNetwork(seed: 1)
        let here = network.addLink()
        let there = network.addLink()
        let speaker = network.addHost(.script, on: [here])
        let listener = network.addHost(.script, on: [there])
        let neighbour = network.addHost(.script, on: [here])
        for host in [speaker, listener, neighbour] { network.start(host) }
        network.addReflector(between: [here, there])
        shout(5, by: speaker, on: here, in: &network)
        network.run(for: .seconds(1))
        #expect(network.drainInbox(of: listener).map(\.datagram.reflections) == [1])
        #expect(network.drainInbox(of: neighbour).count == 1)
    }

    @Test func twoReflectorsPassThingsRoundUntilTheirLimit() {
        var network = VirtualNetwork(seed: 1)
        let here = network.addLink()
        let there = network.addLink()
        let speaker = network.addHost(.script, on: [here])
        let neighbour = network.addHost(.script, on: [here])
        network.start(speaker)
        network.start(neighbour)
        network.addReflector(between: [here, there], passes: 6)
        network.addReflector(between: [here, there], passes: 6)
        shout(5, by: speaker, on: here, in: &network)
        network.run(for: .seconds(1))
        let echoes = network.drainInbox(of: neighbour).map(\.datagram.reflections)
        #expect(echoes.count > 3)
        #expect((echoes.max() ?? 0) == 6)
    }

    // MARK: Engines

    /// Three engines with a service each, two of them browsing, on a bad link with a crash.
    private func run(seed: UInt64) -> VirtualNetwork {
        var network = VirtualNetwork(seed: seed)
        let link = network.addLink(.wireless)
        for _ in 0..<3 {
            let host = network.addHost(.engine(Configuration()), on: [link])
            network.start(host)
            network.withEngine(of: host) { engine, now in
                Offer.publish(host, in: &engine, at: now)
            }
        }
        _ = network.withEngine(of: network.hosts[0].id) { engine, now in
            engine.startQuery(Question(Offer.type, .ptr), on: .all, at: now)
        }
        network.run(for: .seconds(30))
        network.crash(network.hosts[1].id)
        network.run(for: .seconds(30))
        network.start(network.hosts[1].id)
        network.run(for: .seconds(600))
        return network
    }

    @Test func aSeedFixesTheWholeRun() {
        let first = run(seed: 11)
        let again = run(seed: 11)
        #expect(first.trace.hash == again.trace.hash)
        #expect(first.trace.text == again.trace.text)
        #expect(first.trace.frameCount > 20)
        #expect(first.trace.hash != run(seed: 12).trace.hash)
        #expect(first.invariants.violations.isEmpty)
    }

    @Test func theCaptureHoldsEveryDatagram() throws {
        let network = run(seed: 3)
        var reader = CaptureReader()
        reader.append(network.trace.capture)
        reader.finish()
        var count = 0
        while let frame = try reader.next() {
            #expect(!frame.bytes.isEmpty)
            count += 1
        }
        #expect(count == network.trace.frameCount)
    }

    @Test func browsersFindWhatIsOffered() {
        var network = VirtualNetwork(seed: 5)
        let link = network.addLink()
        let hosts = (0..<4).map { _ in
            network.addHost(.engine(Configuration(families: [.ipv4])), on: [link])
        }
        for host in hosts {
            network.start(host)
            network.withEngine(of: host) { Offer.publish(host, in: &$0, at: $1) }
        }
        let query = network.withEngine(of: hosts[3]) { engine, now in
            engine.startQuery(Question(Offer.type, .ptr), on: .all, at: now)
        }
        network.run(for: .seconds(10))
        let found = query.map { network.invariants.answers(to: $0, of: hosts[3]) } ?? []
        // A browser does not get its own host's records from its cache.
        #expect(found.count >= 3)
        #expect(network.invariants.violations.isEmpty)
    }
}

/// A host and one service, as records.
enum Offer {
    static let type = named("_ipp._tcp.local")

    static func named(_ text: String) -> DomainName {
        do {
            return try DomainName(text)
        } catch {
            Issue.record("\(text): \(error)")
            return .root
        }
    }

    static func publish(_ host: HostID, in engine: inout Engine, at now: Instant) {
        let target = named("host-\(host.rawValue).local")
        let instance = named("Service \(host.rawValue)._ipp._tcp.local")
        let address = IPv4Address(10, 0, 0, UInt8(truncatingIfNeeded: host.rawValue + 1))
        _ = engine.publish(
            RecordSet([
                .init(ResourceRecord(target, .a(address), timeToLive: .host), .unique),
                .init(ResourceRecord(type, .ptr(instance), timeToLive: .standard), .shared),
                .init(
                    ResourceRecord(
                        instance, .srv(ServiceLocation(target: target, port: 631)),
                        timeToLive: .host), .unique),
                .init(ResourceRecord(instance, .txt(.empty), timeToLive: .standard), .unique),
            ]), at: now)
    }
}
