// The parts of the first pass that judge data with a form of its own.
extension MessageDecoder {
    /// OPT: its class and time to live are fields of its own (RFC 6891 §6.1.2, D-16).
    @inline(never)
    mutating func judgeOptions(
        _ bytes: Span<UInt8>, _ section: MessageSection, at offset: Int, _ item: DecodedItem
    ) -> Fault {
        if hasOptions, secondOptions == nil { secondOptions = offset }
        hasOptions = true
        guard item.name.length == 0 else { return .skip(.optionsOwner) }
        guard section == .additional else { return .skip(.optionsSection) }
        var at = item.fields.dataStart
        let end = item.fields.dataEnd
        while at < end {
            guard at + 4 <= end else { return .skip(.optionsLength) }
            at += 4 + Int(bytes.word(at: at + 2))
        }
        return at == end ? .none : .skip(.optionsLength)
    }

    /// HINFO, which is two strings (D-13), and other types as far as they are known.
    @inline(never)
    mutating func judgeOthers(
        _ bytes: Span<UInt8>, _ item: inout DecodedItem, into copy: inout OutputSpan<UInt8>
    ) -> Fault {
        if let layout = RecordLayout(item.fields.type) {
            return expandData(bytes, layout, &item, into: &copy)
        }
        guard item.fields.type == .hinfo else { return .none }
        let end = item.fields.dataEnd
        guard let second = stringEnd(bytes, at: item.fields.dataStart, limit: end),
            let last = stringEnd(bytes, at: second, limit: end)
        else { return .skip(.stringCut) }
        return last == end ? .none : .skip(.dataLeftOver)
    }

    /// NSEC, behind its name, whoever's that is (RFC 6762 §6.1): a type bitmap of one or more
    /// blocks in rising order (RFC 4034 §4.1.2, D-15).
    @inline(never)
    func judgeTypes(_ bytes: Span<UInt8>, _ item: inout DecodedItem, at start: Int) -> Fault {
        let end = item.fields.dataEnd
        var at = start
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
        guard lastBlock >= 0 else { return .skip(.typeBitmap) }
        item.fields.dataOffset = UInt32(truncatingIfNeeded: start)
        item.fields.dataLength = UInt16(truncatingIfNeeded: end - start)
        return .none
    }

    /// Copies a record's data behind the message with its names expanded.
    mutating func expandData(
        _ bytes: Span<UInt8>, _ layout: RecordLayout, _ item: inout DecodedItem,
        into copy: inout OutputSpan<UInt8>
    ) -> Fault {
        var at = item.fields.dataStart
        let end = item.fields.dataEnd
        guard copy.freeCapacity >= Int(item.fields.dataLength) + 4 * 256 else { return .full }
        let start = copy.count

        var fixedEnd = at + layout.prefix
        guard fixedEnd <= end else { return .skip(.dataLength) }
        for _ in 0..<layout.strings {
            guard let next = stringEnd(bytes, at: fixedEnd, limit: end) else {
                return .skip(.stringCut)
            }
            fixedEnd = next
        }
        copy.repeat(from: at, count: fixedEnd - at)
        at = fixedEnd

        for _ in 0..<layout.names {
            let before = copy.count
            switch names.expand(bytes, at: at, limit: end, into: &copy) {
            case .full: return .full
            case .fault(let reason, _): return .skip(reason)
            case .name(let name, let next):
                // Only a name that was not known yet is where it is needed here.
                if copy.count == before {
                    copy.repeat(from: Int(name.start), count: Int(name.length))
                }
                copy.append(0)
                at = next
            }
        }
        if let suffix = layout.suffix, end - at != suffix {
            return .skip(end - at < suffix ? .dataLength : .dataLeftOver)
        }
        copy.repeat(from: at, count: end - at)
        guard let length = UInt16(exactly: copy.count - start) else {
            return .skip(.dataLength)
        }
        item.fields.dataOffset = UInt32(truncatingIfNeeded: start)
        item.fields.dataLength = length
        return .none
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
