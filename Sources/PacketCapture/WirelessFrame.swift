/// Steps over the headers of an 802.11 data frame (IEEE 802.11-2020 §9.2.4, §9.3.2).
enum WirelessFrame {
    private enum Flags {
        static let toDistribution: UInt8 = 0x01
        static let fromDistribution: UInt8 = 0x02
        static let moreFragments: UInt8 = 0x04
        static let protected: UInt8 = 0x40
        static let order: UInt8 = 0x80
    }

    /// The packet in a frame behind a radiotap header (radiotap.org).
    static func payload(ofRadiotap frame: Span<UInt8>) -> LinkPayload {
        guard frame.count >= 8 else { return .ends }
        guard frame[0] == 0 else { return .other }
        let length = Int(frame.uint16(at: 2, .littleEndian))
        guard length >= 8, length <= frame.count else { return .ends }
        // Words of presence bits go on as long as the top bit is set; the fields follow.
        let present = frame.uint32(at: 4, .littleEndian)
        var fields = 8
        var word = present
        while word & 0x8000_0000 != 0, fields + 4 <= length {
            word = frame.uint32(at: fields, .littleEndian)
            fields += 4
        }
        // Field 0 is a clock of eight bytes, aligned; field 1 the flags. Flag 0x20: the header
        // is padded to four bytes.
        if present & 1 != 0 { fields = (fields + 7) & ~7 + 8 }
        let isPadded = present & 2 != 0 && fields < length && frame[fields] & 0x20 != 0
        return payload(of: frame, at: length, isPadded: isPadded)
    }

    /// The packet in the 802.11 frame that begins at `start`.
    static func payload(of frame: Span<UInt8>, at start: Int, isPadded: Bool) -> LinkPayload {
        guard frame.count >= start + 2 else { return .ends }
        let control = frame[start]
        let flags = frame[start + 1]
        // Version 0, type 2: data. Subtype bit 2 says that there is none in it.
        guard control & 0x0F == 0x08, control & 0x40 == 0 else { return .other }
        guard flags & Flags.protected == 0 else { return .encrypted }
        var length = 24
        let both = Flags.toDistribution | Flags.fromDistribution
        if flags & both == both { length += 6 }
        let isQualityOfService = control & 0x80 != 0
        let quality = start + length
        if isQualityOfService {
            length += 2
            if flags & Flags.order != 0 { length += 4 }
        }
        guard frame.count >= start + length else { return .ends }
        // The sequence control's lower four bits are the number of the fragment.
        guard flags & Flags.moreFragments == 0, frame[start + 22] & 0x0F == 0 else {
            return .aggregate
        }
        if isQualityOfService, frame[quality] & 0x80 != 0 { return .aggregate }
        if isPadded { length = (length + 3) & ~3 }
        return LinkLayer.logicalLink(at: start + length, in: frame)
    }
}
