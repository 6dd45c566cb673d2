extension Message {
    /// Reads a message as a responder or querier must: what can't be read is skipped, as little
    /// of it as can be.
    ///
    /// Refused as a whole are messages too short for a header, with an OPCODE or RCODE other
    /// than 0 (RFC 6762 §18.3, §18.11), whose counts can't be true, or with two OPT records.
    /// The bits of the header that multicast DNS ignores on receipt are kept as they are.
    ///
    /// - Throws: `MessageDecodingError`.
    public static func decode(
        _ bytes: Span<UInt8>
    ) throws(MessageDecodingError) -> DecodedMessage {
        let decoded = try MessageDecoder.decode(bytes, inspecting: false)
        if let rejectionReason = decoded.rejectionReason { throw rejectionReason }
        return decoded
    }

    /// As `decode(_:)` for bytes of one's own.
    ///
    /// - Throws: `MessageDecodingError`.
    public static func decode(_ bytes: [UInt8]) throws(MessageDecodingError) -> DecodedMessage {
        try decode(bytes.span)
    }

    /// Reads a message to show it: also one that `decode(_:)` refuses, as far as it goes. Why it
    /// would be refused is in `rejectionReason`.
    ///
    /// - Throws: `MessageDecodingError.tooShort`.
    public static func inspect(
        _ bytes: Span<UInt8>
    ) throws(MessageDecodingError) -> DecodedMessage {
        try MessageDecoder.decode(bytes, inspecting: true)
    }

    /// As `inspect(_:)` for bytes of one's own.
    ///
    /// - Throws: `MessageDecodingError.tooShort`.
    public static func inspect(_ bytes: [UInt8]) throws(MessageDecodingError) -> DecodedMessage {
        try inspect(bytes.span)
    }
}

/// A question or record that was found good: where its parts are in the message's bytes and in
/// the bytes that the names share.
struct DecodedItem: Sendable {
    var offset: UInt32
    var section: MessageSection
    var nameLength: UInt8
    var type: RecordType
    /// With its top bit.
    var classBits: UInt16
    var nameStart: UInt32
    var timeToLive: UInt32 = 0
    var dataOffset: UInt32 = 0
    /// RDLENGTH.
    var dataLength: UInt16 = 0
    /// What was expanded of the data: its name, or all of it where a layout has names.
    var expandedLength: UInt16 = 0
    var expandedStart: UInt32 = 0
    /// Where an NSEC's type bitmap begins.
    var bitmapOffset: UInt32 = 0
    /// Whether all of the data was expanded, by a `RecordLayout`.
    var isExpanded = false
}

/// Reads a message in two passes.
///
/// The first walks the bytes, judges every item, and expands all names into one run of bytes;
/// the second makes the values, whose names share that run. So a message costs one allocation
/// for its names, one for the positions, and one for each section that is not empty, besides
/// the data that is bytes.
struct MessageDecoder: ~Copyable {
    let counts: MessageCounts
    let inspecting: Bool
    var position = 12
    var names = NameDecompression()
    /// How many items of each section were found good.
    var kept = MessageCounts()
    /// Records skipped for their data; kept only to be shown.
    var refused: [DecodedItem] = []
    var skipped: [SkippedItem] = []
    var hasOptions = false
    var secondOptions: Int?
    var endedEarly = false

    private init(_ counts: MessageCounts, inspecting: Bool) {
        self.counts = counts
        self.inspecting = inspecting
    }

