import DNSMessages
import LinuxNetworking
import NetworkPrimitives
import TestSupport
import Testing

@testable import MDNS

@Suite("Updates of a node's status", .makesNetworks, .timeLimit(.minutes(5)))
struct StatusUpdateTests {
    private static let refusal = SystemError("socket", .notPermitted, subject: "netlink")

    private static func options(
        _ name: String, refusal: SystemError? = nil, interfaces: InterfaceSelection = .all
    ) -> NodeOptions {
        var options = NodeOptions(
            interfaces: interfaces, families: [.ipv4], hostName: .label(name),
            waitsForInterface: true)
        options.netlinkRefusal = refusal
        return options
    }

    private static let addLeft = """
        ip link add left type veth peer name right
        ip addr add 192.0.2.1/24 dev left
        ip link set left up
        ip link set right up
        """

    @Test("The first is the current one; an interface that comes and goes is a change")
    func changes() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node(Self.options("node-one"))
            var updates = try await node.statusUpdates().makeAsyncIterator()
            let first = try #require(await updates.next())
            #expect(first.interfaces.isEmpty)
            #expect(first.interfaceUpdates == .reported)
            try await network.run(Self.addLeft)
            var status = first
            while status.interfaces.isEmpty { status = try #require(await updates.next()) }
            #expect(status.interfaces.map { $0.interface.name } == ["left"])
            #expect(status.interfaces.first?.reach == [.ipv4: .joined])
            try await network.run("ip link del left")
            while !status.interfaces.isEmpty { status = try #require(await updates.next()) }
            await node.close()
            while await updates.next() != nil {}
            #expect(await node.isClosed)
            await #expect(throws: MDNSError.self) { try await node.statusUpdates() }
        }
    }

    @Test("A slow reader gets the latest status alone; two readers get the same")
    func latest() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node(Self.options("node-one"))
            let updates = try await node.statusUpdates()
            let others = try await node.statusUpdates()
            for round in 0..<20 {
                try await network.run(
                    "ip link add v\(round) type veth peer name w\(round); "
                        + "ip addr add 192.0.2.\(round + 1)/24 dev v\(round); "
                        + "ip link set w\(round) up; ip link set v\(round) up")
            }
            // Each is there when the node has read the kernel's messages.
            while await node.interfaces.count < 20 { await Task.yield() }
            for sequence in [updates, others] {
                sequence.end(after: .zero)
                var count = 0
                var last: NodeStatus?
                for await status in sequence {
                    count += 1
                    last = status
                }
                #expect(count == 1)
                #expect(last?.interfaces.count == 20)
            }
        }
    }

    @Test("Datagrams that are counted are no change")
    func counts() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let other = try await network.node("node-two")
            let type = try ServiceType("_vicinity-test._tcp")
            let registration = try await node.register(
                ServiceDescription(name: "Counted", type: type, port: 4711))
            try await registration.established()
            let updates = try await node.statusUpdates()
            let before = await node.statistics()[.sent]
            // Each answer counts.
            for _ in 0..<3 {
                let found = try await other.resolve(ServiceInstanceName("Counted", type: type))
                #expect(found?.port == 4711)
            }
            #expect(await node.statistics()[.sent] > before)
            updates.end(after: .zero)
            var count = 0
            for await _ in updates { count += 1 }
            #expect(count == 1)
            await registration.withdraw()
        }
    }

    @Test("Where netlink is refused the node starts, says so, and sees changes within two seconds")
    func polling() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node(Self.options("node-one", refusal: Self.refusal))
            var updates = try await node.statusUpdates().makeAsyncIterator()
            var status = try #require(await updates.next())
            guard case .polled(let reason) = status.interfaceUpdates else {
                Issue.record("not polled")
                return
            }
            #expect(reason.contains("EPERM") && reason.contains("AF_NETLINK"))
            let begin = SystemClock.now
            try await network.run(Self.addLeft)
            while status.interfaces.isEmpty { status = try #require(await updates.next()) }
            #expect(begin.duration(to: SystemClock.now) < .seconds(5))
            #expect(status.interfaces.first?.reach == [.ipv4: .joined])
            try await network.run("ip link set left down")
            while !status.interfaces.isEmpty { status = try #require(await updates.next()) }
        }
    }

    @Test(
        "M8-1 M5-22 when a link comes up, what is offered is probed and what is asked is asked",
        arguments: [nil, refusal])
    func linkUp(_ refusal: SystemError?) async throws {
        try await PrivateNetwork.with { network in
            try await network.run(Self.addLeft)
            let node = try await network.node(Self.options("node-one", refusal: refusal))
            let type = try ServiceType("_vicinity-test._tcp")
            let registration = try await node.register(
                ServiceDescription(name: "Linked", type: type, port: 4711))
            try await registration.established()
            let sought = try ServiceType("_vicinity-other._tcp")
            let soughtName = try sought.domainName()
            let events = try await node.browse(sought)
            try await network.run("ip link set left down")
            while !(await node.interfaces.isEmpty) { await Task.yield() }
            var packets = try await node.watchPackets().makeAsyncIterator()
            try await network.run("ip link set left up")
            var probes = 0
            var isAnnounced = false
            var questions = 0
            while !(isAnnounced && questions > 1), let packet = await packets.next() {
                guard packet.direction == .sent else { continue }
                let message = try Message.decode(packet.payload.span).message
                if message.header.isResponse {
                    isAnnounced = isAnnounced || message.answers.contains { $0.type == .srv }
                } else if message.authorities.contains(where: { $0.type == .srv }) {
                    probes += 1
                } else if let question = message.questions.first(where: { $0.name == soughtName }) {
                    // By unicast at first, as at a start.
                    #expect(question.prefersUnicast == (questions == 0))
                    questions += 1
                }
            }
            #expect(probes == 3)
            #expect(questions > 1)
            _ = events
            await registration.withdraw()
        }
    }
}
