import DNSMessages
import LinuxNetworking
import MDNS
import NetworkPrimitives
import TestSupport
import Testing

/// Where the datagrams of real nodes come from, as another program of the network sees it.
@Suite(
    "Source ports",
    .makesNetworks,
    .timeLimit(.minutes(5)))
struct SourcePortTests {
    private static let index = InterfaceIndex(rawValue: 7)

    private struct Received {
        let message: Message
        let source: UInt16
        let isMulticast: Bool
    }

    /// What has come to the socket.
    private func drain(_ socket: DatagramSocket) throws -> [Received] {
        var received: [Received] = []
        _ = try socket.receive(limit: 1_000) { info, payload in
            guard let message = try? Message.decode(payload).message else { return }
            received.append(
                Received(
                    message: message, source: info.source.port,
                    isMulticast: info.destination.isMulticast))
        }
        return received
    }

    @Test(
        "M5-19 M6-15 queries, probes and responses come from port 5353, a legacy reply as well",
        arguments: AddressFamily.allCases)
    func sourcePorts(_ family: AddressFamily) async throws {
        try await PrivateNetwork.with { network in
            // The loopback has no multicast over IPv6.
            try await network.run(
                """
                ip link add name own0 index \(Self.index.rawValue) type veth peer name own1
                ip link set own1 up
                ip link set own0 up
                ip address add 10.77.0.1/24 dev own0
                ip address add fe80::77/64 dev own0 nodad
                """)
            let wire = try await network.listen(family, on: Self.index)
            let type = try ServiceType("_vicinity-test._tcp")
            let options = ["node-one", "node-two"].map { name in
                NodeOptions(
                    interfaces: .named(["own0"]), families: [family], hostName: .label(name))
            }
            let one = try await network.node(options[0])
            let two = try await network.node(options[1])
            let registration = try await one.register(
                ServiceDescription(name: "Port", type: type, port: 4711))
            let name = try await registration.established()
            var events = try await two.browse(type, within: .seconds(10)).makeAsyncIterator()
            _ = try #require(await events.next()?.instance)

            // From another port than 5353, so the reply goes to that (RFC 6762 §6.7).
            let asker = try await network.ask(
                family, try Message(questions: [Question(name, .srv)]).encoded(), on: Self.index,
                from: try #require(IPAddress(family == .ipv4 ? "10.77.0.1" : "fe80::77")))
            var replies: [Received] = []
            for _ in 0..<50 where replies.isEmpty {
                _ = try await two.addresses(
                    of: try DomainName("nobody.local"), within: .milliseconds(100))
                replies += try drain(asker)
            }
            #expect(replies.count == 1)
            #expect(replies.allSatisfy { $0.message.header.isResponse && !$0.isMulticast })
            #expect(replies.allSatisfy { $0.source == 5353 })
            await registration.withdraw()

            let seen = try drain(wire)
            let legacy = seen.filter { $0.source != 5353 }
            // The asker's own query, and nothing of the nodes'.
            #expect(legacy.map { $0.source } == [asker.port])
            #expect(legacy.allSatisfy { !$0.message.header.isResponse })
            let ours = seen.filter { $0.source == 5353 }.map { $0.message }
            #expect(ours.contains { !$0.header.isResponse && $0.authorities.isEmpty })
            #expect(ours.contains { !$0.header.isResponse && !$0.authorities.isEmpty })
            #expect(ours.contains { $0.header.isResponse && $0.answers[0].timeToLive > .goodbye })
            #expect(ours.contains { $0.header.isResponse && $0.answers[0].timeToLive == .goodbye })
        }
    }
}
