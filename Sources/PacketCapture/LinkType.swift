/// What the bytes of a frame begin with: the link type of the pcap formats.
public struct LinkType: RawRepresentable, Hashable, Sendable {
    /// The number in the file.
    public var rawValue: UInt16

    /// The link type with that number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// BSD loopback: the address family in the byte order of the machine that captured.
    public static let null = LinkType(rawValue: 0)
    /// Ethernet.
    public static let ethernet = LinkType(rawValue: 1)
    /// IPv4 or IPv6 without a link header.
    public static let raw = LinkType(rawValue: 101)
    /// 802.11 without further headers.
    public static let wireless = LinkType(rawValue: 105)
    /// OpenBSD loopback: the address family in network order.
    public static let loop = LinkType(rawValue: 108)
    /// Linux cooked capture, version 1.
    public static let linuxCooked = LinkType(rawValue: 113)
    /// 802.11 behind a radiotap header.
    public static let radiotap = LinkType(rawValue: 127)
    /// IPv4 without a link header.
    public static let ipv4 = LinkType(rawValue: 228)
    /// IPv6 without a link header.
    public static let ipv6 = LinkType(rawValue: 229)
    /// Linux cooked capture, version 2.
    public static let linuxCooked2 = LinkType(rawValue: 276)

    /// Whether datagrams can be found in frames of this type.
    public var isSupported: Bool {
        switch self {
        case .null, .ethernet, .raw, .wireless, .loop, .linuxCooked, .radiotap, .ipv4, .ipv6,
            .linuxCooked2:
            true
        default:
            // What DLT_RAW is on some systems found its way into files.
            rawValue == 12 || rawValue == 14
        }
    }
}

extension LinkType: CustomStringConvertible {
    private static let names: [UInt16: String] = [
        0: "BSD loopback", 1: "Ethernet", 6: "token ring", 7: "ARCNET", 8: "SLIP", 9: "PPP",
        10: "FDDI", 12: "raw IP", 14: "raw IP", 50: "PPP in HDLC", 51: "PPPoE",
        101: "raw IP", 104: "Cisco HDLC", 105: "802.11", 107: "frame relay",
        108: "OpenBSD loopback", 113: "Linux cooked", 117: "OpenBSD packet filter log",
        119: "802.11 with Prism header", 127: "802.11 with radiotap header",
        138: "Apple IP over FireWire", 143: "DOCSIS", 163: "802.11 with AVS header",
        187: "Bluetooth HCI", 189: "Linux USB", 192: "per-packet information",
        195: "802.15.4", 201: "Bluetooth HCI with direction", 220: "Linux USB, padded",
        228: "IPv4", 229: "IPv6", 230: "802.15.4 without FCS", 231: "D-Bus",
        239: "Linux netfilter log", 249: "Windows USB", 251: "Bluetooth Low Energy",
        252: "Wireshark upper PDU", 253: "Linux netlink", 256: "Bluetooth LE with radio header",
        258: "Apple PKTAP", 266: "macOS USB", 276: "Linux cooked, version 2",
        283: "802.15.4 TAP",
    ]

    /// The name and the number: `Ethernet (1)`, `link type 4711`.
    public var description: String {
        Self.names[rawValue].map { "\($0) (\(rawValue))" } ?? "link type \(rawValue)"
    }
}
