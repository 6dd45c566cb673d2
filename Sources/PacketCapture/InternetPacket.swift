import NetworkPrimitives

/// The headers of an IPv4 or IPv6 packet up to what it carries.
struct InternetPacket: Hashable, Sendable {
    var source: IPAddress
    var destination: IPAddress
    var hopLimit: UInt8
    /// The protocol of what it carries.
    var transport: UInt8
    /// What it carries, as far as it was captured, counted in the frame.
    var payload: Range<Int>
    /// How long that is by the headers; more than `payload` has in a packet that was cut.
    var payloadLength: Int
    /// Where the payload belongs if the packet is a fragment.
    var fragment: Fragment?

    /// A fragment's place in its datagram.
    struct Fragment: Hashable, Sendable {
        var identification: UInt32
        var offset: Int
        var isLast: Bool
    }

    /// Why there is nothing to be had from a packet.
    enum Failure: Error, Hashable, Sendable {
        /// The frame ends within the headers.
        case ends
        /// Neither version 4 nor 6, or lengths that contradict each other.
        case malformed
        /// Carries nothing that could be UDP: an encrypted payload, or no next header.
        case other
    }

    /// Reads the headers of the packet at `offset` in `frame`.
    init(_ frame: Span<UInt8>, at offset: Int) throws(Failure) {
        guard frame.count > offset else { throw .ends }
        switch frame[offset] >> 4 {
        case 4: self = try Self.version4(frame, at: offset)
        case 6: self = try Self.version6(frame, at: offset)
        default: throw .malformed
        }
    }

    private init(
        source: IPAddress, destination: IPAddress, hopLimit: UInt8, transport: UInt8,
        payload: Range<Int>, payloadLength: Int, fragment: Fragment?
    ) {
        self.source = source
        self.destination = destination
        self.hopLimit = hopLimit
        self.transport = transport
        self.payload = payload
        self.payloadLength = payloadLength
        self.fragment = fragment
    }

    /// RFC 791 §3.1.
    private static func version4(
        _ frame: Span<UInt8>, at start: Int
    ) throws(Failure) -> InternetPacket {
        guard frame.count >= start + 20 else { throw .ends }
        let headerLength = Int(frame[start] & 0x0F) * 4
        guard headerLength >= 20 else { throw .malformed }
        guard frame.count >= start + headerLength else { throw .ends }
        // 0 is written where the network card cuts up what the kernel hands it.
        let declared = Int(frame.uint16(at: start + 2))
        let length = declared == 0 ? frame.count - start : declared
        guard length >= headerLength else { throw .malformed }
        let fragmentField = frame.uint16(at: start + 6)
        let hasMore = fragmentField & 0x2000 != 0
        let fragmentOffset = Int(fragmentField & 0x1FFF) * 8
        var fragment: Fragment?
        if hasMore || fragmentOffset > 0 {
            fragment = Fragment(
                identification: UInt32(frame.uint16(at: start + 4)), offset: fragmentOffset,
                isLast: !hasMore)
        }
        return InternetPacket(
            source: .v4(IPv4Address(rawValue: frame.uint32(at: start + 12))),
            destination: .v4(IPv4Address(rawValue: frame.uint32(at: start + 16))),
            hopLimit: frame[start + 8], transport: frame[start + 9],
            payload: start + headerLength..<min(start + length, frame.count),
            payloadLength: length - headerLength, fragment: fragment)
    }

    /// RFC 8200 §3 and §4.
    private static func version6(
        _ frame: Span<UInt8>, at start: Int
    ) throws(Failure) -> InternetPacket {
        guard frame.count >= start + 40 else { throw .ends }
        let declared = Int(frame.uint16(at: start + 4))
        let end = declared == 0 ? frame.count : start + 40 + declared
        let headers = try ExtensionHeaders(
            frame, from: start + 40, end: end, first: frame[start + 6])
        return InternetPacket(
            source: .v6(address(at: start + 8, in: frame)),
            destination: .v6(address(at: start + 24, in: frame)),
            hopLimit: frame[start + 7], transport: headers.transport,
            payload: headers.end..<max(headers.end, min(end, frame.count)),
            payloadLength: end - headers.end, fragment: headers.fragment)
    }

    private static func address(at offset: Int, in frame: Span<UInt8>) -> IPv6Address {
        IPv6Address(high: frame.uint64(at: offset), low: frame.uint64(at: offset + 8))
    }
}

/// The chain of IPv6 extension headers (RFC 8200 §4), up to a fragment header at most: what
/// follows that one is in pieces.
struct ExtensionHeaders: Hashable, Sendable {
    /// The protocol behind the chain.
    var transport: UInt8
    /// Where that begins.
    var end: Int
    /// What the fragment header says, where there is one that matters.
    var fragment: InternetPacket.Fragment?

    /// Walks the headers from `start`, the first of them being of type `first`; the packet ends
    /// at `end`. Each header is at least eight bytes long, so the walk ends.
    init(
        _ frame: Span<UInt8>, from start: Int, end: Int, first: UInt8
    ) throws(InternetPacket.Failure) {
        var next = first
        var at = start
        while true {
            var length = 8
            switch next {
            case 0, 43, 60, 135, 139, 140:
                // Hop-by-hop, routing, destination options, mobility, host identity, shim.
                guard frame.count >= at + 2 else { throw .ends }
                length = (Int(frame[at + 1]) + 1) * 8
            case 51:
                // Authentication: counted in words of four bytes, less two (RFC 4302 §2.2).
                guard frame.count >= at + 2 else { throw .ends }
                length = (Int(frame[at + 1]) + 2) * 4
            case 44:
                guard frame.count >= at + 8 else { throw .ends }
                let field = frame.uint16(at: at + 2)
                // An only fragment, first and last, is a whole datagram (RFC 6946).
                if field & 0xFFF9 != 0 {
                    fragment = InternetPacket.Fragment(
                        identification: frame.uint32(at: at + 4), offset: Int(field & 0xFFF8),
                        isLast: field & 1 == 0)
                }
            case 50, 59:
                throw .other
            default:
                transport = next
                self.end = at
                return
            }
            guard at + length <= end else { throw .malformed }
            guard at + length <= frame.count else { throw .ends }
            next = frame[at]
            at += length
            if fragment != nil {
                transport = next
                self.end = at
                return
            }
        }
    }
}
