import LinuxNetworking
import MDNS
import MulticastDNS
import Testing

@Suite(
    "What a node counts",
    .enabled(if: CurrentProcess.isAdministrator, "making networks needs the administrator"),
    .timeLimit(.minutes(1)))
struct StatisticsTests {
    @Test("Every counter is told under its own name, once, with what it means")
    func everyCounter() async throws {
        try await PrivateNetwork.with { network in
            let counters = try await network.node("node-one").statistics().counters
            let names = counters.map(\.name)
            #expect(Set(names).count == names.count)
            let fields = Mirror(reflecting: Statistics()).children.compactMap(\.label)
            #expect(!fields.isEmpty)
            #expect(Set(fields).subtracting(names).isEmpty)
            for counter in counters {
                #expect(!counter.meaning.isEmpty && counter.meaning != counter.name)
            }
        }
    }

    @Test("What came in and what the kernel did is still told after the node has been closed")
    func closed() async throws {
        try await PrivateNetwork.with { network in
            let node = try await network.node("node-one")
            let packets = try await node.packets()
            // 9,100 bytes are more than a message may have; the second shows that it was read.
            try await network.multicast([UInt8](repeating: 0, count: 9100))
            try await network.multicast([UInt8](repeating: 0, count: 12))
            for await packet in packets where packet.payload.count == 12 { break }
            await node.close()
            let statistics = await node.statistics()
            #expect(statistics["oversizedDatagrams"] == 1)
            #expect(statistics["received"] == 1)
            #expect(statistics["queriesReceived"] == 1)
        }
    }
}
