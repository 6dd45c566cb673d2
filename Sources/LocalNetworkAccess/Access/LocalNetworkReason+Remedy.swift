import NetworkPrimitives

extension LocalNetworkReason {
    /// What to do about it, without a full stop; empty where nothing needs to be done.
    public var remedy: String {
        switch self {
        case .noInterface, .onlyLoopback:
            "connect an interface; a container needs a network (no '--network none', no "
                + "'PrivateNetwork=')"
        case .interfaceDown(let name): "'ip link set \(name) up'"
        case .noCarrier: "plug in the cable, or join the Wi-Fi"
        case .multicastOff(let name): "'ip link set \(name) multicast on'"
        case .pointToPoint(let name): "name it: '--interface \(name)'"
        case .noAddress(let name): "see whether DHCP answers: 'ip address show \(name)'"
        case .addressTentative: "wait until the kernel has checked them"
        case .addressDuplicated: "give one of the two another address"
        case .familyMissing(let name, let family):
            family == .ipv4
                ? "see whether DHCP answers on \(name), if the others use IPv4"
                : "see 'ip -6 address show \(name)', if the others use IPv6"
        case .ipv6Disabled(let name):
            "'sysctl net.ipv6.conf.\(name).disable_ipv6=0', if the others use IPv6"
        case .mtuTooSmall(let name, _): "'ip link set \(name) mtu 1500'"
        case .interfacesPolled: "allow AF_NETLINK sockets, so that changes are seen at once"
        case .socketsRefused:
            "allow AF_INET, AF_INET6 and AF_NETLINK sockets in the sandbox "
                + "(systemd: RestrictAddressFamilies=, SystemCallFilter=)"
        case .portHeld:
            "end it, or have it share the port (SO_REUSEADDR and SO_REUSEPORT); "
                + "'ss -lunp sport = :5353' shows it"
        case .portHeldByOtherUser: "run as that user, or have it set SO_REUSEADDR"
        case .portReserved: "'sysctl net.ipv4.ip_unprivileged_port_start=1024'"
        case .tooManyOpenFiles: "raise the limit: 'ulimit -n'"
        case .membershipLimit: "'sysctl net.ipv4.igmp_max_memberships=20'"
        case .joinRefused: "look for a sandbox around this program"
        case .socketFailed: "look for a sandbox around this program"
        default: trafficRemedy
        }
    }

    private var trafficRemedy: String {
        switch self {
        case .sendingRefused:
            "allow UDP port 5353 out: 'ufw allow out 5353/udp', 'firewall-cmd "
                + "--add-service=mdns', or in nft's output chain 'udp dport 5353 accept'; "
                + "in a VPN, allow access to the local network"
        case .sendingFiltered: "allow sendmsg in the sandbox (systemd: SystemCallFilter=)"
        case .outputDropped(let name, _):
            "'tc -s qdisc show dev \(name)' and 'nft list ruleset' show what drops"
        case .multicastRouteMissing(let name, let family):
            family == .ipv6
                ? "'ip -6 route add multicast ff00::/8 dev \(name) table local'"
                : "'ip route add 224.0.0.0/4 dev \(name)'"
        case .sendingFailed(let name, _, _): "'ip -s link show \(name)' may say more"
        case .inputDropped(let name, _, .device):
            "'tc filter show dev \(name) ingress', 'nft list ruleset' and XDP programs"
        case .inputDropped:
            "allow UDP port 5353 in: 'ufw allow 5353/udp', 'firewall-cmd --add-service=mdns', "
                + "or in nft's input chain 'udp dport 5353 accept'"
        case .reversePathFiltered(let name):
            "use the link's own subnet, or 'sysctl net.ipv4.conf.\(name).rp_filter=2'"
        case .portRedirected: "'nft list ruleset' shows a redirect of port 5353"
        case .hopLimitChanged: "delete the rule; some hosts drop such packets (RFC 6762 §11)"
        case .nothingReceived:
            "see whether the switch or access point isolates clients or filters multicast"
        case .nobodyAnswered: "see whether another host is on this link and speaks mDNS"
        case .containerBridge, .userModeNetwork:
            "use the host's network or a macvlan, run a reflector, or connect by address"
        case .macvlan: "give the host a macvlan on the same device, too"
        case .tunnel: "allow access to the local network in the VPN"
        case .hostNameShared: "use another host name, or publish through that daemon"
        case .suspended: "ask again"
        case .recorded(let reason): reason.remedy
        case .recordedElsewhere: "request access again"
        case .recordDamaged: "request access again, which writes it anew"
        case .recordNotStored: "give the program a folder that only its user may write to"
        default: ""
        }
    }
}
