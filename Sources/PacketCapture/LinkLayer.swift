/// What is found behind the link header of a frame.
enum LinkPayload: Hashable, Sendable {
    /// An IPv4 or IPv6 packet begins at that offset.
    case packet(offset: Int)
    /// Another protocol, or a frame without data.
    case other
    /// The frame ends within its headers.
    case ends
    /// 802.11 data that is encrypted.
    case encrypted
    /// Several packets or a part of one in an 802.11 frame.
    case aggregate
    /// A link type that isn't known here.
    case unsupported
}

/// Steps over link headers.
enum LinkLayer {
    private static let ipv4: UInt16 = 0x0800
    private static let ipv6: UInt16 = 0x86DD
    /// 802.1Q, 802.1ad, and the two that were used for stacked tags before it.
    private static let vlanTags: [UInt16] = [0x8100, 0x88A8, 0x9100, 0x9200]
    private static let maximumTagCount = 8

    /// Finds the packet in a frame.
    static func payload(of frame: Span<UInt8>, linkType: LinkType) -> LinkPayload {
        switch linkType {
        case .ethernet:
            return protocolField(at: 12, in: frame)
        case .linuxCooked:
            guard frame.count >= 16 else { return .ends }
            return protocolField(at: 14, in: frame)
        case .linuxCooked2:
            guard frame.count >= 20 else { return .ends }
            let type = frame.uint16(at: 0)
            if vlanTags.contains(type) { return tagged(at: 20, in: frame) }
            return isPacket(type) ? .packet(offset: 20) : .other
        case .null, .loop:
            return loopback(frame)
        case .wireless:
            return WirelessFrame.payload(of: frame, at: 0, isPadded: false)
        case .radiotap:
            return WirelessFrame.payload(ofRadiotap: frame)
        case .raw, .ipv4, .ipv6, LinkType(rawValue: 12), LinkType(rawValue: 14):
            return frame.count > 0 ? .packet(offset: 0) : .ends
        default:
            return .unsupported
        }
    }

    /// What follows an Ethernet type: tags, an 802.3 length with LLC, or a packet.
    static func protocolField(at offset: Int, in frame: Span<UInt8>) -> LinkPayload {
        guard frame.count >= offset + 2 else { return .ends }
        let type = frame.uint16(at: offset)
        if isPacket(type) { return .packet(offset: offset + 2) }
        if vlanTags.contains(type) { return tagged(at: offset + 2, in: frame) }
        // Up to 1500 it is a length, and LLC follows. Cooked captures write 4 for that.
        return type <= 1500 ? logicalLink(at: offset + 2, in: frame) : .other
    }

    /// The LLC and SNAP headers before a packet (RFC 1042).
    static func logicalLink(at offset: Int, in frame: Span<UInt8>) -> LinkPayload {
        guard frame.count >= offset + 8 else { return .ends }
        guard frame.uint32(at: offset) == 0xAAAA_0300,
            frame[offset + 4] == 0, frame[offset + 5] == 0 || frame[offset + 5] == 0xF8
        else { return .other }
        let type = frame.uint16(at: offset + 6)
        if vlanTags.contains(type) { return tagged(at: offset + 8, in: frame) }
        return isPacket(type) ? .packet(offset: offset + 8) : .other
    }

    /// What follows the tags, the first tag's two bytes being at `offset`.
    private static func tagged(at offset: Int, in frame: Span<UInt8>) -> LinkPayload {
        var at = offset
        for _ in 0..<maximumTagCount {
            guard frame.count >= at + 4 else { return .ends }
            let type = frame.uint16(at: at + 2)
            if isPacket(type) { return .packet(offset: at + 4) }
            guard vlanTags.contains(type) else { return .other }
            at += 4
        }
        return .other
    }

    /// The address family in either byte order: files from other machines hold both, and small
    /// numbers tell them apart. IPv6 has a number of its own on each system.
    private static func loopback(_ frame: Span<UInt8>) -> LinkPayload {
        guard frame.count >= 4 else { return .ends }
        let family = frame.uint32(at: 0)
        switch family <= 0xFFFF ? family : family.byteSwapped {
        case 2, 10, 23, 24, 28, 30: return .packet(offset: 4)
        default: return .other
        }
    }

    private static func isPacket(_ type: UInt16) -> Bool {
        type == ipv4 || type == ipv6
    }
}
