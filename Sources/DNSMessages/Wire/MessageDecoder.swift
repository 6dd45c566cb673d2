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
        try MessageDecoder.decode(bytes, inspecting: false)
    }

    /// As `decode(_:)` for bytes of one's own.
    ///
    /// - Throws: `MessageDecodingError`.
    public static func decode(_ bytes: [UInt8]) throws(MessageDecodingError) -> DecodedMessage {
        try MessageDecoder.decode(bytes.span, inspecting: false)
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

/// A question or record that was found good: where its parts are in the message's bytes and
/// behind them.
struct DecodedItem {
    let name: NameDecompression.Name
    /// Of an NSEC its data is what is behind the name; with a `RecordLayout`, the expanded data.
    let fields: RecordFields
    /// The name in the data of a type that has one.
    let dataName: NameDecompression.Name
}

/// What an item has behind its name (RFC 1035 §4.1.2, §4.1.3); a question only type and class.
struct RecordFields {
    /// Type, class and time to live.
    private let words: UInt64
    /// Where the data is in the message or behind it.
    private var dataOffset: UInt32
    private(set) var dataLength: UInt16

    static let byteCount = 10

    /// Reads a record's fields that are inside the message.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at offset: Int) {
        (words, dataLength) = bytes.quadWordAndWord(at: offset)
        dataOffset = UInt32(truncatingIfNeeded: offset &+ Self.byteCount)
    }

    /// Reads a question's fields that are inside the message.
    @inline(__always)
    init(_ bytes: Span<UInt8>, ofQuestionAt offset: Int) {
        words = UInt64(bytes.doubleWord(at: offset)) << 32
        dataOffset = UInt32(truncatingIfNeeded: offset &+ 4)
        dataLength = 0
    }

    var type: RecordType { RecordType(rawValue: UInt16(truncatingIfNeeded: words >> 48)) }
    /// With its top bit.
    var classBits: UInt16 { UInt16(truncatingIfNeeded: words >> 32) }
    /// Whether the class is the Internet's and the time to live has 31 bits.
    var isUsual: Bool { words & 0x7FFF_8000_0000 == 0x0001_0000_0000 }
    var timeToLive: UInt32 { UInt32(truncatingIfNeeded: words) }
    /// Says that the data is elsewhere.
    @inline(__always)
    mutating func setData(from start: Int, to end: Int) {
        dataOffset = UInt32(truncatingIfNeeded: start)
        dataLength = UInt16(truncatingIfNeeded: end &- start)
    }

    var dataStart: Int { Int(dataOffset) }
    var dataEnd: Int { Int(dataOffset) &+ Int(dataLength) }
}

