import NetworkPrimitives

// The second pass: values from items that were found good.
extension MessageDecoder {
    mutating func result(
        _ header: MessageHeader, _ bytes: Span<UInt8>, _ items: Span<DecodedItem>,
        _ tail: Span<UInt8>, _ rejectionReason: MessageDecodingError?
    ) -> DecodedMessage {
        let shared = [UInt8](filling: bytes.count + tail.count) { shared in
            shared.append(bytes, from: 0, to: bytes.count)
            shared.append(tail, from: 0, to: tail.count)
        }
        var message = Message(header: header)
        var start = kept[.question]
        if start > 0 {
            message.questions = [Question](filling: start) { questions in
                for index in 0..<start {
                    questions.append(Self.question(items[index], bytes, shared))
                }
            }
        }
        message.answers = records(.answer, &start, bytes, items, shared)
        message.authorities = records(.authority, &start, bytes, items, shared)
        message.additionals = records(.additional, &start, bytes, items, shared)
        return DecodedMessage(
            message: message, counts: counts,
            refused: refused.isEmpty ? [] : refused.map { refusedRecord($0, bytes, shared) },
            skipped: skipped, trailingByteCount: endedEarly ? 0 : bytes.count - position,
            rejectionReason: rejectionReason
                ?? secondOptions.map { .secondOptions(header, counts, offset: $0) },
            bytes: shared)
    }

    private func refusedRecord(
        _ refused: RefusedItem, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> DecodedMessage.RefusedRecord {
        let fields = RecordFields(bytes, at: Int(refused.item.fields))
        let data = bytes.copy(from: fields.dataStart, count: fields.dataLength)
        return DecodedMessage.RefusedRecord(
            section: refused.section, offset: refused.offset,
            name: Self.owner(refused.item, shared),
            type: fields.type, classBits: fields.classBits, timeToLive: fields.timeToLive,
            data: data)
    }

    @inline(__always)
    private static func owner(_ item: DecodedItem, _ shared: [UInt8]) -> DomainName {
        DomainName(storage: shared, start: item.nameStart, length: item.nameLength)
    }

    @inline(__always)
    private static func question(
        _ item: DecodedItem, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> Question {
        let fields = bytes.doubleWord(at: Int(item.fields))
        let classBits = UInt16(truncatingIfNeeded: fields)
        // The top bit of a question's class asks for a unicast answer (RFC 6762 §5.4).
        return Question(
            owner(item, shared), RecordType(rawValue: UInt16(truncatingIfNeeded: fields >> 16)),
            recordClass: RecordClass(rawValue: classBits),
            prefersUnicast: classBits & 0x8000 != 0)
    }

    private func records(
        _ section: MessageSection, _ start: inout Int, _ bytes: Span<UInt8>,
        _ items: Span<DecodedItem>, _ shared: [UInt8]
    ) -> [ResourceRecord] {
        let range = start..<start + kept[section]
        start = range.upperBound
        if range.isEmpty { return [] }
        return [ResourceRecord](filling: range.count) { records in
            for index in range { records.append(Self.record(items[index], bytes, shared)) }
        }
    }

    @inline(__always)
    private static func record(
        _ item: DecodedItem, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> ResourceRecord {
        let fields = RecordFields(bytes, at: Int(item.fields))
        if fields.type == .opt { return ResourceRecord(options(fields, bytes)) }
        return ResourceRecord(
            owner(item, shared), data(item, fields, bytes, shared),
            timeToLive: TimeToLive(rawValue: fields.timeToLive),
            recordClass: RecordClass(rawValue: fields.classBits),
            cacheFlush: fields.classBits & 0x8000 != 0)
    }

    @inline(__always)
    private static func data(
        _ item: DecodedItem, _ fields: RecordFields, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> RecordData {
        let at = fields.dataStart
        let count = fields.dataLength
        switch fields.type {
        case .a: return .a(IPv4Address(rawValue: bytes.doubleWord(at: at)))
        case .aaaa:
            return .aaaa(
                IPv6Address(high: bytes.quadWord(at: at), low: bytes.quadWord(at: at + 8)))
        case .ptr: return .ptr(expandedName(item, shared))
        case .cname: return .cname(expandedName(item, shared))
        case .srv:
            return .srv(
                ServiceLocation(
                    target: expandedName(item, shared), port: bytes.word(at: at + 4),
                    priority: bytes.word(at: at), weight: bytes.word(at: at + 2)))
        case .txt:
            // No bytes at all mean the same as one empty string (RFC 6763 §6.1).
            if count == 0 { return .txt(.empty) }
            return .txt(TextStrings(storage: shared, start: at, count: count))
        case .nsec:
            let bitmap = Int(item.bitmapOffset)
            return .nsec(
                NextSecure(
                    nextName: expandedName(item, shared),
                    uncheckedBitmap: bytes.copy(from: bitmap, count: fields.dataEnd - bitmap)))
        case .hinfo: return hostInformation(bytes, at: at)
        default:
            if item.isExpanded {
                let start = Int(item.expandedStart)
                return .unknown(
                    fields.type, Array(shared[start..<start + Int(item.expandedLength)]))
            }
            return .unknown(fields.type, bytes.copy(from: at, count: count))
        }
    }

    @inline(__always)
    private static func expandedName(_ item: DecodedItem, _ shared: [UInt8]) -> DomainName {
        DomainName(
            storage: shared, start: item.expandedStart,
            length: UInt8(truncatingIfNeeded: item.expandedLength))
    }

    private static func hostInformation(_ bytes: Span<UInt8>, at offset: Int) -> RecordData {
        let first = Int(bytes[offset])
        let second = Int(bytes[offset + 1 + first])
        return .hinfo(
            HostInformation(
                uncheckedProcessor: bytes.copy(from: offset + 1, count: first),
                operatingSystem: bytes.copy(from: offset + 2 + first, count: second)))
    }

    private static func options(
        _ fields: RecordFields, _ bytes: Span<UInt8>
    ) -> ExtensionOptions {
        var options: [ExtensionOptions.Option] = []
        var at = fields.dataStart
        while at < fields.dataEnd {
            let count = Int(bytes.word(at: at + 2))
            options.append(
                .init(code: bytes.word(at: at), bytes: bytes.copy(from: at + 4, count: count)))
            at += 4 + count
        }
        return ExtensionOptions(
            udpPayloadSize: fields.classBits,
            extendedResponseCode: UInt8(truncatingIfNeeded: fields.timeToLive >> 24),
            version: UInt8(truncatingIfNeeded: fields.timeToLive >> 16),
            flags: UInt16(truncatingIfNeeded: fields.timeToLive), options: options)
    }
}

extension ResourceRecord {
    /// The pseudo-record of the extensions: its owner is the root, and class and time to live
    /// are fields of `options` (RFC 6891 §6.1.2).
    public init(_ options: ExtensionOptions) {
        self.init(.root, .opt(options), timeToLive: .goodbye)
    }
}
