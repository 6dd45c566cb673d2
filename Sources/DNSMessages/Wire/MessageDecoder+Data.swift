// The parts of the first pass that judge data with a form of its own.
extension MessageDecoder {
    /// OPT: its class and time to live are fields of its own (RFC 6891 §6.1.2, D-16).
    mutating func judgeOptions(
        _ bytes: Span<UInt8>, _ section: MessageSection, at offset: Int, _ item: DecodedItem,
        _ fields: RecordFields
    ) -> Fault {
        if hasOptions, secondOptions == nil { secondOptions = offset }
        hasOptions = true
        guard item.nameLength == 0 else { return .skip(.optionsOwner) }
        guard section == .additional else { return .skip(.optionsSection) }
        var at = fields.dataStart
        let end = fields.dataEnd
        while at < end {
            guard at + 4 <= end else { return .skip(.optionsLength) }
            at += 4 + Int(bytes.word(at: at + 2))
        }
        return at == end ? .none : .skip(.optionsLength)
    }

    /// NSEC: a name, whoever's it is (RFC 6762 §6.1), and a type bitmap of any number of blocks
    /// in rising order (RFC 4034 §4.1.2, D-15).
    mutating func judgeNextSecure(
        _ bytes: Span<UInt8>, _ item: inout DecodedItem, _ fields: RecordFields,
        into tail: inout OutputSpan<UInt8>
    ) -> Fault {
        let end = fields.dataEnd
        var at: Int
        switch names.expand(bytes, at: fields.dataStart, limit: end, into: &tail) {
        case .full: return .full
        case .fault(let reason, _): return .skip(reason)
        case .name(let name, let next):
            item.expandedStart = name.start
            item.expandedLength = UInt16(name.length)
            item.bitmapOffset = UInt32(next)
            at = next
        }
        guard at < end else { return .skip(.typeBitmap) }
        var lastBlock = -1
        while at < end {
            guard at + 2 <= end else { return .skip(.typeBitmap) }
            let block = Int(bytes[at])
            let length = Int(bytes[at + 1])
            guard block > lastBlock, (1...32).contains(length), at + 2 + length <= end else {
                return .skip(.typeBitmap)
            }
            lastBlock = block
            at += 2 + length
        }
        return .none
    }

    /// Copies a record's data to the tail with its names expanded.
    mutating func expandData(
        _ bytes: Span<UInt8>, _ layout: RecordLayout, _ item: inout DecodedItem,
        _ fields: RecordFields, into tail: inout OutputSpan<UInt8>
    ) -> Fault {
        var at = fields.dataStart
        let end = fields.dataEnd
        guard tail.freeCapacity >= fields.dataLength + 4 * 256 else { return .full }
        let start = tail.count

        var fixedEnd = at + layout.prefix
        guard fixedEnd <= end else { return .skip(.dataLength) }
        for _ in 0..<layout.strings {
            guard let next = stringEnd(bytes, at: fixedEnd, limit: end) else {
                return .skip(.stringCut)
            }
            fixedEnd = next
        }
        tail.append(bytes, from: at, to: fixedEnd)
        at = fixedEnd

        for _ in 0..<layout.names {
            let before = tail.count
            switch names.expand(bytes, at: at, limit: end, into: &tail) {
            case .full: return .full
            case .fault(let reason, _): return .skip(reason)
            case .name(let name, let next):
                // Only a name that was not known yet is where it is needed here.
                if tail.count == before { append(name, of: bytes, to: &tail) }
                tail.append(0)
                at = next
            }
        }
        if let suffix = layout.suffix, end - at != suffix {
            return .skip(end - at < suffix ? .dataLength : .dataLeftOver)
        }
        tail.append(bytes, from: at, to: end)
        guard let length = UInt16(exactly: tail.count - start) else {
            return .skip(.dataLength)
        }
        item.expandedStart = UInt32(bytes.count + start)
        item.expandedLength = length
        item.isExpanded = true
        return .none
    }

    private func append(
        _ name: NameDecompression.Name, of bytes: Span<UInt8>, to tail: inout OutputSpan<UInt8>
    ) {
        let start = Int(name.start)
        let length = Int(name.length)
        if start < bytes.count {
            tail.append(bytes, from: start, to: start + length)
        } else {
            tail.repeat(from: start - bytes.count, count: length)
        }
    }

    /// Where a character string ends; `nil` if that is beyond the limit.
    func stringEnd(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Int? {
        guard offset < limit else { return nil }
        let end = offset + 1 + Int(bytes[offset])
        return end <= limit ? end : nil
    }

    /// Whether strings fill the range (RFC 6763 §6.1); none at all do too.
    func stringsFill(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var at = start
        while at < end { at += 1 + Int(bytes[at]) }
        return at == end
    }
}
