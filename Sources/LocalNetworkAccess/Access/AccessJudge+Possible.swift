import NetworkPrimitives

// What may be the cause where no other host was received.
extension AccessJudge {
    static func possibleReasons(
        _ facts: LocalNetworkFacts, _ status: LocalNetworkAccessStatus
    ) -> [LocalNetworkReason] {
        let eligible = facts.interfaces.filter {
            facts.selection.isEligible($0.interface, families: facts.families)
                && !$0.interface.flags.contains(.loopback)
        }
        var reasons: [LocalNetworkReason] = []
        if status == .allowed { reasons += silence(facts, eligible) }
        reasons += eligible.compactMap { surroundings(of: $0, facts) }
        reasons += tunnels(facts)
        for interface in eligible { reasons += missingFamily(interface, facts) }
        if facts.usesPlainHostName, let daemon = facts.hostNameDaemon {
            reasons.append(.hostNameShared(daemon: daemon))
        }
        return reasons
    }

    /// Own copies came back, and nothing else did.
    private static func silence(
        _ facts: LocalNetworkFacts, _ eligible: [InterfaceFacts]
    ) -> [LocalNetworkReason] {
        var reasons: [LocalNetworkReason] = []
        if facts.counters.reversePathDropped ?? 0 > 0, let first = eligible.first {
            reasons.append(.reversePathFiltered(first.interface.name))
        }
        if facts.counters.portUnreachable ?? 0 > 0 { reasons.append(.portRedirected) }
        reasons.append(
            facts.neighbourCount > 0
                ? .nothingReceived(neighbours: facts.neighbourCount) : .nobodyAnswered)
        return reasons
    }

    /// What an interface's kind and its next hop say of the network behind it.
    private static func surroundings(
        of facts: InterfaceFacts, _ all: LocalNetworkFacts
    ) -> LocalNetworkReason? {
        let interface = facts.interface
        let gateway = all.routes.first { $0.interface == interface.name && $0.isDefault }?.gateway
        switch facts.kind {
        case "veth":
            guard facts.hasPeerElsewhere, let gateway, interface.isOnLink(gateway) else {
                return nil
            }
            return .containerBridge(interface.name)
        case "macvlan", "ipvlan": return .macvlan(interface.name)
        case "tun":
            // The addresses that QEMU's user network, slirp4netns and their like give out.
            let slirp = NetworkPrefix(.v4(IPv4Address(10, 0, 2, 0)), length: 24)
            let isSlirp = interface.addresses.contains { slirp.contains($0.address) }
            return isSlirp && gateway == .v4(IPv4Address(10, 0, 2, 2))
                ? .userModeNetwork(interface.name) : nil
        default: return nil
        }
    }

    private static func tunnels(_ facts: LocalNetworkFacts) -> [LocalNetworkReason] {
        let kinds: Set = ["tun", "wireguard", "ppp", "ipip", "gre", "sit", "vti"]
        return facts.interfaces.filter { candidate in
            let isTunnel =
                candidate.interface.flags.contains(.pointToPoint)
                || candidate.kind.map { kinds.contains($0) } == true
            return isTunnel && candidate.interface.isUsable
                && facts.routes.contains {
                    $0.interface == candidate.interface.name && leadsAway($0)
                }
                && !isUserMode(candidate, facts)
        }.map { .tunnel($0.interface.name) }
    }

    private static func isUserMode(_ candidate: InterfaceFacts, _ facts: LocalNetworkFacts) -> Bool
    {
        if case .userModeNetwork = surroundings(of: candidate, facts) { true } else { false }
    }

    /// The default route, or one of the two halves that VPNs lay over it.
    private static func leadsAway(_ route: RouteFacts) -> Bool {
        route.destination.length <= 1 && !route.destination.address.isMulticast
    }

    private static func missingFamily(
        _ facts: InterfaceFacts, _ all: LocalNetworkFacts
    ) -> [LocalNetworkReason] {
        let interface = facts.interface
        return AddressFamily.allCases.filter {
            all.families.contains($0) && !interface.has($0)
        }.map {
            $0 == .ipv6 && facts.isIPv6Disabled
                ? .ipv6Disabled(interface.name) : .familyMissing(interface.name, $0)
        }
    }
}
