internal import CLinux
internal import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The two forms of a socket address in C, by the offsets that the kernel's interface fixes:
// sockaddr_in is family, port, address; sockaddr_in6 is family, port, flow, address, scope.
extension SocketAddress {
    /// Room for either form.
    static let maximumSize = MemoryLayout<sockaddr_in6>.size

    /// Writes the address in C's form and gives its length.
    ///
    /// - Parameter memory: at least `maximumSize` bytes.
    /// - Parameter scope: the interface that gives a link-local address its meaning, where the
    ///   address itself names none.
    func store(
        into memory: UnsafeMutableRawPointer, scope fallback: InterfaceIndex?
    ) -> socklen_t {
        switch address {
        case .v4(let address):
            unsafe memory.initializeMemory(
                as: UInt8.self, repeating: 0, count: MemoryLayout<sockaddr_in>.size)
            unsafe memory.storeBytes(of: sa_family_t(AF_INET), as: sa_family_t.self)
            unsafe memory.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            unsafe memory.storeBytes(
                of: address.rawValue.bigEndian, toByteOffset: 4, as: UInt32.self)
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .v6(let address):
            unsafe memory.initializeMemory(
                as: UInt8.self, repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
            unsafe memory.storeBytes(of: sa_family_t(AF_INET6), as: sa_family_t.self)
            unsafe memory.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            unsafe memory.storeBytes(
                of: address.rawValue.bigEndian, toByteOffset: 8, as: UInt128.self)
            if let scope = scope ?? fallback, address.isLinkLocal || address.isMulticast {
                unsafe memory.storeBytes(of: scope.rawValue, toByteOffset: 24, as: UInt32.self)
            }
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        }
    }

    /// Reads C's form; nil for another family.
    init?(_ memory: UnsafeRawPointer, length: socklen_t) {
        let family = unsafe Int32(memory.load(as: sa_family_t.self))
        let port = unsafe UInt16(bigEndian: memory.load(fromByteOffset: 2, as: UInt16.self))
        if family == AF_INET, length >= MemoryLayout<sockaddr_in>.size {
            let value = unsafe memory.load(fromByteOffset: 4, as: UInt32.self)
            self.init(.v4(IPv4Address(rawValue: UInt32(bigEndian: value))), port: port)
        } else if family == AF_INET6, length >= MemoryLayout<sockaddr_in6>.size {
            let value = unsafe memory.loadUnaligned(fromByteOffset: 8, as: UInt128.self)
            let scope = unsafe memory.load(fromByteOffset: 24, as: UInt32.self)
            self.init(
                .v6(IPv6Address(rawValue: UInt128(bigEndian: value))), port: port,
                scope: scope == 0 ? nil : InterfaceIndex(rawValue: scope))
        } else {
            return nil
        }
    }
}
