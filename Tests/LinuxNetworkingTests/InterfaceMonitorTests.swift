import LinuxNetworking
import NetworkPrimitives
import TestSupport
import Testing

@Suite("Interfaces", .timeLimit(.minutes(5)))
struct InterfaceMonitorTests {
    @Test("The loopback is among the interfaces of this machine")
    func loopback() throws {
        let interfaces = try InterfaceMonitor.snapshot()
        let lo = try #require(interfaces.first { $0.flags.contains(.loopback) })
        #expect(lo.name == "lo")
        #expect(lo.index.rawValue == 1)
        #expect(lo.hardwareAddress == nil)
        #expect(lo.maximumTransmissionUnit > 0)
        #expect(lo.addresses.contains { $0.prefix == NetworkPrefix(.v4(.loopback), length: 8) })
        #expect(interfaces == interfaces.sorted { $0.index < $1.index })
    }

    @Test("Each change brings a whole snapshot", .makesNetworks)
    func changes() async throws {
        try await NetworkCell.with { cell in
            try await cell.monitorInterfaces()
            #expect(await cell.snapshots.map { $0.map(\.name) } == [["lo"]])
            try await cell.run(
                """
                ip link add d0 address 02:00:00:00:00:07 mtu 1400 type veth peer name p0
                ip link set d0 up
                """)
            await cell.wait { $0.latest("d0")?.flags.contains(.up) ?? false }
            let before = try #require(await cell.latest("d0"))
            // Its cable is not plugged in at the other end.
            #expect(!before.isUsable)
            #expect(before.canMulticast)
            #expect(before.maximumTransmissionUnit == 1400)
            #expect(before.hardwareAddress?.description == "02:00:00:00:00:07")
            try await cell.run("ip link set p0 up; ip addr add 192.0.2.7/24 dev d0")
            let address = NetworkPrefix(.v4(IPv4Address(192, 0, 2, 7)), length: 24)
            await cell.wait { cell in
                guard let d0 = cell.latest("d0") else { return false }
                return d0.isUsable && d0.addresses.contains { $0.prefix == address }
            }
            try await cell.run("ip addr del 192.0.2.7/24 dev d0")
            await cell.wait { cell in
                !(cell.latest("d0")?.addresses.contains { $0.prefix == address } ?? true)
            }
            try await cell.run("ip link del d0")
            await cell.wait { $0.latest("d0") == nil && $0.latest("p0") == nil }
            #expect(await cell.snapshots.last?.map(\.name) == ["lo"])
        }
    }

    @Test("An IPv6 address is tentative at first, then usable; marks are told", .makesNetworks)
    func addressStates() async throws {
        try await NetworkCell.with { cell in
            try await cell.monitorInterfaces()
            try await cell.run(
                "ip link add d0 type veth peer name p0; ip link set p0 up; ip link set d0 up")
            // A real duplicate address detection by the kernel, which takes a second or two.
            await cell.wait { cell in
                cell.latest("d0")?.addresses.contains { $0.isUsable } ?? false
            }
            let states = await cell.snapshots.compactMap { snapshot in
                snapshot.first { $0.name == "d0" }?.addresses.first?.isTentative
            }
            #expect(states.first == true)
            #expect(states.last == false)
            try await cell.run(
                "ip addr add 2001:db8::7/64 dev d0 nodad preferred_lft 0")
            await cell.wait { cell in
                cell.latest("d0")?.addresses.contains { $0.isDeprecated } ?? false
            }
            let deprecated = try #require(
                await cell.latest("d0")?.addresses.first { $0.isDeprecated })
            #expect(deprecated.prefix.description == "2001:db8::7/64")
            #expect(!deprecated.isUsable)
        }
    }

    @Test("A link that was lost and is back already is told as both", .makesNetworks)
    func interruption() async throws {
        try await NetworkCell.with { cell in
            // Without IPv6, whose address detection would change things after that.
            try await cell.run(
                """
                ip link add d0 type veth peer name p0
                echo 1 > /proc/sys/net/ipv6/conf/d0/disable_ipv6
                ip link set p0 up
                ip link set d0 up
                until ip link show d0 | grep -q 'state UP'; do :; done
                """)
            let monitor = try await cell.makeMonitor()
            // Both changes happen before the monitor looks.
            try await cell.run(
                """
                ip link set p0 down
                until ip link show d0 | grep -q 'state LOWERLAYERDOWN'; do :; done
                ip link set p0 up
                until ip link show d0 | grep -q 'state UP'; do :; done
                """)
            let snapshots = try await cell.update(monitor)
            let states = snapshots.compactMap { snapshot in
                snapshot.first { $0.name == "d0" }?.isUsable
            }
            #expect(states == [false, true])
            #expect(try await cell.update(monitor).isEmpty)
        }
    }

    @Test("More changes than the kernel keeps for us cost one more look, no more", .makesNetworks)
    func overflow() async throws {
        try await NetworkCell.with { cell in
            let monitor = try await cell.makeMonitor()
            try await cell.run(
                """
                for i in $(seq 4000); do
                    echo addr add 10.1.$((i / 250)).$((i % 250 + 1))/32 dev lo
                done | ip -batch -
                """)
            var last: [NetworkInterface] = []
            for _ in 0..<100 {
                guard let snapshot = try await cell.update(monitor).last else { break }
                last = snapshot
            }
            #expect(last.first?.addresses.count ?? 0 >= 4000)
        }
    }
}
