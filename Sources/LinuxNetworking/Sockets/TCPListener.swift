internal import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A TCP socket of one family that waits for connections.
///
/// It belongs to whoever waits for it to become readable, and accepts without waiting.
package final class TCPListener {
    /// Connections that the kernel keeps until they are accepted; it may keep fewer.
    private static let backlog: Int32 = 64

    /// Where it listens, with the port that it got.
    package let address: SocketAddress
    private let descriptor: FileDescriptor

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - port: Zero for any that is free.
    ///   - address: The only address to be reached at; nil for all.
    /// - Throws: `SystemError`: `addressInUse` where another program has the port,
    ///   `familyUnsupported` or `addressNotAvailable` where the system lacks the family.
    package init(
        _ family: AddressFamily, port: UInt16 = 0, address: SocketAddress? = nil
    ) throws(SystemError) {
        let any: IPAddress = family == .ipv4 ? .v4(.unspecified) : .v6(.unspecified)
        let wanted = address ?? SocketAddress(any, port: port)
        let descriptor = try TCPConnection.open(family)
        let number = descriptor.number
        // A port is free again at once, though connections to it were closed just now.
        try DatagramSocket.set(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if family == .ipv6 {
            try DatagramSocket.set(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        self.address = try DatagramSocket.bind(
            number, to: SocketAddress(wanted.address, port: port, scope: wanted.scope))
        try SystemCall.check("listen", subject: "port \(port)") { listen(number, Self.backlog) }
        self.descriptor = descriptor
    }

    /// The kernel's number of the descriptor, to wait for it.
    package var number: Int32 { descriptor.number }

    /// The next connection that waits; nil if none does.
    ///
    /// - Throws: `SystemError`. One whose code says `isExhaustion` leaves the connection where it
    ///   is, so the listener stays readable: pause before the next call.
    package func accept() throws(SystemError) -> TCPConnection? {
        while true {
            do throws(SystemError) {
                return try acceptOne()
            } catch {
                // That one connection is gone (accept(2)); the next may be well.
                guard Self.concernsOneConnection(error.code.rawValue) else { throw error }
            }
        }
    }

    private func acceptOne() throws(SystemError) -> TCPConnection? {
        let number = descriptor.number
        var result: TCPConnection?
        var failure: SystemError?
        unsafe withUnsafeTemporaryAllocation(
            byteCount: SocketAddress.maximumSize, alignment: 16
        ) { memory in
            guard let base = memory.baseAddress else { return }
            var length = socklen_t(memory.count)
            let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            do throws(SystemError) {
                // The memory has room for the longest address, and lives as long as the call.
                let accepted = try SystemCall.checkUnlessBlocked("accept") {
                    unsafe accept4(
                        number, base.assumingMemoryBound(to: sockaddr.self), &length, Int32(flags))
                }
                guard let accepted else { return }
                let descriptor = FileDescriptor(owning: accepted)
                guard let peer = unsafe SocketAddress(base, length: length) else {
                    throw SystemError("accept", .familyUnsupported)
                }
                result = try TCPConnection(accepted: descriptor, from: peer)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return result
    }

    private static func concernsOneConnection(_ code: Int32) -> Bool {
        switch code {
        case ECONNABORTED, EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, EPERM,
            ENOPROTOOPT, EOPNOTSUPP, ENONET:
            true
        default: false
        }
    }
}
