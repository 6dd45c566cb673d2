internal import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells of the network interfaces and every change of them.
///
/// It always gives the whole list, never a difference. What the kernel's messages say is only
/// taken as a sign that something changed: then the list is asked for anew, so that a message
/// lost for want of room costs nothing but that. It belongs to whoever waits for it.
///
/// Where the system refuses netlink sockets, as some sandboxes do, it has to look every two seconds
/// instead. A link that was lost and came back in between is not seen then.
package final class InterfaceMonitor {
    private let netlink: NetlinkConnection?
    /// Why the interfaces are looked up at intervals; nil where the kernel reports changes.
    package let pollingReason: SystemError?
    /// When `update` is to be called next where the kernel reports no changes; else nil.
    package private(set) var due: Instant?
    /// The interfaces as they were when last looked at, by index.
    package private(set) var interfaces: [NetworkInterface]

    private static let readsPerTurn = 64
    /// How often it looks where the kernel does not report changes.
    package static let pollingInterval: Duration = .seconds(2)

    /// Begins to listen for changes, and looks for the first time.
    ///
    /// - Parameter refusal: Has it behave as if the system refused netlink for this reason.
    package init(refusal: SystemError? = nil) throws(SystemError) {
        do throws(SystemError) {
            if let refusal { throw refusal }
            let netlink = try NetlinkConnection()
            interfaces = try Netlink.interfaces(netlink.requests)
            self.netlink = netlink
            pollingReason = nil
        } catch {
            guard !error.code.isExhaustion else { throw error }
            interfaces = try InterfaceListing.interfaces(insteadOf: error)
            netlink = nil
            pollingReason = error
            due = SystemClock.now.advanced(by: Self.pollingInterval)
        }
    }

    /// The interfaces as they are now.
    package static func snapshot() throws(SystemError) -> [NetworkInterface] {
        let requests = try Netlink.open(groups: 0, isBlocking: true)
        return try Netlink.interfaces(requests)
    }

    /// The kernel's number of the descriptor that is readable when something may have changed;
    /// call `update` then. Nil where the kernel reports no changes.
    package var number: Int32? { netlink?.notifications.number }

    /// Looks again if the kernel reported a change, and gives the snapshots that are new, in
    /// their order: none, one, or two when an interface lost its link and has it back already.
    /// That it was away must be known, because what was learned over it may not hold any more.
    package func update() throws(SystemError) -> [[NetworkInterface]] {
        guard let netlink else { return try poll() }
        guard let interrupted = readNotifications(netlink) else { return [] }
        let before = interfaces
        interfaces = try Netlink.interfaces(netlink.requests)
        let between = interfaces.map { interface in
            var interface = interface
            if interrupted.contains(interface.index) { interface.flags.remove(.running) }
            return interface
        }
        return [between, interfaces].reduce(into: []) { snapshots, snapshot in
            if snapshot != snapshots.last ?? before { snapshots.append(snapshot) }
        }
    }

    private func poll() throws(SystemError) -> [[NetworkInterface]] {
        defer { due = SystemClock.now.advanced(by: Self.pollingInterval) }
        let before = interfaces
        interfaces = try InterfaceListing.interfaces()
        return interfaces == before ? [] : [interfaces]
    }

    /// Takes the messages that wait: the interfaces that were said to have no link; nil if there
    /// was no message.
    private func readNotifications(_ netlink: NetlinkConnection) -> Set<InterfaceIndex>? {
        var interrupted: Set<InterfaceIndex> = []
        for count in 0..<Self.readsPerTurn {
            do throws(SystemError) {
                guard let bytes = try netlink.notifications.read(upTo: Netlink.readSize),
                    !bytes.isEmpty
                else { return count == 0 ? nil : interrupted }
                for message in NetlinkMessage.parse(bytes.span).messages {
                    switch message {
                    case .link(let link) where !link.flags.contains(.running):
                        interrupted.insert(link.index)
                    case .linkGone(let index): interrupted.insert(index)
                    default: break
                    }
                }
            } catch {
                // Messages were lost: reason enough to look.
                continue
            }
        }
        return interrupted
    }
}

/// A monitor's two sockets.
private final class NetlinkConnection {
    let notifications: FileDescriptor
    let requests: FileDescriptor

