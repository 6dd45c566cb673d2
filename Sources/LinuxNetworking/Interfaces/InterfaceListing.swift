internal import CLinux
internal import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The interfaces without netlink, which also `getifaddrs` is made of: by requests to any socket,
/// and from the kernel's tables for what these do not tell.
enum InterfaceListing {
    /// The interfaces where netlink was refused for that reason, which is the one to report if
    /// this fails as well.
    static func interfaces(
        insteadOf refusal: SystemError
    ) throws(SystemError) -> [NetworkInterface] {
        do throws(SystemError) {
            return try interfaces()
        } catch { throw refusal }
    }

    /// All interfaces with all addresses, by index.
    static func interfaces() throws(SystemError) -> [NetworkInterface] {
        let socket = try anySocket()
        let number = socket.number
        let ipv4 = addresses(number)
        let ipv6 = addresses(in: table("if_inet6"))
        let listed = names(in: table("dev"))
        let names = listed.isEmpty ? Set(ipv4.map { $0.name }).sorted() : listed
        return names.compactMap { name in
            interface(number, name, ipv4.filter { $0.name == name }, ipv6)
        }.sorted { $0.index < $1.index }
    }

    /// Its family does not matter, and one may be refused.
    private static func anySocket() throws(SystemError) -> FileDescriptor {
        do throws(SystemError) {
            return try DatagramSocket.open(.ipv4)
        } catch { return try DatagramSocket.open(.ipv6) }
    }

    /// "thread-self", because a thread can be in a network of its own.
    private static func table(_ name: String) -> [UInt8] {
        (try? SystemFile.read("/proc/thread-self/net/\(name)")) ?? []
    }

    private static func interface(
        _ socket: Int32, _ name: String, _ ipv4: [NamedAddress], _ ipv6: [IndexedAddress]
    ) -> NetworkInterface? {
        // One that went meanwhile has no number.
        guard let number = Request.number(socket, UInt(SIOCGIFINDEX), name),
            let bits = Request.number(socket, UInt(SIOCGIFFLAGS), name)
        else { return nil }
        let index = InterfaceIndex(rawValue: number)
        var interface = NetworkInterface(
            name: name, index: index,
            // The flags are the lower half, all that such a request tells.
            flags: NetworkInterface.Flags(kernelBits: bits & 0xFFFF),
            addresses: ipv4.map { $0.address }
                + ipv6.filter { $0.index == index }.map { $0.address })
        if let bytes = Request.number(socket, UInt(SIOCGIFMTU), name) {
            interface.maximumTransmissionUnit = Int(bytes)
        }
        interface.hardwareAddress = Request.hardwareAddress(socket, name)
        return interface
    }

    // MARK: Addresses

    struct NamedAddress: Hashable {
        var name: String
        var address: NetworkInterface.Address
    }

    struct IndexedAddress: Hashable {
        var index: InterfaceIndex
        var address: NetworkInterface.Address
    }

    /// The IPv4 addresses.
    private static func addresses(_ socket: Int32) -> [NamedAddress] {
        Request.addressRecords(socket).compactMap { record in
            guard let address = Request.address(record) else { return nil }
            var length = 32
            if let answer = Request.answer(socket, UInt(SIOCGIFNETMASK), record),
                let mask = Request.address(answer)
            {
                length = mask.rawValue.nonzeroBitCount
            }
            // A label such as `eth0:1` is an address of `eth0`.
            let name = Request.name(record).prefix { $0 != ":" }
            return NamedAddress(
                name: String(name), address: .init(NetworkPrefix(.v4(address), length: length)))
        }
    }

