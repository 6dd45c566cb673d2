import NetworkPrimitives
import TestSupport
import Testing

@testable import LinuxNetworking

@Suite("The kernel's tables")
struct KernelTablesTests {
    #if _endian(little)
        @Test("IPv4 routes are read, lines that are no routes left out")
        func routes() {
            let table = """
                Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
                eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
                eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
                tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0
                eth0\tzz\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
                eth0
                """
            let routes = KernelTables.routes(inIPv4: Array(table.utf8))
            #expect(
                routes.map { "\($0.interface) \($0.destination)" }
                    == ["eth0 0.0.0.0/0", "eth0 192.0.2.0/24", "tun0 0.0.0.0/1"])
            #expect(routes.map { $0.gateway } == [IPAddress("192.0.2.1"), nil, nil])
        }
    #endif

    @Test("IPv6 routes are read, rejected ones left out")
    func routesIPv6() {
        let none = String(repeating: "0", count: 32)
        let table = """
            ff000000000000000000000000000000 08 \(none) 00 \(none) 100 1 0 00000001 lan0
            \(none) 00 \(none) 00 fd000000000000000000000000000001 400 3 0 00000003 lan0
            \(none) 00 \(none) 00 \(none) ffffffff 1 0 00200200 lo
            ff 08
            """
        let routes = KernelTables.routes(inIPv6: Array(table.utf8))
        #expect(routes.map { $0.destination.description } == ["ff00::/8", "::/0"])
        #expect(routes.map { $0.gateway } == [nil, IPAddress("fd00::1")])
        #expect(routes.allSatisfy { $0.interface == "lan0" })
    }

    @Test("neighbours that answered are counted")
    func neighbours() {
        let table = """
            IP address HW type Flags HW address Mask Device
            192.0.2.1 0x1 0x2 02:fc:00:00:00:05 * eth0
            192.0.2.2 0x1 0x0 00:00:00:00:00:00 * eth0
            192.0.2.3 0x1 0x6 02:fc:00:00:00:06 * eth0
            192.0.2.4 0x1
            """
        #expect(KernelTables.neighbourCount(in: Array(table.utf8)) == 2)
        #expect(KernelTables.neighbourCount(in: []) == 0)
    }

    @Test("counters are read by their names")
    func counters() {
        let paired = "Udp: InDatagrams NoPorts\nUdp: 7 9\nOdd: a\nOther: 1\nLast: x\n"
        #expect(
            KernelTables.pairedCounters(in: Array(paired.utf8))
                == ["Udp.InDatagrams": 7, "Udp.NoPorts": 9])
        #expect(KernelTables.pairedCounters(in: []) == [:])
        let listed = "Ip6InMcastPkts   \t12\nBad x\nThree of them\n"
        #expect(KernelTables.listedCounters(in: Array(listed.utf8)) == ["Ip6InMcastPkts": 12])
        #expect(KernelTables.counters()["Udp.NoPorts"] != nil)
    }

    @Test("this process, its boot and its network are described")
    func process() throws {
        #expect(ProcessLimits.bootIdentifier.count == 36)
        #expect(ProcessLimits.networkNamespace > 0)
        #expect(ProcessLimits.openFileLimit ?? 0 > 0)
        let before = ProcessLimits.openFileCount
        let socket = try DatagramSocket(.ipv4)
        let inode = try #require(socket.inode)
        #expect(before > 2)
        #expect(ProcessLimits.program(ofSocket: inode, within: .seconds(20)) != nil)
        #expect(ProcessLimits.program(ofSocket: inode, within: .zero) == nil)
        #expect(!ProcessLimits.isIPv6Disabled(on: "no-such-interface"))
    }
}
