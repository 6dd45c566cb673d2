internal import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What an attempt to open a TCP connection came to.
package enum ConnectionOutcome: Hashable, Sendable {
    /// It was accepted.
    case connected
    /// The other host answered with RST: nobody listens there, or somebody wants it to seem so.
    case reset
    /// A host or a router answered with an ICMP message of this type and code.
    case rejected(type: UInt8, code: UInt8, by: IPAddress?)
    /// This host's own packet filter answered in that way.
    case rejectedHere(type: UInt8, code: UInt8)
    /// No host has the address: neither ARP nor neighbour discovery was answered. The kernel does
    /// not report it for a link-local address over IPv6, which is silent then.
    case unreachable
    /// This host did not send it.
    case failed(SystemError.Code)
    /// Nothing came back.
    case silent
}

/// An attempt to open a TCP connection, to see what comes back. Nothing is sent on it.
///
/// The kernel's number alone does not tell RST from ICMP port unreachable, nor an ICMP message
/// from a neighbour that is not there; its queue of errors does (`IP_RECVERR`).
package final class ConnectionAttempt {
    private let descriptor: FileDescriptor
    /// What it came to; `nil` while that is not known.
    package private(set) var outcome: ConnectionOutcome?

    /// Begins to connect.
    package init(to address: SocketAddress) throws(SystemError) {
        let family = address.address.family
        descriptor = try TCPConnection.open(family)
        try DatagramSocket.reportDrops(descriptor.number, family)
        switch TCPConnection.connect(descriptor.number, to: address) {
        case 0: outcome = .connected
        // The answer has to be waited for.
        case EINPROGRESS, EINTR: break
        case let code: outcome = Self.conclusion(code, nil)
        }
    }

    /// Looks whether an answer has come, without waiting.
    package func update() {
        guard outcome == nil else { return }
        let number = descriptor.number
        var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        // One entry, alive for the call.
        guard unsafe poll(&entry, 1, 0) > 0 else { return }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        // Four bytes, alive for the call.
        guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return }
        // Only now: reading the queue clears the socket's number.
        let message = Self.queuedMessage(of: number)
        if case .rejected(let type, let kind, let sender?) = message,
            sender == TCPConnection.localAddress(of: number)?.address
        {
            // What the kernel sends to itself when its neighbour does not answer.
            let isAbsent = code == EHOSTUNREACH && (type, kind) != (3, 13)
            return outcome = isAbsent ? .unreachable : .rejectedHere(type: type, code: kind)
        }
        let isClosed = entry.revents & Int16(POLLHUP) != 0
        if code == 0, isClosed, message == nil { return outcome = .silent }
        outcome = code == 0 && !isClosed ? .connected : Self.conclusion(code, message)
    }

    private static func conclusion(
        _ code: Int32, _ message: ConnectionOutcome?
    ) -> ConnectionOutcome {
        if let message { return message }
        return switch code {
        case ECONNREFUSED, ECONNRESET: .reset
        case EHOSTUNREACH: .unreachable
        case ETIMEDOUT: .silent
        default: .failed(SystemError.Code(rawValue: code))
        }
    }

    // MARK: The queue of errors

    /// Of `sock_extended_err`: number, origin, type, code, a byte of padding, two numbers; behind
    /// it is the address of the host that sent the message.
    private static let errorSize = 16
    private static let originICMP: Set<UInt8> = [2, 3]

    private static func queuedMessage(of socket: Int32) -> ConnectionOutcome? {
        unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { control in
            var header = unsafe msghdr()
            unsafe header.msg_control = control.baseAddress
            unsafe header.msg_controllen = .init(control.count)
            // The header points at the memory of this call.
            guard unsafe recvmsg(socket, &header, Int32(MSG_ERRQUEUE)) >= 0 else { return nil }
            let count = unsafe min(Int(header.msg_controllen), control.count)
            return unsafe message(in: UnsafeRawBufferPointer(rebasing: control[..<count]))
        }
    }

    private static func message(in control: UnsafeRawBufferPointer) -> ConnectionOutcome? {
        let headerSize = MemoryLayout<cmsghdr>.size
        var offset = 0
        while offset + headerSize + errorSize <= control.count {
            // Inside of what the kernel wrote.
            let header = unsafe control.load(fromByteOffset: offset, as: cmsghdr.self)
            let length = Int(header.cmsg_len)
            guard length >= headerSize, offset + length <= control.count else { return nil }
            let isError =
                header.cmsg_level == Int32(IPPROTO_IP) && header.cmsg_type == IP_RECVERR
                || header.cmsg_level == Int32(IPPROTO_IPV6) && header.cmsg_type == IPV6_RECVERR
            let start = offset + headerSize
            if isError, length >= headerSize + errorSize,
                unsafe originICMP.contains(control[start + 4])
            {
                let rest = unsafe UnsafeRawBufferPointer(
                    rebasing: control[(start + errorSize)..<(offset + length)])
                return unsafe .rejected(
                    type: control[start + 5], code: control[start + 6], by: sender(rest))
            }
            offset += (length + 7) & ~7
        }
        return nil
    }

    private static func sender(_ bytes: UnsafeRawBufferPointer) -> IPAddress? {
        guard let base = bytes.baseAddress else { return nil }
        return unsafe SocketAddress(base, length: socklen_t(bytes.count))?.address
    }
}
