import DNSMessages
import NetworkPrimitives

/// Puts answers into as few responses as they take (RFC 6762 §6.4, §17).
///
/// The members of a unique set stay in one packet if they fit one (§10.2); a record too large
/// for the link goes alone in a datagram that the kernel fragments (§17).
struct ResponsePacker {
    struct Packed {
        var packets: [[UInt8]]
        /// Records larger than any datagram may be.
        var unsendable: Int
    }

    private let limit: Int
    private let loneLimit: Int
    private var encoder: MessageEncoder
    private var packed = Packed(packets: [], unsendable: 0)

    init(link: Link, family: AddressFamily, limits: Limits) {
        limit = link.messageLimit(family, limits)
        loneLimit = link.loneRecordLimit(family, limits)
        encoder = MessageEncoder(header: .response, limit: limit)
    }

    /// Adds records that belong together to the answers.
    mutating func add(
        _ group: [ResourceRecord], timeToLive: (ResourceRecord) -> TimeToLive, cacheFlush: Bool
    ) {
        if group.count == 1 {
            addAlone(group[0], timeToLive(group[0]), cacheFlush)
            return
        }
        // Together in the packet at hand, or in one of their own (RFC 6762 §10.2, M10-9).
        if appendAll(group, timeToLive, cacheFlush, to: .answer) { return }
        flush()
        if appendAll(group, timeToLive, cacheFlush, to: .answer) { return }
        // Larger than one packet: in a quick burst then (M10-9).
        for record in group { addAlone(record, timeToLive(record), cacheFlush) }
    }

    /// Adds records that belong together to the additional section of the last packet, if all
    /// of them fit.
    mutating func addAdditional(
        _ group: [ResourceRecord], timeToLive: (ResourceRecord) -> TimeToLive, cacheFlush: Bool
    ) -> Bool {
        appendAll(group, timeToLive, cacheFlush, to: .additional)
    }

    mutating func finish() -> Packed {
        flush()
        return packed
    }

    private mutating func appendAll(
        _ group: [ResourceRecord], _ timeToLive: (ResourceRecord) -> TimeToLive,
        _ cacheFlush: Bool, to section: MessageSection
    ) -> Bool {
        if group.count == 1 {
            return encoder.append(
                group[0], timeToLive: timeToLive(group[0]), cacheFlush: cacheFlush, to: section)
        }
        let before = encoder
        for record in group
        where !encoder.append(
            record, timeToLive: timeToLive(record), cacheFlush: cacheFlush, to: section)
        {
            encoder = before
            return false
        }
        return true
    }

    private mutating func addAlone(
        _ record: ResourceRecord, _ timeToLive: TimeToLive, _ cacheFlush: Bool
    ) {
        func append(_ encoder: inout MessageEncoder) -> Bool {
            encoder.append(record, timeToLive: timeToLive, cacheFlush: cacheFlush, to: .answer)
        }
        if append(&encoder) { return }
        flush()
        if append(&encoder) { return }
        // Alone in a datagram that is sent in fragments, if it fits any (RFC 6762 §17, M17-2,
        // M17-5, M17-6).
        var lone = MessageEncoder(header: .response, limit: loneLimit)
        // (M17-2, M17-6)
        if append(&lone) {
            packed.packets.append(lone.finish())
        } else {
            packed.unsendable += 1
        }
    }

    private mutating func flush() {
        guard !encoder.isEmpty else { return }
        packed.packets.append(encoder.finish())
        encoder = MessageEncoder(header: .response, limit: limit)
    }
}