    /// The IPv6 addresses: lines of address, index, prefix length, scope, flags and name, all
    /// but the last in hexadecimal.
    static func addresses(in table: [UInt8]) -> [IndexedAddress] {
        table.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " ")).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard fields.count >= 6, fields[0].count == 32,
                let address = UInt128(fields[0], radix: 16),
                let index = UInt32(fields[1], radix: 16),
                let length = Int(fields[2], radix: 16), (0...128).contains(length),
                let flags = UInt32(fields[4], radix: 16)
            else { return nil }
            let prefix = NetworkPrefix(.v6(IPv6Address(rawValue: address)), length: length)
            return IndexedAddress(
                index: InterfaceIndex(rawValue: index),
                address: .init(
                    prefix,
                    isTentative: flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) != 0,
                    isDeprecated: flags & UInt32(IFA_F_DEPRECATED) != 0,
                    isTemporary: flags & UInt32(IFA_F_TEMPORARY) != 0))
        }
    }

    /// The interfaces' names: what stands before a colon, below two lines of headings.
    static func names(in table: [UInt8]) -> [String] {
        table.split(separator: UInt8(ascii: "\n")).dropFirst(2).compactMap { line in
            // A name may have a colon in it, numbers have none.
            guard let colon = line.lastIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = line[..<colon].drop { $0 == UInt8(ascii: " ") }
            return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        }
    }
}

/// Requests about an interface: a name of sixteen bytes, then what is asked for (`struct ifreq`).
private enum Request {
    private static let nameSize = 16
    /// On 32-bit machines the kernel's is shorter: then the rest is not used.
    private static let size = nameSize + 24
    private static let recordSize = nameSize + (MemoryLayout<Int>.size == 8 ? 24 : 16)

    static func answer(_ socket: Int32, _ request: UInt, _ record: [UInt8]) -> [UInt8]? {
        var bytes = record + [UInt8](repeating: 0, count: max(0, size - record.count))
        let isDone = unsafe bytes.withUnsafeMutableBytes { buffer in
            // The buffer is as large as what the kernel writes.
            unsafe interface_request(socket, request, buffer.baseAddress) == 0
        }
        return isDone ? bytes : nil
    }

    private static func answer(_ socket: Int32, _ request: UInt, _ name: String) -> [UInt8]? {
        let text = Array(name.utf8)
        guard text.count < nameSize else { return nil }
        return answer(socket, request, text + [UInt8](repeating: 0, count: nameSize - text.count))
    }

    /// A number of four bytes in the machine's order.
    static func number(_ socket: Int32, _ request: UInt, _ name: String) -> UInt32? {
        guard let bytes = answer(socket, request, name) else { return nil }
        // Behind the name there are at least four bytes.
        return unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: nameSize, as: UInt32.self)
        }
    }

    static func hardwareAddress(_ socket: Int32, _ name: String) -> HardwareAddress? {
        guard let bytes = answer(socket, UInt(SIOCGIFHWADDR), name) else { return nil }
        // Behind the address's family, which is the kind of hardware: Ethernet's has six bytes.
        let kind = unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: nameSize, as: UInt16.self)
        }
        guard kind == 1 else { return nil }
        let address = HardwareAddress(bytes: bytes[(nameSize + 2)..<(nameSize + 8)])
        return address?.rawValue == 0 ? nil : address
    }

    static func name(_ record: [UInt8]) -> String {
        String(decoding: record.prefix(nameSize).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The IPv4 address in a record: behind the name a family, a port and four bytes.
    static func address(_ record: [UInt8]) -> IPv4Address? {
        guard record.count >= nameSize + 8 else { return nil }
        let bytes = record[(nameSize + 4)..<(nameSize + 8)]
        return IPv4Address(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// One record for each IPv4 address.
    static func addressRecords(_ socket: Int32) -> [[UInt8]] {
        let room = 1024 * recordSize
        var records = [UInt8](repeating: 0, count: room)
        var used = 0
        unsafe records.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            var list = unsafe ifconf()
            unsafe list.ifc_len = Int32(room)
            unsafe list.ifc_ifcu.ifcu_buf = start.assumingMemoryBound(to: CChar.self)
            // The list points at the buffer, and says how large that is.
            if unsafe interface_request(socket, UInt(SIOCGIFCONF), &list) == 0 {
                used = unsafe Int(list.ifc_len)
            }
        }
        return stride(from: 0, to: min(used, room) / recordSize * recordSize, by: recordSize).map {
            Array(records[$0..<($0 + recordSize)])
        }
    }
}