/// Reads a message in two passes.
///
/// The first walks the bytes, judges every item, and finds all names; those with pointers are
/// expanded behind a copy of the message. The second makes the values, whose names and strings
/// share one array, which is that copy. So a message costs one allocation for that array and one
/// for each section that is not empty, besides data of rare types.
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
        let name: NameDecompression.Name
        let fields: RecordFields
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

        // Many long names behind few pointers take much more room than the message. 1024 bytes
        // are still lent on the stack.
        var room = max(1024, 2 * bytes.count + 512)
        while true {
            var decoder = MessageDecoder(counts, inspecting: inspecting)
            if let (message, shared) = decoder.decode(bytes, header, room: room) {
                if let offset = decoder.secondOptions {
                    rejectionReason =
                        rejectionReason ?? .secondOptions(header, counts, offset: offset)
                    if let rejectionReason, !inspecting { throw rejectionReason }
                }
                return decoder.result(message, shared, bytes.count, rejectionReason)
            }
            room *= 4
        }
    }

    /// Reads all items; `nil` if the message and its names take more than `room`.
    private mutating func decode(
        _ bytes: Span<UInt8>, _ header: MessageHeader, room: Int
    ) -> (Message, [UInt8])? {
        // The promised counts must not drive an allocation beyond what can be there.
        let capacity = min(counts.total, (bytes.count - 12) / 5)
        return withTemporarySpan(of: DecodedItem.self, capacity: capacity) { items in
            withTemporarySpan(of: UInt8.self, capacity: room) { copy in
                copy.append(bytes)
                guard walk(bytes, &items, into: &copy) else { return nil }
                let shared = copy.span.copy(from: 0, count: copy.count)
                return (message(header, bytes, items.span, shared), shared)
            }
        }
    }

    // MARK: First pass

    /// False: there is no room left behind the message.
    private mutating func walk(
        _ bytes: Span<UInt8>, _ items: inout OutputSpan<DecodedItem>,
        into copy: inout OutputSpan<UInt8>
    ) -> Bool {
        for section in MessageSection.allCases where counts[section] > 0 {
            let before = items.count
            defer { kept[section] = items.count - before }
            for index in 0..<counts[section] {
                let offset = position
                switch readItem(bytes, section, &items, into: &copy) {
                case .none: break
                case .full: return false
                case .skip(let reason):
                    skip(section, index, offset, reason, endsReading: false)
                case .end(let reason):
                    let missing = offset == bytes.count
                    skip(section, index, offset, missing ? .missing : reason, endsReading: true)
                    endedEarly = true
                    return true
                }
            }
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

    /// Reads a question or record, whose bounds come first (D-9, D-10): within them a fault in
    /// the name in front or in the data costs only this item (D-3, D-4, D-7).
    @inline(__always)
    private mutating func readItem(
        _ bytes: Span<UInt8>, _ section: MessageSection, _ items: inout OutputSpan<DecodedItem>,
        into copy: inout OutputSpan<UInt8>
    ) -> Fault {
        let offset = position
        let fieldsLength = section == .question ? 4 : RecordFields.byteCount
        switch names.expand(bytes, at: offset, limit: bytes.count, into: &copy) {
        case .full: return .full
        case .fault(let reason, let next):
            guard let next else { return .end(reason) }
            guard next + fieldsLength <= bytes.count else { return .end(.fieldsCut) }
            guard move(behind: fields(bytes, section, at: next), bytes) else {
                return .end(.dataCut)
            }
            return .skip(reason)
        case .name(let name, let next):
            guard next + fieldsLength <= bytes.count else { return .end(.fieldsCut) }
            // Part by part, so that they are in registers.
            var fields = fields(bytes, section, at: next)
            guard move(behind: fields, bytes) else { return .end(.dataCut) }
            var dataName = NameDecompression.Name(from: 0, to: 0)
            if section != .question {
                let fault = judge(
                    bytes, name, &fields, &dataName, section, at: offset, into: &copy)
                guard case .none = fault else { return fault }
            }
            items.append(DecodedItem(name: name, fields: fields, dataName: dataName))
            return .none
        }
    }

    @inline(__always)
    private func fields(
        _ bytes: Span<UInt8>, _ section: MessageSection, at offset: Int
    ) -> RecordFields {
        section == .question
            ? RecordFields(bytes, ofQuestionAt: offset) : RecordFields(bytes, at: offset)
    }

    /// Moves behind an item; false if the message ends before.
    @inline(__always)
    private mutating func move(behind fields: RecordFields, _ bytes: Span<UInt8>) -> Bool {
        guard fields.dataEnd <= bytes.count else { return false }
        position = fields.dataEnd
        return true
    }

    /// Whether a record whose bounds are known may be kept.
    @inline(always)
    private mutating func judge(
        _ bytes: Span<UInt8>, _ name: NameDecompression.Name, _ fields: inout RecordFields,
        _ dataName: inout NameDecompression.Name, _ section: MessageSection, at offset: Int,
        into copy: inout OutputSpan<UInt8>
    ) -> Fault {
        let fault =
            fields.isUsual
            ? judgeUsual(bytes, name, &fields, &dataName, section, at: offset, into: &copy)
            : judgeOthers(bytes, name, &fields, section, at: offset, into: &copy)
        if case .skip = fault, inspecting { refuse(section, offset, name, fields) }
        return fault
    }

    @inline(never)
    private mutating func refuse(
        _ section: MessageSection, _ offset: Int, _ name: NameDecompression.Name,
        _ fields: RecordFields
    ) {
        refused.append(RefusedItem(section: section, offset: offset, name: name, fields: fields))
    }

    /// Whether a record of the Internet's class may be kept (D-13, D-15).
    @inline(always)
    private mutating func judgeUsual(
        _ bytes: Span<UInt8>, _ owner: NameDecompression.Name, _ fields: inout RecordFields,
        _ dataName: inout NameDecompression.Name, _ section: MessageSection, at offset: Int,
        into copy: inout OutputSpan<UInt8>
    ) -> Fault {
        var start = fields.dataStart
        let end = fields.dataEnd
        switch fields.type {
        case .a: return fields.dataLength == 4 ? .none : .skip(.dataLength)
        case .aaaa: return fields.dataLength == 16 ? .none : .skip(.dataLength)
        case .txt: return stringsFill(bytes, from: start, to: end) ? .none : .skip(.stringCut)
        case .ptr, .cname, .nsec: break
        case .srv:
            guard fields.dataLength >= 7 else { return .skip(.dataLength) }
            start += 6
        default:
            return judgeOthers(bytes, owner, &fields, section, at: offset, into: &copy)
        }
        switch names.expand(bytes, at: start, limit: end, into: &copy) {
        case .full: return .full
        case .fault(let reason, _): return .skip(reason)
        case .name(let name, let next):
            dataName = name
            if fields.type == .nsec {
                guard isTypeBitmap(bytes, from: next, to: end) else { return .skip(.typeBitmap) }
                fields.setData(from: next, to: end)
                return .none
            }
            return next == end ? .none : .skip(.dataLeftOver)
        }
    }
}
