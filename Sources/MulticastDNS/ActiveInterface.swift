import DNSMessages
import NetworkPrimitives

/// An interface that multicast DNS runs on, and the families that it runs over there.
struct ActiveInterface: Sendable {
    var interface: NetworkInterface
    var families: FamilySet

    var index: InterfaceIndex { interface.index }

    /// What a message may take: the link's MTU without headers (RFC 6762 §17).
    func messageLimit(_ family: AddressFamily, _ limits: Limits) -> Int {
        let unit = interface.maximumTransmissionUnit
        return min(unit >= 576 ? unit : 1500, limits.datagramSize) - Self.headerSize(family)
    }

    /// What the message of a lone large record may take, which the kernel sends in fragments
    /// (RFC 6762 §17).
    func loneRecordLimit(_ family: AddressFamily, _ limits: Limits) -> Int {
        limits.datagramSize - Self.headerSize(family)
    }

    /// The IP and UDP headers of a datagram.
    static func headerSize(_ family: AddressFamily) -> Int { family == .ipv4 ? 28 : 48 }

    /// The group that a message for everybody is sent to.
    func group(_ family: AddressFamily) -> SocketAddress {
        SocketAddress(.multicastDNS(family), port: 5353, scope: family == .ipv6 ? index : nil)
    }

    func multicast(_ bytes: [UInt8], _ family: AddressFamily) -> Transmission {
        Transmission(bytes: bytes, destination: group(family), interface: index)
    }
}
