import LinuxNetworking
import MulticastDNS
import NetworkPrimitives
import TestSupport
import Testing

@testable import MDNS

@Suite("Interfaces that come and go", .timeLimit(.minutes(3)))
struct ChurnTests {
    @Test(
        "10,000 changes under a browse: memory and sockets are flat, the last state is known",
        .makesNetworks)
    func churn() async throws {
        try await PrivateNetwork.with { network in
            try await network.run(
                """
                for n in $(seq 0 99); do
                    echo link add v$n type veth peer name w$n
                    echo link set w$n up
                    echo link set v$n up
                    echo addr add 10.0.$n.1/24 dev v$n
                done | ip -batch -
                """)
            var options = NodeOptions(families: [.ipv4], hostName: .label("node-one"))
            options.waitsForInterface = true
            let node = try await network.node(options)
            let type = try ServiceType("_vicinity-test._tcp")
            var events = try await node.browse(type).makeAsyncIterator()
            let registration = try await node.register(
                ServiceDescription(name: "Steady", type: type, port: 4711))
            try await registration.established()
            #expect(await events.next()?.instance?.name.instance == "Steady")
            try await run(3, on: network, node)
            let memory = CurrentProcess.residentMemory
            let sockets = try await network.socketCount()
            try await run(25, on: network, node)
            let growth = CurrentProcess.residentMemory - memory
            #expect(growth < 8 << 20, "\(growth)")
            #expect(try await network.socketCount() == sockets)
            let found = try await node.resolve(ServiceInstanceName("Steady", type: type))
            #expect(found?.port == 4711)
            await registration.withdraw()
        }
    }

    /// Four changes of each of a hundred interfaces, so often; then waits until the node knows
    /// the last of them.
    private func run(_ rounds: Int, on network: PrivateNetwork, _ node: MDNSNode) async throws {
        try await network.run(
            """
            for r in $(seq \(rounds)); do
                for n in $(seq 0 99); do
                    echo link set v$n multicast off
                    echo addr add 10.1.$n.$r/24 dev v$n
                    echo link set v$n multicast on
                    echo addr del 10.1.$n.$r/24 dev v$n
                done
            done | ip -batch -
            """)
        while true {
            let interfaces = await node.interfaces
            let isSettled =
                interfaces.count == 100
                && interfaces.allSatisfy {
                    $0.addresses.filter { $0.address.family == .ipv4 }.count == 1
                }
            if isSettled { return }
            await Task.yield()
        }
    }
}
