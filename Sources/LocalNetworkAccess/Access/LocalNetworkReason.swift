public import NetworkPrimitives

/// Why the access to the local network is as it is: one cause, with what to do about it.
public enum LocalNetworkReason: Hashable, Sendable {
    // MARK: Interfaces

    /// There is no interface that is up.
    case noInterface
    /// There is only the loopback.
    case onlyLoopback
    /// An interface is down.
    case interfaceDown(String)
    /// An interface has no carrier.
    case noCarrier(String)
    /// An interface has its MULTICAST flag off.
    case multicastOff(String)
    /// A point-to-point line is used only when it is named.
    case pointToPoint(String)
    /// An interface has no address of a family that is used.
    case noAddress(String)
    /// An interface has only addresses that the kernel still checks (RFC 4862 §5.4).
    case addressTentative(String)
    /// Another host has the interface's address as well.
    case addressDuplicated(String, IPAddress)
    /// An interface has no address of one of the families.
    case familyMissing(String, AddressFamily)
    /// IPv6 is switched off on an interface.
    case ipv6Disabled(String)
    /// An interface's MTU is below the 1280 bytes that IPv6 takes (RFC 8200 §5).
    case mtuTooSmall(String, bytes: Int)
    /// The system does not report changes of interfaces; they are looked up every two seconds.
    case interfacesPolled(number: Int32)

    // MARK: Sockets

    /// The system refuses sockets of a family.
    case socketsRefused(AddressFamily, number: Int32, isFiltered: Bool)
    /// Another program holds port 5353 and does not share it.
    case portHeld(PortHolder?)
    /// A program of another user holds port 5353, and may share it with its own user only.
    case portHeldByOtherUser(PortHolder)
    /// The system reserves port 5353 for programs with more rights.
    case portReserved
    /// The program has too many files open.
    case tooManyOpenFiles(limit: Int?)
    /// The limit of group memberships is used up.
    case membershipLimit(String, limit: Int?)
    /// Joining the group is refused.
    case joinRefused(String, AddressFamily, number: Int32)
    /// Opening or binding a socket failed in another way.
    case socketFailed(Refusal)

    // MARK: Sending and receiving

    /// A firewall, or another filter in the kernel, refuses what is sent to the group.
    case sendingRefused(String, AddressFamily, number: Int32)
    /// A filter around the program refuses all that it sends.
    case sendingFiltered(number: Int32)
    /// The interface, or its queue, drops what is sent.
    case outputDropped(String, AddressFamily)
    /// No route leads to the group.
    case multicastRouteMissing(String, AddressFamily)
    /// Sending failed in another way.
    case sendingFailed(String, AddressFamily, number: Int32)
    /// This host drops what comes to the group, our own copies included.
    case inputDropped(String, AddressFamily, DropPlace)
    /// Packets are dropped because the route back to their source is another one.
    case reversePathFiltered(String)
    /// Packets to port 5353 reach another port.
    case portRedirected
    /// A rule of this host changes the hop limit, which is 255 (RFC 6762 §11).
    case hopLimitChanged(String, AddressFamily, limit: UInt8)
    /// No other host was received, although there are some on the link.
    case nothingReceived(neighbours: Int)
    /// No other host was received, and none is known on the link.
    case nobodyAnswered

    // MARK: Surroundings

    /// The interface is that of a container behind a bridge, which forwards no multicast.
    case containerBridge(String)
    /// A macvlan does not reach the host that it is on.
    case macvlan(String)
    /// The network is made by a program, which forwards no multicast.
    case userModeNetwork(String)
    /// A tunnel has the default route, and may keep the local network away.
    case tunnel(String)
    /// Another daemon of this host answers for the same host name.
    case hostNameShared(daemon: String)
    /// The process, or the machine, stood still, so that what was missed says nothing.
    case suspended

    // MARK: The stored status

    /// What the last request found, on this network.
    case recorded(RecordedReason)
    /// The last request was on another network, or before the machine started.
    case recordedElsewhere
    /// The stored status is damaged, and was left aside.
    case recordDamaged(String)
    /// The status can't be stored.
    case recordNotStored(String)

    /// Where a packet is dropped on its way in.
    public enum DropPlace: String, Hashable, Sendable {
        /// In the packet filter: it had been counted by IP.
        case packetFilter
        /// Before IP: at the device, or by a program at the device.
        case device
        /// The counters do not tell.
        case unknown
    }
}

/// A reason as it was stored.
public struct RecordedReason: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// What was wrong.
    public var text: String
    /// What to do about it.
    public var remedy: String
}

extension LocalNetworkReason {
    /// Whether it is sure to be the case; if not, the same is seen when something else is wrong,
    /// or nothing.
    public var isCertain: Bool {
        switch self {
        case .familyMissing, .portHeldByOtherUser, .portRedirected, .nothingReceived,
            .nobodyAnswered, .containerBridge, .macvlan, .userModeNetwork, .tunnel,
            .hostNameShared, .recordedElsewhere:
            false
        default: true
        }
    }
}

extension LocalNetworkReason: CustomStringConvertible {
    /// `no-carrier: eth0 has no carrier (plug in the cable, or join the Wi-Fi)`.
    public var description: String {
        remedy.isEmpty ? "\(name): \(text)" : "\(name): \(text) (\(remedy))"
    }
}
