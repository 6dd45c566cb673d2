internal import CLinux
internal import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The memory that one `recvmsg` or `sendmsg` needs, laid out once and used again for each
/// datagram: the address, the control messages, and the header that points at both.
// Safe to use: the pointers never leave it, but for the payload's during one call.
@safe
final class MessageBlock {
    private let address: UnsafeMutableRawPointer
    private let control: UnsafeMutableRawPointer
    private let vector: UnsafeMutablePointer<iovec>
    private let header: UnsafeMutablePointer<msghdr>

    private let payload: UnsafeMutableBufferPointer<UInt8>

    private static let controlSize = 256
    private static let headerSize = MemoryLayout<cmsghdr>.size
    /// in6_pktinfo, which Swift's module does not show: an address and an interface.
    private static let packetInfoSizeIPv6 = 20
    private static let alignment = MemoryLayout<Int>.size

    /// - Parameter payloadSize: how long a datagram may be; zero for sending only.
    init(payloadSize: Int) {
        unsafe payload = .allocate(capacity: payloadSize)
        unsafe payload.initialize(repeating: 0)
        unsafe address = .allocate(byteCount: SocketAddress.maximumSize, alignment: 16)
        unsafe control = .allocate(byteCount: Self.controlSize, alignment: 16)
        unsafe vector = .allocate(capacity: 1)
        unsafe header = .allocate(capacity: 1)
        unsafe control.initializeMemory(as: UInt8.self, repeating: 0, count: Self.controlSize)
        unsafe vector.initialize(to: iovec())
        unsafe header.initialize(to: msghdr())
        unsafe header.pointee.msg_name = address
        unsafe header.pointee.msg_iov = vector
        unsafe header.pointee.msg_iovlen = 1
    }

    deinit {
        unsafe payload.deallocate()
        unsafe address.deallocate()
        unsafe control.deallocate()
        unsafe vector.deallocate()
        unsafe header.deallocate()
    }

    // MARK: Receiving

    /// What the kernel tells of a datagram beside its bytes.
    struct Arrival {
        var source: SocketAddress
        var destination: IPAddress?
        var interface: InterfaceIndex?
        var hopLimit: UInt8?
        /// How many datagrams the socket has lost so far for want of room.
        var drops: UInt32?
        /// Whether there was more than the buffer holds.
        var isTruncated: Bool
        var count: Int
    }

    /// Receives one datagram; nil when there is none.
    func receive(_ socket: Int32) throws(SystemError) -> Arrival? {
        unsafe vector.pointee.iov_base = UnsafeMutableRawPointer(payload.baseAddress)
        unsafe vector.pointee.iov_len = payload.count
        unsafe header.pointee.msg_namelen = socklen_t(SocketAddress.maximumSize)
        unsafe header.pointee.msg_control = control
        unsafe header.pointee.msg_controllen = .init(Self.controlSize)
        let count = try SystemCall.checkUnlessBlocked("recvmsg") {
            // The header points at memory of this object only.
            unsafe recvmsg(socket, header, 0)
        }
        guard let count else { return nil }
        guard
            let source = unsafe SocketAddress(address, length: header.pointee.msg_namelen)
        else { return nil }
        var arrival = Arrival(
            source: source,
            isTruncated: unsafe header.pointee.msg_flags & Int32(MSG_TRUNC) != 0,
            count: count)
        unsafe readControl(count: Int(header.pointee.msg_controllen), into: &arrival)
        return arrival
    }

    /// Empties the socket's queue of errors, which otherwise keeps it ready; what they say was
    /// said by the call that failed.
    func discardErrors(_ socket: Int32) {
        for _ in 0..<64 {
            unsafe header.pointee.msg_namelen = 0
            unsafe header.pointee.msg_control = nil
            unsafe header.pointee.msg_controllen = 0
            // The header points at memory of this object only.
            guard unsafe recvmsg(socket, header, Int32(MSG_ERRQUEUE)) >= 0 else { return }
        }
    }

    /// Lends the first `count` bytes of the datagram that was received last.
    func withPayload(count: Int, _ body: (Span<UInt8>) -> Void) {
        // Written by the kernel, and not again before the next `receive`.
        unsafe body(UnsafeBufferPointer(rebasing: payload[..<count]).span)
    }

    private func readControl(count: Int, into arrival: inout Arrival) {
        var offset = 0
        while offset + Self.headerSize <= count {
            // Inside the block: `count` is what the kernel wrote of it.
            let message = unsafe control.load(fromByteOffset: offset, as: cmsghdr.self)
            let length = Int(message.cmsg_len)
            guard length >= Self.headerSize, offset + length <= count else { return }
            let data = unsafe UnsafeRawBufferPointer(
                start: control + offset + Self.headerSize, count: length - Self.headerSize)
            unsafe readMessage(message.cmsg_level, message.cmsg_type, data, into: &arrival)
            offset += (length + Self.alignment - 1) & ~(Self.alignment - 1)
        }
    }

