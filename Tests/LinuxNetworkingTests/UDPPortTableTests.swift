import NetworkPrimitives
import Testing

@testable import LinuxNetworking

@Suite("Ports in use")
struct UDPPortTableTests {
    @Test("The kernel's table is read")
    func parses() {
        let table = Array(
            """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt
              123: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000
              124: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000

            """.utf8)
        #expect(UDPPortTable.contains(5353, in: table))
        #expect(UDPPortTable.contains(53, in: table))
        #expect(!UDPPortTable.contains(5354, in: table))
        #expect(!UDPPortTable.contains(0, in: table))
        #expect(!UDPPortTable.contains(5353, in: Array("damaged\n\n:::\n".utf8)))
    }

    @Test("A socket of ours is in it", arguments: [AddressFamily.ipv4, .ipv6])
    func own(family: AddressFamily) throws {
        let socket = try DatagramSocket(family)
        #expect(UDPPortTable.isInUse(socket.port, family))
    }
}
