import DNSMessages
import NetworkPrimitives

/// Puts answers into as few responses as they take (RFC 6762 §6.4, §17).
///
/// The members of a unique set stay in one packet if they fit one (M10-9); a record too large
/// for the link goes alone in a datagram that the kernel fragments (M17-2, M17-5, M17-6).
struct ResponsePacker {
    struct Packed {
        var packets: [[UInt8]] = []
        /// Records larger than any datagram may be.
        var unsendable = 0
    }

    private let limit: Int
    private let loneLimit: Int
    private var encoder: MessageEncoder
    private var packed = Packed()

    init(_ interface: ActiveInterface, _ family: AddressFamily, _ limits: Limits) {
        limit = interface.messageLimit(family, limits)
        loneLimit = interface.loneRecordLimit(family, limits)
        encoder = MessageEncoder(header: .response, limit: limit)
    }

    /// Adds records to the answers, sets of unique ones together in the packet at hand or in one
    /// of their own; what is larger than a packet leaves in a quick burst.
    mutating func addAnswers(_ handles: [RecordHandle], of own: OwnRecords) {
        var start = 0
        while start < handles.count {
            let end = own.setEnd(handles, from: start)
            if !append(handles[start..<end], of: own, to: .answer) {
                flush()
                if !append(handles[start..<end], of: own, to: .answer) {
                    for handle in handles[start..<end] {
                        addAlone(
                            own[handle].record, own[handle].record.timeToLive,
                            cacheFlush: own[handle].isUnique)
                    }
                }
            }
            start = end
        }
    }

    /// Adds those records to the additional section of the last packet whose sets fit, and
    /// returns them.
    mutating func addAdditionals(_ handles: [RecordHandle], of own: OwnRecords) -> [RecordHandle] {
        var added: [RecordHandle] = []
        var start = 0
        while start < handles.count {
            let end = own.setEnd(handles, from: start)
            if append(handles[start..<end], of: own, to: .additional) {
                added += handles[start..<end]
            }
            start = end
        }
        return added
    }

    mutating func addGoodbye(_ record: ResourceRecord) {
        addAlone(record, .goodbye, cacheFlush: false)
    }

    mutating func finish() -> Packed {
        flush()
        return packed
    }

    /// Adds all of the records or none.
    private mutating func append(
        _ handles: ArraySlice<RecordHandle>, of own: OwnRecords, to section: MessageSection
    ) -> Bool {
        let mark = encoder.mark
        for handle in handles
        where !encoder.append(
            own[handle].record, timeToLive: own[handle].record.timeToLive,
            cacheFlush: own[handle].isUnique, to: section)
        {
            encoder.rollBack(to: mark)
            return false
        }
        return true
    }

    private mutating func addAlone(
        _ record: ResourceRecord, _ timeToLive: TimeToLive, cacheFlush: Bool
    ) {
        func append(to encoder: inout MessageEncoder) -> Bool {
            encoder.append(record, timeToLive: timeToLive, cacheFlush: cacheFlush, to: .answer)
        }
        if append(to: &encoder) { return }
        flush()
        if append(to: &encoder) { return }
        var lone = MessageEncoder(header: .response, limit: loneLimit)
        if append(to: &lone) {
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

extension OwnRecords {
    /// Where the unique set that begins at `start` ends: its members stand together.
    func setEnd(_ handles: [RecordHandle], from start: Int) -> Int {
        var end = start + 1
        let first = handles[start]
        guard self[first].isUnique else { return end }
        while end < handles.count, self[handles[end]].isUnique,
            self[handles[end]].name == self[first].name,
            self[handles[end]].record.type == self[first].record.type
        { end += 1 }
        return end
    }
}