    /// Reads the header, which decides whether the message is refused as a whole (D-1, D-2,
    /// D-11, D-16), then the items in two passes.
    static func decode(
        _ bytes: Span<UInt8>, inspecting: Bool
    ) throws(MessageDecodingError) -> DecodedMessage {
        guard bytes.count >= 12 else { throw .tooShort(byteCount: bytes.count) }
        let header = MessageHeader(id: bytes.word(at: 0), flags: bytes.word(at: 2))
        let counts = MessageCounts(
            questions: bytes.word(at: 4), answers: bytes.word(at: 6),
            authorities: bytes.word(at: 8), additionals: bytes.word(at: 10))
        var rejectionReason: MessageDecodingError?
        // RFC 6762 §18.3 (M18-11, D-2).
        if header.operationCode != 0 {
            rejectionReason = .operationCode(header, counts)
        } else if header.responseCode != 0 {
            // RFC 6762 §18.11 (M18-31, D-2).
            rejectionReason = .responseCode(header, counts)
        } else if counts.leastByteCount > bytes.count - 12 {
            rejectionReason = .countsExceedData(header, counts)
        }
        if let rejectionReason, !inspecting { throw rejectionReason }

        // The promised counts must not drive an allocation beyond what can be there.
        let capacity = min(counts.total, (bytes.count - 12) / 5)
        var room = bytes.count * 2 + 256
        while true {
            var decoder = MessageDecoder(counts, inspecting: inspecting)
            var finished = false
            var shared: [UInt8] = []
            var items: [DecodedItem] = []
            items.append(addingCapacity: capacity) { (items: inout OutputSpan<DecodedItem>) in
                shared.append(addingCapacity: room) { (shared: inout OutputSpan<UInt8>) in
                    finished = decoder.walk(bytes, &items, into: &shared)
                }
            }
            // Many long names behind few pointers take more room than the message.
            guard finished else {
                room *= 4
                continue
            }
            if rejectionReason == nil, let offset = decoder.secondOptions {
                rejectionReason = .secondOptions(header, counts, offset: offset)
            }
            return decoder.result(header, bytes, items, shared, rejectionReason)
        }
    }

    // MARK: First pass

    /// False: the shared bytes are used up.
    private mutating func walk(
        _ bytes: Span<UInt8>, _ items: inout OutputSpan<DecodedItem>,
        into shared: inout OutputSpan<UInt8>
    ) -> Bool {
        for section in MessageSection.allCases {
            let count = counts[section]
            let before = items.count
            var index = 0
            while index < count {
                let offset = position
                let fault =
                    section == .question
                    ? readQuestion(bytes, &items, into: &shared)
                    : readRecord(bytes, section, &items, into: &shared)
                switch fault {
                case .none: break
                case .full: return false
                case .skip(let reason):
                    skip(section, index, offset, reason, endsReading: false)
                case .end(let reason):
                    let missing = offset == bytes.count
                    skip(section, index, offset, missing ? .missing : reason, endsReading: true)
                    endedEarly = true
                    kept[section] = items.count - before
                    return true
                }
                index += 1
            }
            kept[section] = items.count - before
        }
        return true
    }

    /// What kept an item from being read.
    enum Fault {
        case none
        /// Its end is known.
        case skip(SkippedItem.Reason)
        /// Its end is not known.
        case end(SkippedItem.Reason)
        case full
    }

    private mutating func skip(
        _ section: MessageSection, _ index: Int, _ offset: Int, _ reason: SkippedItem.Reason,
        endsReading: Bool
    ) {
        skipped.append(
            SkippedItem(
                section: section, index: index, offset: offset, reason: reason,
                endsReading: endsReading))
    }

    /// Reads a question; its name may be at fault as long as its end is known (D-10).
    private mutating func readQuestion(
        _ bytes: Span<UInt8>, _ items: inout OutputSpan<DecodedItem>,
        into shared: inout OutputSpan<UInt8>
    ) -> Fault {
        let offset = position
        let outcome = names.expand(bytes, at: offset, limit: bytes.count, into: &shared)
        switch outcome {
        case .full: return .full
        case .fault(let reason, let next):
            guard let next else { return .end(reason) }
            guard next + 4 <= bytes.count else { return .end(.fieldsCut) }
            position = next + 4
            return .skip(reason)
        case .name(let name, let next):
            guard next + 4 <= bytes.count else { return .end(.fieldsCut) }
            position = next + 4
            items.append(
                DecodedItem(
                    offset: UInt32(truncatingIfNeeded: offset), section: .question,
                    nameLength: name.length,
                    type: RecordType(rawValue: bytes.word(at: next)),
                    classBits: bytes.word(at: next + 2), nameStart: name.start))
            return .none
        }
    }