    init() throws(SystemError) {
        // Listening first, so that no change falls between.
        let groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
        notifications = try Netlink.open(groups: groups, isBlocking: false)
        requests = try Netlink.open(groups: 0, isBlocking: true)
    }
}

/// The questions that the kernel is asked.
enum Netlink {
    static let readSize = 1 << 16
    private static let attempts = 8

    static func open(groups: UInt32, isBlocking: Bool) throws(SystemError) -> FileDescriptor {
        var type = SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue
        if !isBlocking { type |= SOCK_NONBLOCK.rawValue }
        let descriptor = FileDescriptor(
            owning: try SystemCall.check("socket", subject: "netlink") {
                socket(AF_NETLINK, Int32(type), NETLINK_ROUTE)
            })
        let number = descriptor.number
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = groups
        try SystemCall.check("bind", subject: "netlink") { () -> Int32 in
            unsafe withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
                guard let base = bytes.baseAddress else { return -1 }
                // An address of that length, alive for the call.
                return unsafe SystemCall.bindSocket(number, base, socklen_t(bytes.count))
            }
        }
        if isBlocking { try setReceiveTimeout(number) }
        return descriptor
    }

    /// The kernel has its answer ready when the question was sent, so reading never waits; if
    /// that should ever fail to be so, a second is enough.
    private static func setReceiveTimeout(_ number: Int32) throws(SystemError) {
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        try SystemCall.check("setsockopt") {
            // A struct of the size that is passed, alive for the call.
            unsafe setsockopt(
                number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// All interfaces with all addresses, by index.
    static func interfaces(
        _ socket: borrowing FileDescriptor
    ) throws(SystemError) -> [NetworkInterface] {
        NetworkInterface.list(try messages(socket))
    }

    /// What the kernel says of all interfaces and all addresses.
    static func messages(
        _ socket: borrowing FileDescriptor
    ) throws(SystemError) -> [NetlinkMessage] {
        for _ in 0..<attempts {
            let links = try ask(socket, UInt16(RTM_GETLINK))
            let addresses = try ask(socket, UInt16(RTM_GETADDR))
            if links.isTorn || addresses.isTorn { continue }
            return links.messages + addresses.messages
        }
        // It changes all the time; the next notification brings us back.
        let last = try ask(socket, UInt16(RTM_GETLINK)).messages
        return last + (try ask(socket, UInt16(RTM_GETADDR)).messages)
    }

    private static func ask(
        _ socket: borrowing FileDescriptor, _ type: UInt16
    ) throws(SystemError) -> NetlinkMessage.Batch {
        let question = request(type)
        _ = try socket.write(question.span)
        var batch = NetlinkMessage.Batch()
        while true {
            guard let bytes = try socket.read(upTo: readSize) else {
                throw SystemError("list interfaces", .wouldBlock)
            }
            let part = NetlinkMessage.parse(bytes.span)
            batch.isTorn = batch.isTorn || part.isTorn
            for message in part.messages {
                switch message {
                case .done: return batch
                case .failure(let code): throw SystemError("list interfaces", code)
                default: batch.messages.append(message)
                }
            }
        }
    }

    /// A request for a whole list, of any family: the header and an empty fixed part.
    private static func request(_ type: UInt16) -> [UInt8] {
        let size = 16 + 16
        var bytes: [UInt8] = []
        unsafe withUnsafeBytes(of: UInt32(size)) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: type) { unsafe bytes.append(contentsOf: $0) }
        let flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
        unsafe withUnsafeBytes(of: flags) { unsafe bytes.append(contentsOf: $0) }
        return bytes + [UInt8](repeating: 0, count: size - bytes.count)
    }
}

extension NetworkInterface {
    /// Puts links and addresses together, by index.
    static func list(_ messages: [NetlinkMessage]) -> [NetworkInterface] {
        var addresses: [InterfaceIndex: [Address]] = [:]
        for case .address(let address) in messages {
            addresses[address.interface, default: []].append(address.address)
        }
        var list: [NetworkInterface] = []
        for case .link(let link) in messages {
            list.append(
                NetworkInterface(
                    name: link.name, index: link.index, flags: link.flags,
                    maximumTransmissionUnit: link.maximumTransmissionUnit,
                    hardwareAddress: link.hardwareAddress,
                    addresses: addresses[link.index] ?? []))
        }
        return list.sorted { $0.index < $1.index }
    }
}
