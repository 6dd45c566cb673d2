internal import CLinux
internal import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the kernel says of interfaces and their addresses, read from its netlink messages.
///
/// A message is a header of sixteen bytes (length, type, flags, sequence, port), a fixed part
/// by its type, and attributes (length, type, value padded to four). All in the machine's own
/// byte order. What can't be read ends the reading: the kernel wrote it, so that is no attack.
enum NetlinkMessage: Hashable {
    /// An interface as it is now.
    case link(Link)
    /// An interface that is gone.
    case linkGone(InterfaceIndex)
    /// An address as it is now.
    case address(Address)
    /// An address that is gone, or something else that doesn't concern us.
    case other
    /// The end of a list that was asked for; it changed while it was made if `isTorn`.
    case done
    /// A request that failed, with the error's number.
    case failure(SystemError.Code)

    struct Link: Hashable {
        var index: InterfaceIndex
        var name = ""
        var flags: NetworkInterface.Flags
        var maximumTransmissionUnit = 1500
        var hardwareAddress: HardwareAddress?
        /// The driver's name for its kind, `veth`; nil for hardware.
        var kind: String?
        /// Whether its other end, or the device below it, is in another namespace.
        var hasPeerElsewhere = false
    }

    struct Address: Hashable {
        var interface: InterfaceIndex
        var address: NetworkInterface.Address
        /// Whether another host was found to have it (RFC 4862 §5.4).
        var isDuplicate = false
    }

    /// A batch of messages, as one read gives them.
    struct Batch: Hashable {
        var messages: [NetlinkMessage] = []
        /// Whether the list that these are part of changed while the kernel wrote it.
        var isTorn = false
    }

    static func parse(_ bytes: Span<UInt8>) -> Batch {
        var batch = Batch()
        var start = 0
        while start + headerSize <= bytes.count {
            let length = Int(read32(bytes, start))
            guard length >= headerSize, start + length <= bytes.count else { break }
            if read16(bytes, start + 6) & UInt16(NLM_F_DUMP_INTR) != 0 { batch.isTorn = true }
            let body = bytes.extracting(start + headerSize..<start + length)
            batch.messages.append(message(Int32(read16(bytes, start + 4)), body))
            start += (length + 3) & ~3
        }
        return batch
    }

    private static let headerSize = 16
    private static let linkHeaderSize = 16
    private static let addressHeaderSize = 8

    private static func message(_ type: Int32, _ body: Span<UInt8>) -> NetlinkMessage {
        switch type {
        case Int32(RTM_NEWLINK): return link(body).map { .link($0) } ?? .other
        case Int32(RTM_DELLINK):
            guard body.count >= linkHeaderSize else { return .other }
            return .linkGone(InterfaceIndex(rawValue: read32(body, 4)))
        case Int32(RTM_NEWADDR): return address(body).map { .address($0) } ?? .other
        case NLMSG_DONE: return .done
        case NLMSG_ERROR:
            guard body.count >= 4 else { return .other }
            let number = Int32(bitPattern: read32(body, 0))
            return number == 0 ? .other : .failure(.init(rawValue: -number))
        default: return .other
        }
    }

    private static func link(_ body: Span<UInt8>) -> Link? {
        guard body.count >= linkHeaderSize else { return nil }
        let flags = NetworkInterface.Flags(kernelBits: read32(body, 8))
        var link = Link(index: InterfaceIndex(rawValue: read32(body, 4)), flags: flags)
        forEachAttribute(body.extracting(linkHeaderSize...)) { type, value in
            switch Int(type) {
            case Int(IFLA_IFNAME):
                link.name = String(
                    decoding: copy(value).prefix { $0 != 0 }, as: UTF8.self)
            case Int(IFLA_MTU) where value.count == 4:
                link.maximumTransmissionUnit = Int(read32(value, 0))
            case Int(IFLA_ADDRESS):
                let address = HardwareAddress(bytes: copy(value))
                // The loopback's is all zeros: none.
                if address?.rawValue != 0 { link.hardwareAddress = address }
            case Int(IFLA_LINK_NETNSID): link.hasPeerElsewhere = true
            case Int(IFLA_LINKINFO): link.kind = kind(value)
            default: break
            }
        }
        return link
    }

