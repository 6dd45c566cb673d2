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
/// the tail behind them.
struct DecodedItem {
    var nameStart: UInt32
    /// Where the name ends, and type, class and the rest begin.
    var fields: UInt32
    /// What was expanded of the data: its name, or all of it where a layout has names.
    var expandedStart: UInt32 = 0
    /// Where an NSEC's type bitmap begins.
    var bitmapOffset: UInt32 = 0
    var expandedLength: UInt16 = 0
    var nameLength: UInt8
    /// Whether all of the data was expanded, by a `RecordLayout`.
    var isExpanded = false

    @inline(__always)
    init(_ name: NameDecompression.Name, fields: Int) {
        nameStart = name.start
        self.fields = UInt32(truncatingIfNeeded: fields)
        nameLength = name.length
    }
}

/// What a record has between its owner and its data (RFC 1035 §4.1.3).
struct RecordFields {
    let type: RecordType
    /// With its top bit.
    let classBits: UInt16
    let timeToLive: UInt32
    let dataLength: Int
    let dataStart: Int

    static let byteCount = 10

    /// Reads fields that are inside the message.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at offset: Int) {
        let first = bytes.quadWord(at: offset)
        type = RecordType(rawValue: UInt16(truncatingIfNeeded: first >> 48))
        classBits = UInt16(truncatingIfNeeded: first >> 32)
        timeToLive = UInt32(truncatingIfNeeded: first)
        dataLength = Int(bytes.word(at: offset + 8))
        dataStart = offset + Self.byteCount
    }

    var dataEnd: Int { dataStart + dataLength }
}

/// Reads a message in two passes.
///
/// The first walks the bytes, judges every item, and finds all names; those with pointers are
/// expanded to the tail. The second makes the values, whose names and strings share one array:
/// the message's bytes with the tail behind them. So a message costs one allocation for that
/// array and one for each section that is not empty, besides data of rare types.
struct MessageDecoder: ~Copyable {
    let counts: MessageCounts
    let inspecting: Bool
    var position = 12
    var names = NameDecompression()
    /// How many items of each section were found good.
    var kept = MessageCounts()
    /// Records skipped for their data; kept only to be shown.
    var refused: [RefusedItem] = []
    var skipped: [SkippedItem] = []
    var hasOptions = false
    var secondOptions: Int?
    var endedEarly = false

    struct RefusedItem {
        let section: MessageSection
        let offset: Int
        let item: DecodedItem
    }

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

