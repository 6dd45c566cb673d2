import LinuxNetworking
import NetworkPrimitives

/// A node's sockets of one family.
///
/// The kernel gives a unicast datagram to one socket on the port only. So the socket that sends,
/// and receives what is multicast, is bound to the group's address, where it takes nothing from
/// anybody; another one receives what is unicast, and is open only while that is wanted.
struct NodeSocket {
    let family: AddressFamily
    /// Sends everything and receives multicast.
    let group: DatagramSocket
    /// Receives unicast.
    private(set) var unicast: DatagramSocket?
    /// What unicast sockets had counted that are closed again.
    private var closedStatistics: [SocketStatistics] = []

    /// Opens the socket for the group.
    init(_ family: AddressFamily) throws(SocketError) {
        self.family = family
        group = try DatagramSocket(
            family, port: NodeDriver.port, sharesPort: true, address: .multicastDNS(family))
    }

    /// The kernel's numbers of the sockets.
    var inodes: [UInt64] { [group.inode, unicast?.inode].compactMap { $0 } }

    /// What the sockets have counted.
    var statistics: [SocketStatistics] {
        closedStatistics + [group.statistics] + (unicast.map { [$0.statistics] } ?? [])
    }

    /// Opens the socket for unicast.
    mutating func openUnicast() throws(SocketError) {
        guard unicast == nil else { return }
        unicast = try DatagramSocket(family, port: NodeDriver.port, sharesPort: true)
    }

    /// Leaves unicast to others on the port.
    mutating func closeUnicast() {
        guard let unicast else { return }
        closedStatistics.append(unicast.statistics)
        if closedStatistics.count > 1 {
            // As many as ever, in one.
            closedStatistics = [closedStatistics.reduce(SocketStatistics(), +)]
        }
        unicast.onInterest = nil
        self.unicast = nil
    }

    /// Ends the waiting for both.
    func detach() {
        group.onInterest = nil
        unicast?.onInterest = nil
    }
}