    /// Reads a record, whose bounds come first (D-9, D-10): within them a fault in the owner's
    /// name or in the data costs only this record (D-3, D-4, D-7).
    private mutating func readRecord(
        _ bytes: Span<UInt8>, _ section: MessageSection, _ items: inout OutputSpan<DecodedItem>,
        into shared: inout OutputSpan<UInt8>
    ) -> Fault {
        let offset = position
        let outcome = names.expand(bytes, at: offset, limit: bytes.count, into: &shared)
        let name: NameDecompression.Name
        let fields: Int
        var nameFault: SkippedItem.Reason?
        switch outcome {
        case .full: return .full
        case .fault(let reason, let next):
            guard let next else { return .end(reason) }
            name = NameDecompression.Name(start: 0, length: 0)
            fields = next
            nameFault = reason
        case .name(let expanded, let next):
            name = expanded
            fields = next
        }
        guard fields + 10 <= bytes.count else { return .end(.fieldsCut) }
        let dataLength = bytes.word(at: fields + 8)
        guard fields + 10 + Int(dataLength) <= bytes.count else { return .end(.dataCut) }
        position = fields + 10 + Int(dataLength)
        if let nameFault { return .skip(nameFault) }
        var item = DecodedItem(
            offset: UInt32(truncatingIfNeeded: offset), section: section, nameLength: name.length,
            type: RecordType(rawValue: bytes.word(at: fields)),
            classBits: bytes.word(at: fields + 2), nameStart: name.start,
            timeToLive: bytes.doubleWord(at: fields + 4),
            dataOffset: UInt32(truncatingIfNeeded: fields + 10), dataLength: dataLength)
        let fault = judge(bytes, &item, into: &shared)
        switch fault {
        case .none: items.append(item)
        case .skip where inspecting: refused.append(item)
        case .skip, .end, .full: break
        }
        return fault
    }

    /// Whether a record whose bounds are known may be kept (D-13, D-15 to D-19).
    @inline(__always)
    private mutating func judge(
        _ bytes: Span<UInt8>, _ item: inout DecodedItem, into shared: inout OutputSpan<UInt8>
    ) -> Fault {
        if item.type == .opt { return judgeOptions(bytes, item) }
        if item.type.isQueryOnly { return .skip(.queryType) }
        // The top bit is cache-flush (RFC 6762 §10.2); only the Internet's class is read.
        guard item.classBits & 0x7FFF == 1 else { return .skip(.recordClass) }
        guard item.timeToLive < 0x8000_0000 else { return .skip(.timeToLive) }
        let start = Int(item.dataOffset)
        let end = start + Int(item.dataLength)
        switch item.type {
        case .a: return item.dataLength == 4 ? .none : .skip(.dataLength)
        case .aaaa: return item.dataLength == 16 ? .none : .skip(.dataLength)
        case .ptr, .cname:
            return expandName(bytes, at: start, &item, into: &shared)
        case .srv:
            guard item.dataLength >= 7 else { return .skip(.dataLength) }
            return expandName(bytes, at: start + 6, &item, into: &shared)
        case .nsec:
            return judgeNextSecure(bytes, &item, into: &shared)
        case .txt: return stringsFill(bytes, from: start, to: end) ? .none : .skip(.stringCut)
        case .hinfo:
            guard let second = stringEnd(bytes, at: start, limit: end),
                let last = stringEnd(bytes, at: second, limit: end)
            else { return .skip(.stringCut) }
            return last == end ? .none : .skip(.dataLeftOver)
        default:
            guard let layout = RecordLayout(item.type) else { return .none }
            return expandData(bytes, layout, &item, into: &shared)
        }
    }

    /// Expands the name with which a record's data ends (D-13).
    @inline(__always)
    private mutating func expandName(
        _ bytes: Span<UInt8>, at offset: Int, _ item: inout DecodedItem,
        into shared: inout OutputSpan<UInt8>
    ) -> Fault {
        let end = Int(item.dataOffset) + Int(item.dataLength)
        switch names.expand(bytes, at: offset, limit: end, into: &shared) {
        case .full: return .full
        case .fault(let reason, _): return .skip(reason)
        case .name(let name, let next):
            guard next == end else { return .skip(.dataLeftOver) }
            item.expandedStart = name.start
            item.expandedLength = UInt16(name.length)
            return .none
        }
    }
}
