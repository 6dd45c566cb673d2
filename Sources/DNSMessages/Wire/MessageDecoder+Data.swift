// The parts of the first pass that judge data with a form of its own.
extension MessageDecoder {
    /// OPT: its class and time to live are fields of its own (RFC 6891 §6.1.2, D-16).
    private mutating func judgeOptions(
        _ bytes: Span<UInt8>, _ fields: RecordFields, isRoot: Bool, _ section: MessageSection,
        at offset: Int
    ) -> Fault {
        if hasOptions, secondOptions == nil { secondOptions = offset }
        hasOptions = true
        guard isRoot else { return .skip(.optionsOwner) }
        guard section == .additional else { return .skip(.optionsSection) }
        var at = fields.dataStart
        let end = fields.dataEnd
        while at < end {
            guard at + 4 <= end else { return .skip(.optionsLength) }
            at += 4 + Int(bytes.word(at: at + 2))
        }
        return at == end ? .none : .skip(.optionsLength)
    }

    /// OPT, what must not be kept (D-17 to D-19), HINFO, which is two strings (D-13), and other
    /// types as far as they are known.
    @inline(never)
    mutating func judgeOthers(
        _ bytes: Span<UInt8>, _ owner: NameDecompression.Name, _ fields: inout RecordFields,
        _ section: MessageSection, at offset: Int, into copy: inout OutputSpan<UInt8>
    ) -> Fault {
        if fields.type == .opt {
            return judgeOptions(bytes, fields, isRoot: owner.length == 0, section, at: offset)
        }
        if fields.type.isQueryOnly { return .skip(.queryType) }
        // The top bit is cache-flush (RFC 6762 §10.2); only the Internet's class is read.
        guard fields.classBits & 0x7FFF == 1 else { return .skip(.recordClass) }
        guard fields.timeToLive < 0x8000_0000 else { return .skip(.timeToLive) }
        if let layout = RecordLayout(fields.type) {
            return expandData(bytes, layout, &fields, into: &copy)
        }
        guard fields.type == .hinfo else { return .none }
        let end = fields.dataEnd
        guard let second = stringEnd(bytes, at: fields.dataStart, limit: end),
            let last = stringEnd(bytes, at: second, limit: end)
        else { return .skip(.stringCut) }
        return last == end ? .none : .skip(.dataLeftOver)
    }

    /// Whether the range, which in an NSEC is behind its name, whoever's that is (RFC 6762 §6.1),
    /// is a bitmap of one or more blocks in rising order (RFC 4034 §4.1.2, D-15).
    @inline(never)
    func isTypeBitmap(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var at = start
        var lastBlock = -1
        while at < end {
            guard at + 2 <= end else { return false }
            let block = Int(bytes[at])
            let length = Int(bytes[at + 1])
            guard block > lastBlock, (1...32).contains(length), at + 2 + length <= end else {
                return false
            }
            lastBlock = block
            at += 2 + length
        }
        return lastBlock >= 0
    }

    /// Copies a record's data behind the message with its names expanded.
    mutating func expandData(
        _ bytes: Span<UInt8>, _ layout: RecordLayout, _ fields: inout RecordFields,
        into copy: inout OutputSpan<UInt8>
    ) -> Fault {
        var at = fields.dataStart
        let end = fields.dataEnd
        guard copy.freeCapacity >= Int(fields.dataLength) + 4 * 256 else { return .full }
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
        guard copy.count - start <= UInt16.max else { return .skip(.dataLength) }
        fields.setData(from: start, to: copy.count)
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
