import LinuxNetworking
import NetworkPrimitives

extension LocalNetworkReason {
    /// The reason's name, the same in all versions: `no-carrier`.
    public var name: String {
        switch self {
        case .noInterface: "no-interface"
        case .onlyLoopback: "only-loopback"
        case .interfaceDown: "interface-down"
        case .noCarrier: "no-carrier"
        case .multicastOff: "multicast-off"
        case .pointToPoint: "point-to-point"
        case .noAddress: "no-address"
        case .addressTentative: "address-tentative"
        case .addressDuplicated: "address-duplicated"
        case .familyMissing: "family-missing"
        case .ipv6Disabled: "ipv6-disabled"
        case .mtuTooSmall: "mtu-too-small"
        case .interfacesPolled: "interfaces-polled"
        case .socketsRefused: "sockets-refused"
        case .portHeld: "port-held"
        case .portHeldByOtherUser: "port-held-by-other-user"
        case .portReserved: "port-reserved"
        case .tooManyOpenFiles: "too-many-open-files"
        case .membershipLimit: "membership-limit"
        case .joinRefused: "join-refused"
        case .socketFailed: "socket-failed"
        case .sendingRefused: "sending-refused"
        case .sendingFiltered: "sending-filtered"
        case .outputDropped: "output-dropped"
        case .multicastRouteMissing: "multicast-route-missing"
        case .sendingFailed: "sending-failed"
        case .inputDropped: "input-dropped"
        case .reversePathFiltered: "reverse-path-filtered"
        case .portRedirected: "port-redirected"
        case .hopLimitChanged: "hop-limit-changed"
        case .nothingReceived: "nothing-received"
        case .nobodyAnswered: "nobody-answered"
        case .containerBridge: "container-bridge"
        case .macvlan: "macvlan"
        case .userModeNetwork: "user-mode-network"
        case .tunnel: "tunnel"
        case .hostNameShared: "host-name-shared"
        case .suspended: "suspended"
        case .recorded(let reason): reason.name
        case .recordedElsewhere: "recorded-elsewhere"
        case .recordDamaged: "record-damaged"
        case .recordNotStored: "record-not-stored"
        }
    }

    /// What is the case, without a full stop.
    public var text: String {
        switch self {
        case .noInterface: "no network interface is up"
        case .onlyLoopback: "there is no network interface but the loopback"
        case .interfaceDown(let name): "\(name) is down"
        case .noCarrier(let name): "\(name) has no carrier"
        case .multicastOff(let name): "multicast is off on \(name)"
        case .pointToPoint(let name): "\(name) is a point-to-point line, used only when named"
        case .noAddress(let name): "\(name) has no address"
        case .addressTentative(let name): "the addresses of \(name) are tentative"
        case .addressDuplicated(let name, let address):
            "another host has \(address), the address of \(name)"
        case .familyMissing(let name, let family): "\(name) has no \(family.name) address"
        case .ipv6Disabled(let name): "IPv6 is off on \(name)"
        case .mtuTooSmall(let name, let bytes):
            "\(name) has an MTU of \(bytes) bytes, and IPv6 takes 1280"
        case .interfacesPolled(let number):
            "the system does not report changes of interfaces (\(Self.text(number)))"
        case .socketsRefused(let family, let number, let isFiltered):
            "\(isFiltered ? "a system call filter" : "the system") refuses \(family.name) sockets "
                + "(\(Self.text(number)))"
        case .portHeld(let holder): "\(Self.text(holder)) holds UDP port 5353 and does not share it"
        case .portHeldByOtherUser(let holder):
            "\(Self.text(holder)) holds UDP port 5353 and may share it with its own user only"
        case .portReserved: "UDP port 5353 is reserved for programs with more rights"
        case .tooManyOpenFiles(let limit):
            "the program has too many files open" + (limit.map { " (\($0) are allowed)" } ?? "")
        case .membershipLimit(let name, let limit):
            "the limit of multicast memberships keeps the program out of the group on \(name)"
                + (limit.map { " (\($0) are allowed)" } ?? "")
        case .joinRefused(let name, let family, let number):
            "joining the \(family.name) group on \(name) is refused (\(Self.text(number)))"
        case .socketFailed(let refusal):
            "\(refusal.operation.rawValue) fails over \(refusal.family.name) "
                + "(\(Self.text(refusal.number)))"
        default: trafficText
        }
    }

    private var trafficText: String {
        switch self {
        case .sendingRefused(let name, let family, let number):
            "a firewall or a VPN refuses what is sent on \(name) over \(family.name) "
                + "(\(Self.text(number)))"
        case .sendingFiltered(let number):
            "a filter around this program refuses all that it sends (\(Self.text(number)))"
        case .outputDropped(let name, let family):
            "\(name) drops what is sent over \(family.name)"
        case .multicastRouteMissing(let name, let family):
            "no route leads to the \(family.name) group on \(name)"
        case .sendingFailed(let name, let family, let number):
            "sending on \(name) over \(family.name) fails (\(Self.text(number)))"
        case .inputDropped(let name, let family, let place):
            "this host drops what comes to the group on \(name) over \(family.name)"
                + (place == .packetFilter
                    ? ", in its packet filter" : place == .device ? ", before the IP layer" : "")
        case .reversePathFiltered(let name):
            "reverse path filtering drops packets of another subnet on \(name)"
        case .portRedirected: "packets to UDP port 5353 arrive at a port that no program has"
        case .hopLimitChanged(let name, let family, let limit):
            "a rule of this host sets the hop limit to \(limit) on \(name) over \(family.name)"
        case .nothingReceived(let neighbours):
            "nothing was received, although \(neighbours) hosts are known on the link"
        case .nobodyAnswered: "no other host answered, and none is known on the link"
        case .containerBridge(let name):
            "\(name) leads to a container bridge, which forwards no multicast"
        case .macvlan(let name): "\(name) is a macvlan, which does not reach its own host"
        case .userModeNetwork(let name):
            "\(name) belongs to a user-mode network, which forwards no multicast"
        case .tunnel(let name): "the tunnel \(name) has the default route"
        case .hostNameShared(let daemon): "\(daemon) answers for this host's name as well"
        case .suspended: "the process or the machine was suspended meanwhile"
        case .recorded(let reason): reason.text
        case .recordedElsewhere: "the last request was on another network or before a restart"
        case .recordDamaged(let what): "the stored status is damaged: \(what)"
        case .recordNotStored(let what): "the status can't be stored: \(what)"
        default: ""
        }
    }

    static func text(_ number: Int32) -> String { SystemError.Code(rawValue: number).description }

    private static func text(_ holder: PortHolder?) -> String {
        guard let holder else { return "another program" }
        return (holder.program ?? "a program") + " of user \(holder.user)"
    }
}
