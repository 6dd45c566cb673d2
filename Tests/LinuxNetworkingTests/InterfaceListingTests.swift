import LinuxEventLoop
import NetworkPrimitives
import TestSupport
import Testing

@testable import LinuxNetworking

@Suite("Interfaces without netlink")
struct InterfaceListingTests {
    private static let refusal = SystemError("socket", .notPermitted, subject: "netlink")

    @Test("They are the same as with netlink", .makesNetworks)
    func same() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(
                """
                ip link add d0 address 02:00:00:00:00:07 mtu 1400 type veth peer name p0
                ip link add d1 type veth peer name p1
                ip link set d1 multicast off
                ip link set p0 up; ip link set d0 up; ip link set d1 up
                ip addr add 192.0.2.7/24 dev d0
                ip addr add 192.0.2.8/24 dev d0
                ip addr add 198.51.100.7/30 dev d0 label d0:1
                ip addr add 203.0.113.1/32 dev d1
                ip addr add 2001:db8::7/64 dev d0 nodad preferred_lft 0
                ip addr add 2001:db8::8/128 dev d0 nodad
                ip tuntap add t0 mode tun 2>/dev/null || true
                until ip -6 addr show d0 scope link | grep -v tentative | grep -q inet6; do :; done
                """)
            let expected = try await cell.allInterfaces()
            let found = try await cell.interfacesWithoutNetlink()
            #expect(found == expected)
            #expect(found.count >= 5)
            #expect(found.first { $0.name == "d0" }?.addresses.count == 6)
        }
    }

    @Test("A monitor that netlink is refused to looks at intervals", .makesNetworks)
    func polls() async throws {
        try await NetworkCell.with { cell in
            try await cell.monitorInterfaces(refusal: Self.refusal)
            #expect(await cell.snapshots.map { $0.map { $0.name } } == [["lo"]])
            let wakeUps = cell.loop.wakeUpCount
            try await cell.run("ip link add d0 type veth peer name p0")
            await cell.wait { $0.latest("d0") != nil }
            try await cell.run("ip link del d0")
            await cell.wait { $0.latest("d0") == nil }
            #expect(await cell.snapshots.count == 3)
            // Two intervals and what the commands took.
            #expect(cell.loop.wakeUpCount - wakeUps < 60)
        }
    }

    @Test("Exhaustion is an error, a refusal is not", arguments: [SystemError.Code.tooManyFiles])
    func exhaustion(_ code: SystemError.Code) throws {
        #expect(throws: SystemError("socket", code)) {
            try InterfaceMonitor(refusal: SystemError("socket", code))
        }
        let refused: [SystemError.Code] = [.notPermitted, .accessDenied, .familyUnsupported]
        for code in refused {
            let reason = SystemError("socket", code)
            #expect(try InterfaceMonitor(refusal: reason).pollingReason == reason)
        }
        #expect(try InterfaceMonitor().pollingReason == nil)
    }

    @Test("Lines of the kernel's tables that can't be read are left out")
    func damaged() {
        let addresses = """
            fe8000000000000000fc00fffe000001 04 40 20 80     eth0
            fe8000000000000000fc00fffe000002 04 40 20 c8     eth0
            20010db8000000000000000000000001 0a 80 00 21 a b
            fe80 04 40 20 80 eth0
            zz8000000000000000fc00fffe000001 04 40 20 80 eth0
            fe8000000000000000fc00fffe000001 04 81 20 80 eth0
            fe8000000000000000fc00fffe000001 04

            """
        let found = InterfaceListing.addresses(in: Array(addresses.utf8))
        #expect(found.map { $0.index.rawValue } == [4, 4, 10])
        #expect(found.map { $0.address.isTentative } == [false, true, false])
        #expect(found.map { $0.address.isDeprecated } == [false, false, true])
        #expect(found.map { $0.address.isTemporary } == [false, false, true])
        #expect(found.map { $0.address.prefix.length } == [64, 64, 128])
        let names = "Inter-|\n face |\n    lo: 1 2\nveth:1: 3\n: 4\nnone\n"
        #expect(InterfaceListing.names(in: Array(names.utf8)) == ["lo", "veth:1"])
        #expect(InterfaceListing.names(in: []) == [])
        #expect(InterfaceListing.addresses(in: [0xFF, 0x0A, 0x20]) == [])
    }

    @Test("Details: the kind of an interface, where its other end is, duplicates", .makesNetworks)
    func details() async throws {
        try await NetworkCell.with { cell in
            try await cell.run(
                """
                ip link add d0 type veth peer name p0
                ip link add b0 type bridge
                """)
            let all = try await cell.details()
            #expect(all.first { $0.interface.name == "d0" }?.kind == "veth")
            #expect(all.first { $0.interface.name == "b0" }?.kind == "bridge")
            #expect(all.first { $0.interface.name == "lo" }?.kind == nil)
            #expect(all.allSatisfy { !$0.hasPeerElsewhere && $0.duplicateAddresses.isEmpty })
            let listed = try await cell.details(refusal: Self.refusal)
            #expect(listed.map { $0.interface } == all.map { $0.interface })
            #expect(listed.allSatisfy { $0.kind == nil })
        }
    }
}
