internal import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A group on an interface.
struct GroupMembership: Hashable {
    var group: IPAddress
    var interface: InterfaceIndex
}

/// A socket that exists for its memberships only.
final class MembershipHolder {
    let descriptor: FileDescriptor
    var memberships: Set<GroupMembership> = []

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}

extension DatagramSocket {
    private static var ip: Int32 { Int32(IPPROTO_IP) }
    private static var ipv6: Int32 { Int32(IPPROTO_IPV6) }

    static func open(_ family: AddressFamily) throws(SystemError) -> FileDescriptor {
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        let type = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return FileDescriptor(
            owning: try SystemCall.check("socket") { socket(domain, Int32(type), 0) })
    }

    static func configure(
        _ socket: Int32, _ family: AddressFamily, sharesPort: Bool
    ) throws(SystemError) {
        if sharesPort {
            // Both, before binding: other stacks use one or the other, and Linux wants the
            // same of all who share.
            try set(socket, SOL_SOCKET, SO_REUSEADDR, 1)
            try set(socket, SOL_SOCKET, SO_REUSEPORT, 1)
        }
        try set(socket, SOL_SOCKET, SO_RXQ_OVFL, 1)
        requestReceiveRoom(socket)
        switch family {
        case .ipv4:
            try set(socket, ip, IP_PKTINFO, 1)
            try set(socket, ip, IP_RECVTTL, 1)
            try set(socket, ip, IP_TTL, 255)
            try set(socket, ip, IP_MULTICAST_TTL, 255)
            try set(socket, ip, IP_MULTICAST_LOOP, 1)
            // Only what this socket joined, not what any other on the machine did.
            try set(socket, ip, IP_MULTICAST_ALL, 0)
        case .ipv6:
            try set(socket, ipv6, IPV6_V6ONLY, 1)
            try set(socket, ipv6, IPV6_RECVPKTINFO, 1)
            try set(socket, ipv6, IPV6_RECVHOPLIMIT, 1)
            try set(socket, ipv6, IPV6_UNICAST_HOPS, 255)
            try set(socket, ipv6, IPV6_MULTICAST_HOPS, 255)
            try set(socket, ipv6, IPV6_MULTICAST_LOOP, 1)
            try set(socket, ipv6, IPV6_MULTICAST_ALL, 0)
        }
    }

    /// Has the kernel say when the device or its queue drops a datagram (`ENOBUFS`), which it
    /// otherwise reports as sent.
    ///
    /// Only for a socket on a group's address: no ICMP error of an earlier unicast datagram is
    /// delivered there, which on any other socket would fail the next send in its place.
    static func reportDrops(_ socket: Int32, _ family: AddressFamily) throws(SystemError) {
        switch family {
        case .ipv4: try set(socket, ip, IP_RECVERR, 1)
        case .ipv6: try set(socket, ipv6, IPV6_RECVERR, 1)
        }
    }

    /// Room for the bursts of a crowded link. The kernel gives less where
    /// net.core.rmem_max says so and the program may not overrule it; that is no error.
    private static func requestReceiveRoom(_ socket: Int32) {
        let bytes: Int32 = 4 << 20
        if (try? set(socket, SOL_SOCKET, SO_RCVBUFFORCE, bytes)) == nil {
            try? set(socket, SOL_SOCKET, SO_RCVBUF, bytes)
        }
    }

