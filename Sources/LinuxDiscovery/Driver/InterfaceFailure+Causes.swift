import DNSSD
import LinuxNetworking
import NetworkPrimitives

// How the kernel's reasons become sentences with a remedy.
extension InterfaceFailure {
    /// Datagrams that can't be sent.
    init(
        _ error: TrafficHistory.SendError, over families: Set<AddressFamily>,
        on interface: NetworkInterface
    ) {
        let what = "sending on \(interface.name) over \(AddressFamily.text(families)) fails"
        switch error {
        case .refused(let code):
            self.init(
                .sending, on: interface.index, over: families, errorNumber: code.rawValue,
                description: "\(what): \(code.text) (\(code)); "
                    + Self.remedy(for: code, families, interface.name))
        case .queueFull:
            self.init(
                .sending, on: interface.index, over: families, errorNumber: nil,
                description: "\(what): the send queue has been full for too long; "
                    + "'tc -s qdisc show dev \(interface.name)' may say why")
        }
    }

    private static func remedy(
        for code: SystemError.Code, _ families: Set<AddressFamily>, _ name: String
    ) -> String {
        switch code {
        case .notPermitted, .accessDenied, .connectionRefused:
            "a firewall, a VPN or a sandbox around this program forbids it; allow UDP port "
                + "5353 out: 'ufw allow out 5353/udp', 'firewall-cmd --add-service=mdns', or "
                + "in nft's output chain 'udp dport 5353 accept'"
        case .networkUnreachable, .hostUnreachable, .addressNotAvailable:
            "'ip \(families.contains(.ipv4) ? "-4" : "-6") route show table all dev "
                + "\(name)' must list the multicast group"
        case .noBufferSpace:
            "the device's queue drops packets; 'tc -s qdisc show dev \(name)' counts them"
        default: "'ip -s link show \(name)' may say more"
        }
    }

    /// Multicasts that don't arrive.
    init(
        receivingFailsOver families: Set<AddressFamily>, on interface: NetworkInterface
    ) {
        let name = interface.name
        self.init(
            .receiving, on: interface.index, over: families, errorNumber: nil,
            description: "receiving on \(name) over \(AddressFamily.text(families)) fails: "
                + "not even what this program multicasts comes back to it; a firewall of this "
                + "machine drops it; allow UDP port 5353 in: 'ufw allow 5353/udp', 'firewall-cmd "
                + "--add-service=mdns', or in nft's input chain 'udp dport 5353 accept'; "
                + "'tc filter show dev \(name) ingress' may say more")
    }

    /// A membership that the system refuses.
    init(
        joiningFailsOver family: AddressFamily, on interface: NetworkInterface, reason: String
    ) {
        self.init(
            .receiving, on: interface.index, over: [family], errorNumber: nil,
            description: "receiving on \(interface.name) over \(family.name) fails: \(reason)"
                + (family == .ipv4
                    ? "; 'sysctl net.ipv4.igmp_max_memberships' limits the groups of a socket"
                    : ""))
    }

    /// An interface that can't be used.
    init(unusable interface: NetworkInterface, because reason: String) {
        self.init(
            .unusable, on: interface.index, over: [.ipv4, .ipv6],
            errorNumber: interface.isUsable ? nil : SystemError.Code.networkDown.rawValue,
            description: "\(interface.name) \(reason)")
    }
}

extension AddressFamily {
    /// `IPv4`, `IPv6`, or `IPv4 and IPv6`.
    static func text(_ families: Set<AddressFamily>) -> String {
        allCases.filter { families.contains($0) }.map { $0.name }.joined(separator: " and ")
    }
}
