import DNSMessages
import LinuxNetworking
import MDNS
import TestSupport
import Testing

/// Real sockets on the loopback of a network that nobody else is on.
@Suite(
    "Nodes on a loopback",
    .makesNetworks,
    .timeLimit(.minutes(5)))
struct MDNSNodeTests {
    private let type: ServiceType

    init() throws {
        type = try ServiceType("_vicinity-test._tcp")
    }

    private func service(_ name: String, port: UInt16 = 4711) throws -> ServiceDescription {
        ServiceDescription(
            name: name, type: type, port: port, txt: try TXTRecord([.init("key", .text("value"))]))
    }

    @Test("A service is found, resolved, looked up, changed and withdrawn")
    func wholeRoad() async throws {
        try await PrivateNetwork.with { network in
            let one = try await network.node("node-one")
            let two = try await network.node("node-two")
            var events = try await two.browse(type, within: .seconds(10)).makeAsyncIterator()
            let registration = try await one.register(service("A. Näme\\"))
            let added = try #require(await events.next())
            let found = try #require(added.instance)
            #expect(added == .added(found))
            #expect(found.name.instance == "A. Näme\\")

            let service = try #require(await two.resolve(found.name))
            #expect(service.port == 4711)
            #expect(service.host == (try DomainName("node-one.local")))
            #expect(service.txt["key"]?.text == "value")
            #expect(service.addresses == [.v4(.loopback)])
            let addresses = try await two.addresses(of: service.host)
            #expect(addresses.map(\.address) == [.v4(.loopback)])

            var resolutions = try await two.watchService(found.name, within: .seconds(10))
                .makeAsyncIterator()
            #expect(await resolutions.next() == .resolved(service))
            try await registration.update(txt: TXTRecord([.init("key", .text("other"))]))
            // Both records may count for a second, as members of one set (RFC 6762 §10.2).
            var text: String?
            while text != "other", case .resolved(let changed) = await resolutions.next() {
                text = changed.txt["key"]?.text
            }
            #expect(text == "other")
            #expect(await registration.withdraw() == .sent)
            #expect(await events.next() == .removed(found))
        }
    }

