import NetworkPrimitives

// The second pass: values from items that were found good.
extension MessageDecoder {
    consuming func result(
        _ header: MessageHeader, _ bytes: Span<UInt8>, _ items: [DecodedItem], _ shared: [UInt8],
        _ rejectionReason: MessageDecodingError?
    ) -> DecodedMessage {
        var message = Message(header: header)
        if kept.questions > 0 {
            let count = kept[.question]
            message.questions.append(addingCapacity: count) {
                (questions: inout OutputSpan<Question>) in
                for index in 0..<count { questions.append(Self.question(items[index], shared)) }
            }
        }
        var start = kept[.question]
        message.answers = records(.answer, &start, bytes, items, shared)
        message.authorities = records(.authority, &start, bytes, items, shared)
        message.additionals = records(.additional, &start, bytes, items, shared)
        return DecodedMessage(
            message: message, counts: counts, positions: .init(items: items),
            refused: refused.isEmpty ? [] : refused.map { refusedRecord($0, bytes, shared) },
            skipped: skipped, trailingByteCount: endedEarly ? 0 : bytes.count - position,
            rejectionReason: rejectionReason)
    }

    private func refusedRecord(
        _ item: DecodedItem, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> DecodedMessage.RefusedRecord {
        let data = bytes.copy(from: Int(item.dataOffset), count: Int(item.dataLength))
        return DecodedMessage.RefusedRecord(
            section: item.section, offset: Int(item.offset),
            name: DomainName(storage: shared, start: item.nameStart, length: item.nameLength),
            type: item.type, classBits: item.classBits, timeToLive: item.timeToLive, data: data)
    }

    private static func question(_ item: DecodedItem, _ shared: [UInt8]) -> Question {
        // The top bit of a question's class asks for a unicast answer (RFC 6762 §5.4).
        Question(
            DomainName(storage: shared, start: item.nameStart, length: item.nameLength), item.type,
            recordClass: RecordClass(rawValue: item.classBits),
            prefersUnicast: item.classBits & 0x8000 != 0)
    }

    private func records(
        _ section: MessageSection, _ start: inout Int, _ bytes: Span<UInt8>,
        _ items: [DecodedItem], _ shared: [UInt8]
    ) -> [ResourceRecord] {
        let range = start..<start + kept[section]
        start = range.upperBound
        if range.isEmpty { return [] }
        var records: [ResourceRecord] = []
        records.append(addingCapacity: range.count) {
            (records: inout OutputSpan<ResourceRecord>) in
            for index in range { records.append(record(items[index], bytes, shared)) }
        }
        return records
    }

    private func record(
        _ item: DecodedItem, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> ResourceRecord {
        if item.type == .opt { return ResourceRecord(options(item, bytes)) }
        return ResourceRecord(
            DomainName(storage: shared, start: item.nameStart, length: item.nameLength),
            data(item, bytes, shared), timeToLive: TimeToLive(rawValue: item.timeToLive),
            recordClass: RecordClass(rawValue: item.classBits),
            cacheFlush: item.classBits & 0x8000 != 0)
    }

    @inline(__always)
    private func data(
        _ item: DecodedItem, _ bytes: Span<UInt8>, _ shared: [UInt8]
    ) -> RecordData {
        let at = Int(item.dataOffset)
        let count = Int(item.dataLength)
        switch item.type {
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
            if count <= 1 { return .txt(.empty) }
            return .txt(TextStrings(unchecked: bytes.copy(from: at, count: count)))
        case .nsec:
            let bitmap = Int(item.bitmapOffset)
            return .nsec(
                NextSecure(
                    nextName: expandedName(item, shared),
                    uncheckedBitmap: bytes.copy(from: bitmap, count: at + count - bitmap)))
        case .hinfo: return hostInformation(bytes, at: at)
        default:
            if item.isExpanded {
                let start = Int(item.expandedStart)
                return .unknown(
                    item.type, Array(shared[start..<start + Int(item.expandedLength)]))
            }
            return .unknown(item.type, bytes.copy(from: at, count: count))
        }
    }

    private func expandedName(_ item: DecodedItem, _ shared: [UInt8]) -> DomainName {
        DomainName(
            storage: shared, start: item.expandedStart,
            length: UInt8(truncatingIfNeeded: item.expandedLength))
    }

    private func hostInformation(_ bytes: Span<UInt8>, at offset: Int) -> RecordData {
        let first = Int(bytes[offset])
        let second = Int(bytes[offset + 1 + first])
        return .hinfo(
            HostInformation(
                uncheckedProcessor: bytes.copy(from: offset + 1, count: first),
                operatingSystem: bytes.copy(from: offset + 2 + first, count: second)))
    }

    private func options(_ item: DecodedItem, _ bytes: Span<UInt8>) -> ExtensionOptions {
        var options: [ExtensionOptions.Option] = []
        var at = Int(item.dataOffset)
        let end = at + Int(item.dataLength)
        while at < end {
            let count = Int(bytes.word(at: at + 2))
            options.append(
                .init(code: bytes.word(at: at), bytes: bytes.copy(from: at + 4, count: count)))
            at += 4 + count
        }
        return ExtensionOptions(
            udpPayloadSize: item.classBits,
            extendedResponseCode: UInt8(truncatingIfNeeded: item.timeToLive >> 24),
            version: UInt8(truncatingIfNeeded: item.timeToLive >> 16),
            flags: UInt16(truncatingIfNeeded: item.timeToLive), options: options)
    }
}

extension ResourceRecord {
    /// The pseudo-record of the extensions: its owner is the root, and class and time to live
    /// are fields of `options` (RFC 6891 §6.1.2).
    public init(_ options: ExtensionOptions) {
        self.init(.root, .opt(options), timeToLive: .goodbye)
    }
}
