import DNSMessages
import NetworkPrimitives

/// Handles in the order they were found, each once: first of the answers, then of what goes along.
/// It is used again and again, since making it anew is half of what a selection costs.
///
/// With any member of a unique set goes the whole set (M10-9, M10-19), so that what is packed are
/// sets; a shared record is one by itself.
struct RecordSelection: Sendable {
    private(set) var handles: [RecordHandle] = []
    /// Which of them stay together.
    private(set) var sets: [Range<Int>] = []
    private var seen: Set<RecordHandle> = []

    init() {}

    init(_ answers: [RecordHandle], of own: OwnRecords) {
        for handle in answers { insert(handle, of: own) }
    }

    mutating func removeAll() {
        handles.removeAll(keepingCapacity: true)
        sets.removeAll(keepingCapacity: true)
    }

    mutating func insert(_ handle: RecordHandle, of own: OwnRecords) {
        guard !contains(handle) else { return }
        let start = handles.count
        if own[handle].isUnique, !own[handle].isNegative {
            let type = own[handle].type
            for member in own[own[handle].name].records
            where own[member].isActive && own[member].isUnique && own[member].type == type {
                append(member)
            }
        } else {
            append(handle)
        }
        if handles.count > start { sets.append(start..<handles.count) }
    }

    /// A list is quicker to search than a set to fill while it is short.
    private static let searchedCount = 16

    private func contains(_ handle: RecordHandle) -> Bool {
        handles.count <= Self.searchedCount ? handles.contains(handle) : seen.contains(handle)
    }

    private mutating func append(_ handle: RecordHandle) {
        handles.append(handle)
        if handles.count == Self.searchedCount + 1 {
            seen = Set(handles)
        } else if handles.count > Self.searchedCount {
            seen.insert(handle)
        }
    }
}

/// What a conventional reply repeats of its query (RFC 6762 §6.7).
struct LegacyQuery: Sendable {
    let id: UInt16
    let questions: [Question]
    /// The payload size that the querier takes, if it speaks EDNS (RFC 6891 §6.2.3).
    let payloadSize: Int?

    init(_ query: Message) {
        id = query.header.id
        questions = query.questions
        payloadSize =
            query.additionals.lazy.compactMap {
                if case .opt(let options) = $0.data { Int(options.udpPayloadSize) } else { nil }
            }.first
    }
}

/// Puts answers into as few responses as they take (RFC 6762 §6.4, §17).
///
/// The members of a unique set stay in one packet if they fit one (M10-9); a record too large
/// for the link goes alone in a datagram that the kernel fragments (M17-2, M17-5, M17-6).
///
/// A reply to a legacy query has the form of conventional DNS: one packet with the query's id and
/// questions, no cache-flush bit, times to live of ten seconds at most, SRV targets in full; what
/// does not fit is cut and TC says so (RFC 6762 §6.7, §18.14, M18-19). A query with OPT has OPT in
/// its reply.
struct ResponsePacker: Sendable {
    private var packets: [[UInt8]] = []
    /// Records larger than any datagram may be.
    private var unsendable = 0
    private var limit = 0
    private var loneLimit = 0
    private var legacy: LegacyQuery?
    private var longestTimeToLive = TimeToLive.goodbye
    /// Used for all packets, for its memory's sake.
    private var encoder = MessageEncoder(header: .response, limit: 12)

    /// What an OPT record without options takes.
    private static let optionsSize = 11

    /// Begins the first packet.
    mutating func begin(
        _ interface: ActiveInterface, _ family: AddressFamily, _ limits: Limits,
        legacy: LegacyQuery? = nil
    ) {
        self.legacy = legacy
        packets = []
        unsendable = 0
        loneLimit = interface.loneRecordLimit(family, limits)
        limit = interface.messageLimit(family, limits)
        guard let legacy else {
            longestTimeToLive = .seconds(.max)
            return encoder.restart(header: .response, limit: limit)
        }
        let size = min(max(legacy.payloadSize ?? 0, limits.legacyReplySize), limit)
        limit = size - (legacy.payloadSize == nil ? 0 : Self.optionsSize)
        longestTimeToLive = .seconds(Timing.legacyTimeToLive)
        encoder.restart(
            header: MessageHeader(id: legacy.id, flags: MessageHeader.response.flags),
            limit: limit, compressesServiceTargets: false)
        for var question in legacy.questions {
            question.prefersUnicast = false
            _ = encoder.append(question)
        }
    }

    /// Adds a set to the answers, in the packet at hand or in one of its own; what is larger than
    /// a packet leaves in a quick burst.
    mutating func addAnswers(_ set: ArraySlice<RecordHandle>, of own: OwnRecords) {
        if append(set, of: own, to: .answer) { return }
        guard legacy == nil else {
            encoder.header.isTruncated = true
            return
        }
        flush()
        if append(set, of: own, to: .answer) { return }
        for handle in set {
            addAlone(
                own[handle].record, own[handle].record.timeToLive,
                cacheFlush: own[handle].isUnique)
        }
    }

    /// Adds a set to the additional section of the last packet; false if it does not fit.
    mutating func addAdditionals(_ set: ArraySlice<RecordHandle>, of own: OwnRecords) -> Bool {
        !encoder.header.isTruncated && append(set, of: own, to: .additional)
    }

    /// Ends the last packet and gives all of them; nothing may be added any more.
    mutating func finish(_ context: inout Context) -> [[UInt8]] {
        context.statistics.unsendable += unsendable
        if legacy?.payloadSize != nil {
            encoder.limit += Self.optionsSize
            let options = ExtensionOptions(udpPayloadSize: context.limits.legacyPayloadSize)
            _ = encoder.append(
                ResourceRecord(.root, .opt(options), timeToLive: .goodbye), to: .additional)
        }
        if !encoder.isEmpty { packets.append(encoder.finish()) }
        return packets
    }

    /// Adds all of the records or none.
    private mutating func append(
        _ set: ArraySlice<RecordHandle>, of own: OwnRecords, to section: MessageSection
    ) -> Bool {
        let mark = encoder.mark
        for handle in set
        where !encoder.append(
            own[handle].record, timeToLive: min(own[handle].record.timeToLive, longestTimeToLive),
            cacheFlush: legacy == nil && own[handle].isUnique, to: section)
        {
            encoder.rollBack(to: mark)
            return false
        }
        return true
    }

    mutating func addAlone(
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
            packets.append(lone.finish())
        } else {
            unsendable += 1
        }
    }

    private mutating func flush() {
        guard !encoder.isEmpty else { return }
        packets.append(encoder.finish())
        encoder.restart(header: .response, limit: limit)
    }
}