    static func set(
        _ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemError) {
        var value = value
        try SystemCall.check("setsockopt") {
            // Four bytes, alive for the call.
            unsafe setsockopt(
                socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// Binds and tells where: the port is the kernel's choice if it was zero.
    static func bind(
        _ socket: Int32, to address: SocketAddress
    ) throws(SystemError) -> SocketAddress {
        try unsafe withUnsafeTemporaryAllocation(
            byteCount: SocketAddress.maximumSize, alignment: 16
        ) { memory throws(SystemError) -> SocketAddress in
            // The memory has room for the longest address, and lives as long as the calls.
            guard let base = memory.baseAddress else { return address }
            var length = unsafe address.store(into: base, scope: address.scope)
            try SystemCall.check("bind", subject: "port \(address.port)") {
                unsafe SystemCall.bindSocket(socket, base, length)
            }
            length = socklen_t(SocketAddress.maximumSize)
            try SystemCall.check("getsockname") {
                unsafe SystemCall.socketName(socket, base, &length)
            }
            return unsafe SocketAddress(base, length: length) ?? address
        }
    }

    /// Binds to a link-local group on all interfaces.
    ///
    /// The kernel wants an interface for such an address and then keeps to it, though a socket
    /// can join the group on many. Dissolving an association, which the socket never had, ends
    /// that and leaves the address; `SO_BINDTODEVICE` would do so for root only.
    static func bindToGroup(
        _ socket: Int32, _ address: SocketAddress
    ) throws(SystemError) -> SocketAddress {
        let loopback = InterfaceIndex(rawValue: 1)
        let bound = try bind(
            socket, to: SocketAddress(address.address, port: address.port, scope: loopback))
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        try SystemCall.check("connect") {
            // A struct of the size that is passed, alive for the call.
            unsafe SystemCall.connectSocket(
                socket, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
        }
        return bound
    }

    /// The kernel's number of the socket, by which its tables name it.
    package var inode: UInt64? {
        var status = stat()
        // The struct is filled during the call.
        guard unsafe fstat(descriptor.number, &status) == 0 else { return nil }
        return UInt64(status.st_ino)
    }

    // MARK: Groups

    /// Becomes a member of a group on an interface; being one already is fine.
    ///
    /// The kernel lets a socket join twenty IPv4 groups (`net.ipv4.igmp_max_memberships`). What
    /// goes beyond is joined by further sockets that do nothing else.
    package func join(_ group: IPAddress, on interface: InterfaceIndex) throws(SystemError) {
        let membership = GroupMembership(group: group, interface: interface)
        guard !memberships.contains(membership) else { return }
        do throws(SystemError) {
            try Self.change(descriptor.number, membership, isJoining: true)
        } catch {
            switch error.code {
            case .addressInUse: break
            case .noBufferSpace where group.family == .ipv4: try joinByHolder(membership)
            default: throw error
            }
        }
        memberships.insert(membership)
    }

    /// Leaves a group on an interface; not being a member, or the interface being gone, is fine.
    package func leave(_ group: IPAddress, on interface: InterfaceIndex) {
        let membership = GroupMembership(group: group, interface: interface)
        guard memberships.remove(membership) != nil else { return }
        if let holder = membershipHolders.first(where: { $0.memberships.contains(membership) }) {
            holder.memberships.remove(membership)
            try? Self.change(holder.descriptor.number, membership, isJoining: false)
        } else {
            try? Self.change(descriptor.number, membership, isJoining: false)
        }
    }

    /// Forgets the memberships of an interface that is gone; its number may come back.
    package func forget(_ interface: InterfaceIndex) {
        for membership in memberships where membership.interface == interface {
            leave(membership.group, on: interface)
        }
    }

    private func joinByHolder(_ membership: GroupMembership) throws(SystemError) {
        // Without this the socket would not see what only a holder joined; `accept` keeps out
        // what neither did.
        try Self.set(descriptor.number, Self.ip, IP_MULTICAST_ALL, 1)
        for holder in membershipHolders {
            do throws(SystemError) {
                try Self.change(holder.descriptor.number, membership, isJoining: true)
                holder.memberships.insert(membership)
                return
            } catch {
                guard error.code == .noBufferSpace else { throw error }
            }
        }
        let holder = MembershipHolder(try Self.open(.ipv4))
        try Self.change(holder.descriptor.number, membership, isJoining: true)
        holder.memberships.insert(membership)
        membershipHolders.append(holder)
    }

    private static func change(
        _ socket: Int32, _ membership: GroupMembership, isJoining: Bool
    ) throws(SystemError) {
        let index = membership.interface.rawValue
        let operation = isJoining ? "join group on interface" : "leave group on interface"
        switch membership.group {
        case .v4(let group):
            var request = ip_mreqn()
            request.imr_multiaddr.s_addr = group.rawValue.bigEndian
            request.imr_ifindex = Int32(bitPattern: index)
            let option = isJoining ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP
            try SystemCall.check(operation, subject: "\(index)") {
                // A struct of the size that is passed, alive for the call.
                unsafe setsockopt(
                    socket, ip, option, &request, socklen_t(MemoryLayout<ip_mreqn>.size))
            }
        case .v6(let group):
            var request = ipv6_mreq()
            unsafe withUnsafeMutableBytes(of: &request) { bytes in
                // ipv6_mreq is the group and the interface.
                unsafe bytes.storeBytes(of: group.rawValue.bigEndian, as: UInt128.self)
                unsafe bytes.storeBytes(of: index, toByteOffset: 16, as: UInt32.self)
            }
            let option = isJoining ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP
            try SystemCall.check(operation, subject: "\(index)") {
                // A struct of the size that is passed, alive for the call.
                unsafe setsockopt(
                    socket, ipv6, option, &request, socklen_t(MemoryLayout<ipv6_mreq>.size))
            }
        }
    }
}
