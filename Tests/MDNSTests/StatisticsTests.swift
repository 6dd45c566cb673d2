import MDNS
import TestSupport
import Testing

@Suite(
    "What a node counts",
    .makesNetworks,
    .timeLimit(.minutes(5)))
struct StatisticsTests {
    @Test("What came in and what the kernel did is still counted after the node has been closed")
    func closed() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let packets = try await node.watchPackets()
            // 9,100 bytes are more than a message may have; the second shows that it was read.
            try await network.multicast([UInt8](repeating: 0, count: 9100))
            try await network.multicast([UInt8](repeating: 0, count: 12))
            for await packet in packets where packet.payload.count == 12 { break }
            await node.close()
            let statistics = await node.statistics()
            #expect(statistics[.oversizedDatagrams] == 1)
            #expect(statistics[.received] == 1)
            #expect(statistics[.queriesReceived] == 1)
        }
    }
}
