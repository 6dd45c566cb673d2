import DNSSD
import LinuxNetworking
import NetworkPrimitives

// How the kernel's reasons become sentences with a remedy.
extension SendFailure {
    /// A datagram that the kernel refused.
    init(_ code: SystemError.Code, _ family: AddressFamily, on interface: NetworkInterface) {
        let what = "sending on \(interface.name) over \(family.name) fails: \(code.text) (\(code))"
        let remedy =
            switch code {
            case .notPermitted, .accessDenied, .connectionRefused:
                "a firewall, a VPN or a sandbox around this program forbids it; allow UDP port "
                    + "5353 out: 'ufw allow out 5353/udp', 'firewall-cmd --add-service=mdns', or "
                    + "in nft's output chain 'udp dport 5353 accept'"
            case .networkUnreachable, .hostUnreachable, .addressNotAvailable:
                "'ip \(family == .ipv4 ? "-4" : "-6") route show table all dev "
                    + "\(interface.name)' must list the multicast group"
            case .noBufferSpace:
                "the device's queue drops packets; 'tc -s qdisc show dev \(interface.name)' "
                    + "counts them"
            default: "'ip -s link show \(interface.name)' may say more"
            }
        self.init(
            interface: interface.index, family: family, errorNumber: code.rawValue,
            description: "\(what); \(remedy)")
    }

    /// A datagram for which the send queue had no room.
    init(queueFullFor family: AddressFamily, on interface: NetworkInterface) {
        self.init(
            interface: interface.index, family: family, errorNumber: nil,
            description: "sending on \(interface.name) over \(family.name) fails: the send queue "
                + "has been full for too long; 'tc -s qdisc show dev \(interface.name)' may say why"
        )
    }
}

extension AddressFamily {
    /// `IPv4` or `IPv6`.
    var name: String { self == .ipv4 ? "IPv4" : "IPv6" }
}