    /// What a link's nested attributes say of its kind.
    private static func kind(_ attributes: Span<UInt8>) -> String? {
        var kind: String?
        forEachAttribute(attributes) { type, value in
            guard Int(type) == Int(IFLA_INFO_KIND) else { return }
            kind = String(decoding: copy(value).prefix { $0 != 0 }, as: UTF8.self)
        }
        return kind
    }

    private static func address(_ body: Span<UInt8>) -> Address? {
        guard body.count >= addressHeaderSize else { return nil }
        let family = Int32(body[0])
        // The byte of flags is too short for all of them; an attribute has them in full.
        var flags = UInt32(body[2])
        var own: IPAddress?
        var end: IPAddress?
        forEachAttribute(body.extracting(addressHeaderSize...)) { type, value in
            switch Int(type) {
            // On a line with another end the first is ours, the second the other's.
            case Int(IFA_LOCAL): own = ipAddress(family, value)
            case Int(IFA_ADDRESS): end = ipAddress(family, value)
            case Int(IFA_FLAGS) where value.count == 4: flags = read32(value, 0)
            default: break
            }
        }
        guard let address = own ?? end else { return nil }
        // The bit of a temporary IPv6 address means a second address in IPv4.
        let isIPv6 = address.family == .ipv6
        return Address(
            interface: InterfaceIndex(rawValue: read32(body, 4)),
            address: NetworkInterface.Address(
                NetworkPrefix(address, length: Int(body[1])),
                isTentative: flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) != 0,
                isDeprecated: flags & UInt32(IFA_F_DEPRECATED) != 0,
                isTemporary: isIPv6 && flags & UInt32(IFA_F_TEMPORARY) != 0),
            isDuplicate: flags & UInt32(IFA_F_DADFAILED) != 0)
    }

    private static func ipAddress(_ family: Int32, _ value: Span<UInt8>) -> IPAddress? {
        var number: UInt128 = 0
        for index in value.indices { number = number << 8 | UInt128(value[index]) }
        switch (family, value.count) {
        case (AF_INET, 4):
            return .v4(IPv4Address(rawValue: UInt32(truncatingIfNeeded: number)))
        case (AF_INET6, 16): return .v6(IPv6Address(rawValue: number))
        default: return nil
        }
    }

    private static func forEachAttribute(
        _ bytes: Span<UInt8>, _ body: (UInt16, Span<UInt8>) -> Void
    ) {
        var start = 0
        while start + 4 <= bytes.count {
            let length = Int(read16(bytes, start))
            guard length >= 4, start + length <= bytes.count else { return }
            // The upper two bits say how the value is to be read, which we know.
            body(
                read16(bytes, start + 2) & 0x3FFF,
                bytes.extracting(start + 4..<start + length))
            start += (length + 3) & ~3
        }
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        bytes.indices.map { bytes[$0] }
    }

    // The kernel writes in the machine's own order: the bytes are put together from the one
    // that this machine takes for the lowest.
    private static let lowestFirst = UInt16(1).littleEndian == 1

    private static func number(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<count {
            let place = lowestFirst ? start + count - 1 - index : start + index
            value = value << 8 | UInt32(bytes[place])
        }
        return value
    }

    private static func read16(_ bytes: Span<UInt8>, _ start: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: number(bytes, start, 2))
    }

    private static func read32(_ bytes: Span<UInt8>, _ start: Int) -> UInt32 {
        number(bytes, start, 4)
    }
}

extension NetworkInterface.Flags {
    /// The kernel's own bits.
    init(kernelBits bits: UInt32) {
        self = []
        let known: [(UInt32, NetworkInterface.Flags)] = [
            (UInt32(IFF_UP), .up), (UInt32(IFF_RUNNING), .running),
            (UInt32(IFF_LOOPBACK), .loopback),
            (UInt32(IFF_MULTICAST), .multicast),
            (UInt32(IFF_POINTOPOINT), .pointToPoint),
        ]
        for (bit, flag) in known where bits & bit != 0 { insert(flag) }
    }
}