    @Test("M13-1 M13-2 a node asks for names of unicast DNS only where that was chosen")
    func unicastNames() async throws {
        try await PrivateNetwork.with { network in
            let strict = try await network.node("strict")
            let free = try await network.node(
                NodeOptions(
                    interfaces: .named(["lo"]), families: [.ipv4], hostName: .label("free"),
                    multicastsAnyName: true))
            let host = try DomainName("www.example.com")
            let domain = try DomainName("example.com")
            let instance = try ServiceInstanceName("X", type: type, domain: domain)
            for (node, isAllowed) in [(strict, false), (free, true)] {
                let attempts: [(String, () async throws -> Void)] = [
                    ("query", { _ = try await node.watchRecords(of: host, type: .a) }),
                    ("browse", { _ = try await node.browse(type, domain: domain) }),
                    ("types", { _ = try await node.browseTypes(domain: domain) }),
                    ("domains", { _ = try await node.browseDomains(.browse, domain: domain) }),
                    ("resolve", { _ = try await node.watchService(instance) }),
                    ("addresses", { _ = try await node.watchAddresses(of: host) }),
                ]
                for (name, attempt) in attempts {
                    var code: MDNSError.Code?
                    do {
                        try await attempt()
                    } catch let error as MDNSError {
                        code = error.code
                    }
                    #expect(code == (isAllowed ? nil : .unicastName), "\(name)")
                }
                // An address is asked for wherever it belongs.
                _ = try await node.watchNames(of: try #require(IPAddress("10.77.0.1")))
            }
        }
    }

    @Test("A host name that can't be published is refused before anything is sent")
    func badHostName() async throws {
        try await PrivateNetwork.with { network in
            await #expect(throws: MDNSError.self) { try await network.node("a\0b") }
        }
    }

    @Test("A registration tells where it stands; one whose name is taken is renamed")
    func renames() async throws {
        try await PrivateNetwork.with { network in
            let one = try await network.node("node-one")
            let two = try await network.node("node-two")
            let first = try await one.register(service("Twin"))
            #expect(try await first.established().description == "Twin._vicinity-test._tcp.local")
            let second = try await two.register(service("Twin", port: 4712))
            var statuses: [RegistrationStatus] = []
            for await status in second.events {
                statuses.append(status)
                if case .established = status { break }
            }
            let taken = try DomainName("Twin._vicinity-test._tcp.local")
            let free = try DomainName("Twin (2)._vicinity-test._tcp.local")
            #expect(statuses.first == .probing(taken))
            #expect(statuses.contains(.renamed(from: taken, to: free)))
            #expect(statuses.last == .established(free))
            // A later reader gets the current state.
            #expect(try await second.established() == free)
        }
    }

    @Test("Types, records and names are reported; what nobody has is not")
    func otherQuestions() async throws {
        try await PrivateNetwork.with { network in
            let one = try await network.node("node-one")
            let two = try await network.node("node-two")
            let registration = try await one.register(service("Only"))
            try await registration.established()
            var types = try await two.browseTypes(within: .seconds(5)).makeAsyncIterator()
            guard case .added(type, _) = await types.next() else {
                Issue.record("the type was not reported")
                return
            }
            let name = try DomainName("Only._vicinity-test._tcp.local")
            var records = try await two.watchRecords(of: name, type: .srv, within: .seconds(5))
                .makeAsyncIterator()
            guard case .added(let record, _) = await records.next(),
                case .srv(let location) = record.data
            else {
                Issue.record("the record was not reported")
                return
            }
            #expect(location.port == 4711)
            let nobody = try DomainName("nobody.local")
            #expect(try await two.addresses(of: nobody, within: .milliseconds(300)) == [])
            await registration.withdraw()
        }
    }

    @Test("A host's addresses: on the link's prefix first, link-local ones last")
    func addressOrder() async throws {
        try await PrivateNetwork.with { network in
            let one = try await network.node("node-one")
            let two = try await network.node("node-two")
            let host = try DomainName("proxy.local")
            let addresses = ["169.254.7.7", "10.0.0.1", "127.0.0.9"].compactMap { IPAddress($0) }
            let registration = try await one.register(
                ServiceDescription(
                    name: "Proxy", type: type, port: 4711,
                    host: ServiceDescription.ProxyHost(name: host, addresses: addresses)))
            try await registration.established()
            let found = try await two.addresses(of: host, families: [.ipv4])
            #expect(found.map(\.address) == addresses.reversed())
            await registration.withdraw()
        }
    }

    @Test("Whoever stops reading ends the work; closing ends the readers")
    func ends() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let type = type
            let reader = Task { () -> Int in
                var count = 0
                for await _ in try await node.browse(type) { count += 1 }
                return count
            }
            let other = try await node.browse(type)
            #expect(await node.runningOperations >= 1)
            reader.cancel()
            #expect(try await reader.value == 0)
            let waiting = Task {
                var iterator = other.makeAsyncIterator()
                return await iterator.next()
            }
            await node.close()
            #expect(await waiting.value == nil)
            #expect(await node.runningOperations == 0)
            await #expect(throws: MDNSError.self) { try await node.browse(type) }
            await #expect(throws: MDNSError.self) { try await node.register(service("Late")) }
        }
    }

    @Test("A sequence that nobody holds stops its operation")
    func droppedSequences() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            _ = try await node.browse(type)
            // The end of the sequence is in the loop's queue before this call.
            #expect(await node.runningOperations == 0)
        }
    }

    @Test("Goodbyes have left when close returns")
    func goodbyes() async throws {
        try await PrivateNetwork.with { network in
            let one = try await network.node("node-one")
            let two = try await network.node("node-two")
            var events = try await two.browse(type, within: .seconds(10)).makeAsyncIterator()
            let registration = try await one.register(service("Brief"))
            try await registration.established()
            let added = try #require(await events.next())
            let packets = try await one.watchPackets()
            #expect(await one.close() == .sent)
            var lastSent: PacketEvent?
            for await packet in packets where packet.direction == .sent { lastSent = packet }
            let payload = try #require(lastSent?.payload)
            let message = try Message.decode(payload.span).message
            #expect(message.answers.contains { $0.timeToLive == .goodbye && $0.type == .ptr })
            #expect(await events.next() == .removed(try #require(added.instance)))
        }
    }

    /// The code of the error that `body` throws.
    private func code(_ body: () async throws -> MDNSNode) async -> MDNSError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? MDNSError)?.code
        }
    }

    @Test("A port that another program holds alone, an unknown interface, none that works")
    func refusals() async throws {
        let unknown = NodeOptions(interfaces: .named(["nope*"]))
        try await PrivateNetwork.with { network in
            #expect(await code { try await network.node(unknown) } == .unknownInterface)
            #expect(await code { try await network.node(NodeOptions()) } == .noUsableInterface)
            let holder = try await network.hold(5353, sharing: false)
            #expect(await code { try await network.node("node-one") } == .portInUse)
            _ = holder
        }
    }

    @Test("Beside another program a node asks for no unicast answers")
    func sharesPort() async throws {
        try await PrivateNetwork.with { network in
            let holder = try await network.hold(5353, sharing: true)
            let two = try await network.node("node-two")
            #expect(await two.status().sharesPort)
            let packets = try await two.watchPackets()
            let registration = try await two.register(service("Second"))
            try await registration.established()
            packets.end(after: .zero)
            for await packet in packets where packet.direction == .sent {
                let message = try Message.decode(packet.payload.span).message
                #expect(message.questions.allSatisfy { !$0.prefersUnicast })
            }
            _ = holder
        }
    }

    @Test("Who is on the port is known as it is now, and only who offers something takes unicast")
    func portStatus() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            #expect(await node.status().sharesPort == false)
            #expect(await node.status().receivesUnicast)
            var holder: DatagramSocket? = try await network.hold(5353, sharing: true)
            #expect(holder?.port == 5353)
            #expect(await node.status().sharesPort)
            #expect(await node.status().receivesUnicast == false)
            let registration = try await node.register(service("Offered"))
            #expect(await node.status().receivesUnicast)
            await registration.withdraw()
            #expect(await node.status().receivesUnicast == false)
            holder = nil
            #expect(await node.status().sharesPort == false)
            #expect(await node.status().receivesUnicast)
        }
    }

    @Test("An interface that comes later is used, one that goes away is forgotten")
    func interfaces() async throws {
        try await PrivateNetwork.with { network in
            var options = NodeOptions(hostName: .label("node-one"))
            options.waitsForInterface = true
            let node = try await network.node(options)
            #expect(await node.interfaces.isEmpty)
            try await network.run(
                """
                ip link add left type veth peer name right
                ip addr add 192.0.2.1/24 dev left
                ip link set left up
                ip link set right up
                """)
            while await node.interfaces.first(where: { $0.name == "left" })?.has(.ipv4) != true {
                await Task.yield()
            }
            let left = try #require(
                await node.status().interfaces.first { $0.interface.name == "left" })
            #expect(left.reach[.ipv4] == .joined)
            try await network.run(
                "ip link set left down\nip link set left name front\nip link set front up")
            while await node.interfaces.first(where: { $0.name == "front" })?.has(.ipv4) != true {
                await Task.yield()
            }
            #expect(await node.interfaceName(of: left.interface.index) == "front")
            try await network.run("ip link del front")
            while !(await node.interfaces.isEmpty) { await Task.yield() }
            #expect(await node.interfaceName(of: left.interface.index) == "front")
        }
    }

    @Test("An idle node is not woken")
    func idle() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let registration = try await node.register(service("Quiet"))
            try await registration.established()
            // Announcements are repeated, so the first has something to do; the second has not.
            #expect(await node.nextDeadline != nil)
            let idle = try await network.node("node-two")
            #expect(await idle.nextDeadline == nil)
            await registration.withdraw()
        }
    }
}
