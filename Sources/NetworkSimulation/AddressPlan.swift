package import NetworkPrimitives

/// The addresses that hosts get on links: 10.link.x.y/16, fe80::link:host/64 and
/// 2001:db8:link::host/64, all from numbers, so that a run is the same every time. A host that
/// gets other addresses has a generation of them that is not the first.
package enum AddressPlan {
    package static func ipv4(
        _ host: HostID, on link: LinkID, generation: Int = 0
    ) -> NetworkPrefix {
        let number = UInt32(truncatingIfNeeded: host.rawValue + 1 + generation * 1_024)
        let network = UInt32(truncatingIfNeeded: link.rawValue & 0xFF)
        let address = IPv4Address(rawValue: 10 << 24 | network << 16 | number & 0xFFFF)
        return NetworkPrefix(.v4(address), length: 16)
    }

    package static func linkLocal(
        _ host: HostID, on link: LinkID, generation: Int = 0
    ) -> NetworkPrefix {
        let number = UInt128(host.rawValue + 1) | UInt128(generation) << 16
        let low = UInt128(link.rawValue + 1) << 32 | number
        return NetworkPrefix(.v6(IPv6Address(rawValue: 0xFE80 << 112 | low)), length: 64)
    }

    package static func global(_ host: HostID, on link: LinkID) -> NetworkPrefix {
        let network = UInt128(0x2001_0DB8) << 96 | UInt128(link.rawValue + 1) << 64
        let address = IPv6Address(rawValue: network | UInt128(host.rawValue + 1))
        return NetworkPrefix(.v6(address), length: 64)
    }

    /// The interface that a host has on a link.
    package static func interface(
        _ host: HostID, on link: LinkID, families: Set<AddressFamily>, isUp: Bool = true,
        maximumTransmissionUnit: Int = 1500, generation: Int = 0
    ) -> NetworkInterface {
        var addresses: [NetworkInterface.Address] = []
        if families.contains(.ipv4) {
            addresses.append(.init(ipv4(host, on: link, generation: generation)))
        }
        if families.contains(.ipv6) {
            addresses.append(.init(linkLocal(host, on: link, generation: generation)))
        }
        return NetworkInterface(
            name: "eth\(link.rawValue)", index: index(of: link),
            flags: isUp ? [.up, .running, .multicast] : [.multicast],
            maximumTransmissionUnit: maximumTransmissionUnit, addresses: addresses)
    }

    /// The kernel number of every host's interface on that link.
    package static func index(of link: LinkID) -> InterfaceIndex {
        InterfaceIndex(rawValue: UInt32(truncatingIfNeeded: link.rawValue + 1))
    }

    package static func link(of index: InterfaceIndex) -> LinkID {
        LinkID(rawValue: Int(index.rawValue) - 1)
    }
}
