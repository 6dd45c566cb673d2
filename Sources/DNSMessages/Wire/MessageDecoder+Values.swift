import NetworkPrimitives

// The second pass: values from items that were found good.
extension MessageDecoder {
    @inline(__always)
    mutating func message(
        _ header: MessageHeader, _ bytes: Span<UInt8>, _ items: Span<DecodedItem>,
        _ shared: [UInt8]
    ) -> Message {
        var start = 0
        return Message(
            header: header, questions: questions(&start, items, shared),
            answers: records(.answer, &start, bytes, items, shared),
            authorities: records(.authority, &start, bytes, items, shared),
            additionals: records(.additional, &start, bytes, items, shared))
    }

    @inline(never)
    mutating func result(
        _ message: consuming Message, _ shared: consuming [UInt8], _ byteCount: Int,
        _ rejectionReason: MessageDecodingError?
    ) -> DecodedMessage {
        let refused = inspecting ? refused.map { Self.record($0, shared) } : []
        var skipped: [SkippedItem] = []
        swap(&skipped, &self.skipped)
        return DecodedMessage(
            message: message, counts: counts, refused: refused, skipped: skipped,
            trailingByteCount: endedEarly ? 0 : byteCount - position,
            rejectionReason: rejectionReason, bytes: shared)
    }

    private static func record(
        _ refused: RefusedItem, _ shared: [UInt8]
    ) -> DecodedMessage.RefusedRecord {
        let fields = refused.fields
        return DecodedMessage.RefusedRecord(
            section: refused.section, offset: refused.offset,
            name: name(refused.name, shared),
            type: fields.type, classBits: fields.classBits, timeToLive: fields.timeToLive,
            data: data(fields, shared))
    }

    @inline(__always)
    private static func name(
        _ name: NameDecompression.Name, _ shared: [UInt8]
    ) -> DomainName {
        DomainName(storage: shared, start: name.start, length: name.length)
    }

    private static func data(_ fields: RecordFields, _ shared: [UInt8]) -> [UInt8] {
        shared.span.copy(from: fields.dataStart, count: Int(fields.dataLength))
    }

    @inline(__always)
    private static func question(_ item: DecodedItem, _ shared: [UInt8]) -> Question {
        let classBits = item.fields.classBits
        // The top bit of a question's class asks for a unicast answer (RFC 6762 §5.4).
        return Question(
            name(item.name, shared), item.fields.type,
            recordClass: RecordClass(rawValue: classBits), prefersUnicast: classBits & 0x8000 != 0)
    }

    private mutating func questions(
        _ start: inout Int, _ items: Span<DecodedItem>, _ shared: [UInt8]
    ) -> [Question] {
        let count = kept[.question]
        start = count
        if count == 0 { return [] }
        return [Question](filling: count) { questions in
            for index in 0..<count { questions.append(Self.question(items[index], shared)) }
        }
    }

    private mutating func records(
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
        let fields = item.fields
        if fields.type == .opt { return ResourceRecord(options(fields, bytes)) }
        return ResourceRecord(
            name(item.name, shared), data(item, bytes, shared),
            timeToLive: TimeToLive(rawValue: fields.timeToLive),
            recordClass: RecordClass(rawValue: fields.classBits),
            cacheFlush: fields.classBits & 0x8000 != 0)
    }

    @inline(__always)
    private static func data(
        _ item: DecodedItem, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> RecordData {
        let fields = item.fields
        let at = fields.dataStart
        switch fields.type {
        case .a: return .a(IPv4Address(rawValue: bytes.doubleWord(at: at)))
        case .aaaa:
            return .aaaa(
                IPv6Address(high: bytes.quadWord(at: at), low: bytes.quadWord(at: at + 8)))
        case .ptr: return .ptr(name(item.dataName, shared))
        case .cname: return .cname(name(item.dataName, shared))
        case .srv:
            return .srv(
                ServiceLocation(
                    target: name(item.dataName, shared), port: bytes.word(at: at + 4),
                    priority: UInt16(truncatingIfNeeded: bytes.doubleWord(at: at) >> 16),
                    weight: UInt16(truncatingIfNeeded: bytes.doubleWord(at: at))))
        case .txt:
            // No bytes at all mean the same as one empty string (RFC 6763 §6.1).
            if fields.dataLength == 0 { return .txt(.empty) }
            return .txt(
                TextStrings(storage: shared, start: at, count: Int(fields.dataLength)))
        case .nsec:
            return .nsec(
                NextSecure(
                    nextName: name(item.dataName, shared), uncheckedBitmap: data(fields, shared)))
        case .hinfo: return hostInformation(bytes, at: at)
        default: return .unknown(fields.type, data(fields, shared))
        }
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
