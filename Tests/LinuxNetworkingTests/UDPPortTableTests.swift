import NetworkPrimitives
import Testing

@testable import LinuxNetworking

@Suite("Ports in use")
struct UDPPortTableTests {
    #if _endian(little)
        @Test("The kernel's tables are read")
        func parses() {
            let table = Array(
                """
                  sl  local_address rem_address   st tx_queue rx_queue tr tm->when
                  123: 00000000:14E9 00000000:0000 07 0:0 00:0 0     0        0 27871 2
                  124: 0100007F:0035 00000000:0000 07 0:0 00:0 0     0        0 27872 2
                  125: FB0000E0:14E9 00000000:0000 07 0:0 00:0 0     0        0 27873 2

                """.utf8)
            #expect(
                UDPPortTable.rows(in: table) == [
                    .init(port: 5353, isGroup: false, inode: 27871),
                    .init(port: 53, isGroup: false, inode: 27872),
                    .init(port: 5353, isGroup: true, inode: 27873),
                ])
            let table6 = Array(
                """
                  sl  local_address                         remote_address
                  9: 000002FF0000000000000000FB000000:14E9 0:0 07 0:0 00:0 0 65534 0 27458 2

                """.utf8)
            #expect(
                UDPPortTable.rows(in: table6) == [
                    .init(port: 5353, isGroup: true, inode: 27458, user: 65534)
                ])
            #expect(UDPPortTable.rows(in: Array("damaged\n\n:::\n 1: x:y\n".utf8)) == [])
        }
    #endif

    @Test(
        "A socket shares its port with others, not with itself", arguments: AddressFamily.allCases)
    func own(family: AddressFamily) throws {
        let socket = try DatagramSocket(family, sharesPort: true)
        let inode = try #require(socket.inode)
        #expect(UDPPortTable.isShared(socket.port, family))
        #expect(!UDPPortTable.isShared(socket.port, family, besides: [inode]))
        let other = try DatagramSocket(family, port: socket.port, sharesPort: true)
        #expect(UDPPortTable.isShared(socket.port, family, besides: [inode]))
        #expect(other.port == socket.port)
    }

    @Test(
        "A socket on a group's address takes no unicast from another on the port",
        arguments: AddressFamily.allCases)
    func group(family: AddressFamily) throws {
        let other = try DatagramSocket(family, sharesPort: true)
        let inode = try #require(other.inode)
        let socket = try DatagramSocket(
            family, port: other.port, sharesPort: true, address: .multicastDNS(family))
        #expect(!UDPPortTable.isShared(other.port, family, besides: [inode]))
        let sender = try DatagramSocket(family)
        let loopback: IPAddress = family == .ipv4 ? .v4(.loopback) : .v6(.loopback)
        for number in 0..<16 {
            let bytes = [UInt8(number)]
            let result = sender.send(
                bytes.span, to: SocketAddress(loopback, port: other.port), on: nil)
            #expect(result == .sent)
        }
        // On the loopback a datagram is there when sending it returns.
        #expect(try other.receive { _, _ in } == 16)
        #expect(try socket.receive { _, _ in } == 0)
    }
}
