internal import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A TCP connection that never waits: whoever owns it waits until it is readable or writable.
///
/// What is written leaves at once (`TCP_NODELAY`), and a write to a connection that the other
/// side has closed is an error, never a signal.
package final class TCPConnection {
    /// The other end.
    package let remote: SocketAddress
    /// Whether it is known to be connected: always if it was accepted.
    package private(set) var isConnected: Bool
    private let descriptor: FileDescriptor

    /// Begins to connect. When it is writable, `finishConnecting` says what came of it.
    ///
    /// - Throws: `SystemError` where this host sends nothing at all, as without a route.
    package init(to address: SocketAddress) throws(SystemError) {
        descriptor = try Self.open(address.address.family)
        remote = address
        try Self.configure(descriptor.number)
        switch Self.connect(descriptor.number, to: address) {
        case 0: isConnected = true
        // An interrupted call goes on by itself.
        case EINPROGRESS, EINTR: isConnected = false
        case let code: throw SystemError("connect", .init(rawValue: code), subject: "\(address)")
        }
    }

    /// One that a listener accepted.
    init(
        accepted descriptor: consuming FileDescriptor, from peer: SocketAddress
    ) throws(SystemError) {
        self.descriptor = descriptor
        remote = peer
        isConnected = true
        try Self.configure(self.descriptor.number)
    }

    /// A socket that does not wait.
    static func open(_ family: AddressFamily) throws(SystemError) -> FileDescriptor {
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return FileDescriptor(
            owning: try SystemCall.check("socket") { socket(domain, Int32(type), 0) })
    }

    private static func configure(_ socket: Int32) throws(SystemError) {
        try DatagramSocket.set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Begins to connect a socket.
    ///
    /// - Returns: What the kernel says: zero if it is connected, else the error's number.
    static func connect(_ socket: Int32, to address: SocketAddress) -> Int32 {
        unsafe withUnsafeTemporaryAllocation(
            byteCount: SocketAddress.maximumSize, alignment: 16
        ) { memory -> Int32 in
            // The memory has room for the longest address, and lives as long as the call.
            guard let base = memory.baseAddress else { return EINVAL }
            let length = unsafe address.store(into: base, scope: address.scope)
            let result = unsafe SystemCall.connectSocket(
                socket, base.assumingMemoryBound(to: sockaddr.self), length)
            return result == 0 ? 0 : SystemCall.errorNumber
        }
    }

    /// Where a socket is bound; nil where the kernel does not say.
    static func localAddress(of socket: Int32) -> SocketAddress? {
        unsafe withUnsafeTemporaryAllocation(
            byteCount: SocketAddress.maximumSize, alignment: 16
        ) { memory in
            guard let base = memory.baseAddress else { return nil }
            var length = socklen_t(memory.count)
            // The memory has room for the longest address, and lives as long as the call.
            guard unsafe SystemCall.socketName(socket, base, &length) == 0 else { return nil }
            return unsafe SocketAddress(base, length: length)
        }
    }

    // MARK: Waiting

    /// The kernel's number of the descriptor, to wait for it.
    package var number: Int32 { descriptor.number }

    /// Whether the other side has answered, once the connection is writable or has failed.
    ///
    /// - Throws: `SystemError`, why it can't be connected.
    package func finishConnecting() throws(SystemError) -> Bool {
        if isConnected { return true }
        var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        // One entry, alive for the call.
        guard unsafe poll(&entry, 1, 0) > 0 else { return false }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        let number = number
        try SystemCall.check("getsockopt") {
            // Four bytes, alive for the call.
            unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length)
        }
        guard code == 0 else {
            throw SystemError("connect", .init(rawValue: code), subject: "\(remote)")
        }
        isConnected = true
        return true
    }

    // MARK: Bytes

    /// Reads up to `limit` bytes: empty at the end, nil when it would have to wait.
    package func read(upTo limit: Int) throws(SystemError) -> [UInt8]? {
        try descriptor.read(upTo: limit)
    }

    /// Writes what the kernel takes of `bytes` now: the count, nil when it would have to wait.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
        let number = number
        var result: Int?
        var failure: SystemError?
        unsafe bytes.withUnsafeBufferPointer { buffer in
            do throws(SystemError) {
                result = try SystemCall.checkUnlessBlocked("send") {
                    // The span outlives the call.
                    unsafe send(
                        number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return result
    }

    /// Sends no more: the other side reads the end behind what was written.
    ///
    /// A connection that is closed while bytes wait to be read is reset, and what the other side
    /// has not read yet is lost to it. So who closes calls this, reads to the end, then lets go.
    package func finishWriting() { shutdown(number, Int32(SHUT_WR)) }

    /// This end; nil where the kernel does not say.
    package var local: SocketAddress? { Self.localAddress(of: number) }
}