    private func readMessage(
        _ level: Int32, _ type: Int32, _ data: UnsafeRawBufferPointer,
        into arrival: inout Arrival
    ) {
        // in_pktinfo is interface, our address, destination; in6_pktinfo destination, interface.
        switch (level, type) {
        case (Int32(IPPROTO_IP), IP_PKTINFO) where data.count >= 12:
            arrival.interface = unsafe InterfaceIndex(rawValue: data.load(as: UInt32.self))
            let value = unsafe data.load(fromByteOffset: 8, as: UInt32.self)
            arrival.destination = .v4(IPv4Address(rawValue: UInt32(bigEndian: value)))
        case (Int32(IPPROTO_IPV6), IPV6_PKTINFO) where data.count >= 20:
            let value = unsafe data.loadUnaligned(as: UInt128.self)
            arrival.destination = .v6(IPv6Address(rawValue: UInt128(bigEndian: value)))
            arrival.interface = unsafe InterfaceIndex(
                rawValue: data.load(fromByteOffset: 16, as: UInt32.self))
        case (Int32(IPPROTO_IP), IP_TTL) where data.count >= 4,
            (Int32(IPPROTO_IPV6), IPV6_HOPLIMIT) where data.count >= 4:
            arrival.hopLimit = unsafe UInt8(truncatingIfNeeded: data.load(as: Int32.self))
        case (SOL_SOCKET, SO_RXQ_OVFL) where data.count >= 4:
            arrival.drops = unsafe data.load(as: UInt32.self)
        default:
            break
        }
    }

    // MARK: Sending

    /// Sends one datagram; false when the kernel has no room now.
    func send(
        _ socket: Int32, _ payload: UnsafeRawBufferPointer, to destination: SocketAddress,
        on interface: InterfaceIndex?, from source: IPAddress?
    ) throws(SystemError) -> Bool {
        // `sendmsg` doesn't write to what the vector points at.
        unsafe vector.pointee.iov_base = UnsafeMutableRawPointer(mutating: payload.baseAddress)
        unsafe vector.pointee.iov_len = payload.count
        unsafe header.pointee.msg_namelen = destination.store(into: address, scope: interface)
        let count = writeControl(destination.address.family, interface, source)
        unsafe header.pointee.msg_control = count == 0 ? nil : control
        unsafe header.pointee.msg_controllen = .init(count)
        let sent = try SystemCall.checkUnlessBlocked("sendmsg") {
            // The header points at memory of this object and at the caller's payload.
            unsafe sendmsg(socket, header, Int32(MSG_NOSIGNAL))
        }
        return sent != nil
    }

    private func writeControl(
        _ family: AddressFamily, _ interface: InterfaceIndex?, _ source: IPAddress?
    ) -> Int {
        guard interface != nil || source != nil else { return 0 }
        let index = interface?.rawValue ?? 0
        var message = cmsghdr()
        let data: Int
        switch family {
        case .ipv4:
            var own: UInt32 = 0
            if case .v4(let address) = source { own = address.rawValue }
            data = MemoryLayout<in_pktinfo>.size
            message.cmsg_level = Int32(IPPROTO_IP)
            message.cmsg_type = IP_PKTINFO
            unsafe control.storeBytes(of: index, toByteOffset: Self.headerSize, as: UInt32.self)
            unsafe control.storeBytes(
                of: own.bigEndian, toByteOffset: Self.headerSize + 4, as: UInt32.self)
            unsafe control.storeBytes(of: 0, toByteOffset: Self.headerSize + 8, as: UInt32.self)
        case .ipv6:
            var own: UInt128 = 0
            if case .v6(let address) = source { own = address.rawValue }
            data = Self.packetInfoSizeIPv6
            message.cmsg_level = Int32(IPPROTO_IPV6)
            message.cmsg_type = IPV6_PKTINFO
            unsafe control.storeBytes(
                of: own.bigEndian, toByteOffset: Self.headerSize, as: UInt128.self)
            unsafe control.storeBytes(
                of: index, toByteOffset: Self.headerSize + 16, as: UInt32.self)
        }
        let length = Self.headerSize + data
        message.cmsg_len = .init(length)
        unsafe control.storeBytes(of: message, as: cmsghdr.self)
        return (length + Self.alignment - 1) & ~(Self.alignment - 1)
    }
}