        // Many long names behind few pointers take more room than the message.
        var room = bytes.count + 512
        while true {
            var decoder = MessageDecoder(counts, inspecting: inspecting)
            if let decoded = decoder.decode(bytes, header, rejectionReason, room: room) {
                return decoded
            }
            room *= 4
        }
    }

    /// Reads all items; `nil` if the tail takes more than `room`.
    private mutating func decode(
        _ bytes: Span<UInt8>, _ header: MessageHeader, _ rejectionReason: MessageDecodingError?,
        room: Int
    ) -> DecodedMessage? {
        // The promised counts must not drive an allocation beyond what can be there.
        let capacity = min(counts.total, (bytes.count - 12) / 5)
        return withTemporarySpan(of: DecodedItem.self, capacity: capacity) { items in
            withTemporarySpan(of: UInt8.self, capacity: room) { tail in
                guard walk(bytes, &items, into: &tail) else { return nil }
                return result(header, bytes, items.span, tail.span, rejectionReason)
            }
        }
    }

    // MARK: First pass

    /// False: there is no room left in the tail.
    private mutating func walk(
        _ bytes: Span<UInt8>, _ items: inout OutputSpan<DecodedItem>,
        into tail: inout OutputSpan<UInt8>
    ) -> Bool {
        for section in MessageSection.allCases where counts[section] > 0 {
            let before = items.count
            for index in 0..<counts[section] where !endedEarly {
                let offset = position
                let fault =
                    section == .question
                    ? readQuestion(bytes, &items, into: &tail)
                    : readRecord(bytes, section, &items, into: &tail)
                switch fault {
                case .none: break
                case .full: return false
                case .skip(let reason):
                    skip(section, index, offset, reason, endsReading: false)
                case .end(let reason):
                    let missing = offset == bytes.count
                    skip(section, index, offset, missing ? .missing : reason, endsReading: true)
                    endedEarly = true
                }
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

    @inline(never)
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
        into tail: inout OutputSpan<UInt8>
    ) -> Fault {
        switch names.expand(bytes, at: position, limit: bytes.count, into: &tail) {
        case .full: return .full
        case .fault(let reason, let next):
            guard let next else { return .end(reason) }
            guard next + 4 <= bytes.count else { return .end(.fieldsCut) }
            position = next + 4
            return .skip(reason)
        case .name(let name, let next):
            guard next + 4 <= bytes.count else { return .end(.fieldsCut) }
            position = next + 4
            items.append(DecodedItem(name, fields: next))
            return .none
        }
    }

    /// Reads a record, whose bounds come first (D-9, D-10): within them a fault in the owner's
    /// name or in the data costs only this record (D-3, D-4, D-7).
    @inline(__always)
    private mutating func readRecord(
        _ bytes: Span<UInt8>, _ section: MessageSection, _ items: inout OutputSpan<DecodedItem>,
        into tail: inout OutputSpan<UInt8>
    ) -> Fault {
        let offset = position
        switch names.expand(bytes, at: offset, limit: bytes.count, into: &tail) {
        case .full: return .full
        case .fault(let reason, let next):
            guard let next else { return .end(reason) }
            guard next + RecordFields.byteCount <= bytes.count else { return .end(.fieldsCut) }
            let end = RecordFields(bytes, at: next).dataEnd
            guard end <= bytes.count else { return .end(.dataCut) }
            position = end
            return .skip(reason)
        case .name(let name, let next):
            guard next + RecordFields.byteCount <= bytes.count else { return .end(.fieldsCut) }
            let fields = RecordFields(bytes, at: next)
            guard fields.dataEnd <= bytes.count else { return .end(.dataCut) }
            position = fields.dataEnd
            var item = DecodedItem(name, fields: next)
            let fault =
                fields.type == .opt
                ? judgeOptions(bytes, section, at: offset, item, fields)
                : judge(bytes, &item, fields, into: &tail)
            switch fault {
            case .none: items.append(item)
            case .skip where inspecting:
                refused.append(RefusedItem(section: section, offset: offset, item: item))
            case .skip, .end, .full: break
            }
            return fault
        }
    }

    /// Whether a record whose bounds are known may be kept (D-13, D-15, D-17 to D-19).
    @inline(__always)
    private mutating func judge(
        _ bytes: Span<UInt8>, _ item: inout DecodedItem, _ fields: RecordFields,
        into tail: inout OutputSpan<UInt8>
    ) -> Fault {
        if fields.type.isQueryOnly { return .skip(.queryType) }
        // The top bit is cache-flush (RFC 6762 §10.2); only the Internet's class is read.
        guard fields.classBits & 0x7FFF == 1 else { return .skip(.recordClass) }
        guard fields.timeToLive < 0x8000_0000 else { return .skip(.timeToLive) }
        let start = fields.dataStart
        let end = fields.dataEnd
        switch fields.type {
        case .a: return fields.dataLength == 4 ? .none : .skip(.dataLength)
        case .aaaa: return fields.dataLength == 16 ? .none : .skip(.dataLength)
        case .ptr, .cname:
            return expandName(bytes, at: start, end: end, &item, into: &tail)
        case .srv:
            guard fields.dataLength >= 7 else { return .skip(.dataLength) }
            return expandName(bytes, at: start + 6, end: end, &item, into: &tail)
        case .nsec:
            return judgeNextSecure(bytes, &item, fields, into: &tail)
        case .txt: return stringsFill(bytes, from: start, to: end) ? .none : .skip(.stringCut)
        case .hinfo:
            guard let second = stringEnd(bytes, at: start, limit: end),
                let last = stringEnd(bytes, at: second, limit: end)
            else { return .skip(.stringCut) }
            return last == end ? .none : .skip(.dataLeftOver)
        default:
            guard let layout = RecordLayout(fields.type) else { return .none }
            return expandData(bytes, layout, &item, fields, into: &tail)
        }
    }

    /// Expands the name with which a record's data ends (D-13).
    @inline(__always)
    private mutating func expandName(
        _ bytes: Span<UInt8>, at offset: Int, end: Int, _ item: inout DecodedItem,
        into tail: inout OutputSpan<UInt8>
    ) -> Fault {
        switch names.expand(bytes, at: offset, limit: end, into: &tail) {
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
