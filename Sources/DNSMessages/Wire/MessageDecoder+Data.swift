// The parts of the first pass that judge data with a form of its own.
extension MessageDecoder {
    /// OPT: its class and time to live are fields of its own (RFC 6891 §6.1.2, D-16).
    mutating func judgeOptions(_ bytes: Span<UInt8>, _ item: DecodedItem) -> Fault {
        if hasOptions, secondOptions == nil { secondOptions = Int(item.offset) }
        hasOptions = true
        guard item.nameLength == 0 else { return .skip(.optionsOwner) }
        guard item.section == .additional else { return .skip(.optionsSection) }
        var at = Int(item.dataOffset)
        let end = at + Int(item.dataLength)
        while at < end {
            guard at + 4 <= end else { return .skip(.optionsLength) }
            at += 4 + Int(bytes.word(at: at + 2))
        }
        return at == end ? .none : .skip(.optionsLength)
    }

    /// NSEC: a name, whoever's it is (RFC 6762 §6.1), and a type bitmap of any number of blocks
    /// in rising order (RFC 4034 §4.1.2, D-15).
    mutating func judgeNextSecure(
        _ bytes: Span<UInt8>, _ item: inout DecodedItem, into shared: inout OutputSpan<UInt8>
    ) -> Fault {
        let start = Int(item.dataOffset)
        let end = start + Int(item.dataLength)
        var at: Int
        switch names.expand(bytes, at: start, limit: end, into: &shared) {
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

    /// Copies a record's data with its names expanded.
    mutating func expandData(
        _ bytes: Span<UInt8>, _ layout: RecordLayout, _ item: inout DecodedItem,
        into shared: inout OutputSpan<UInt8>
    ) -> Fault {
        var at = Int(item.dataOffset)
        let end = at + Int(item.dataLength)
        guard shared.freeCapacity >= Int(item.dataLength) + 3 * 256 else { return .full }
        let start = shared.count

        var fieldsEnd = at + layout.prefix
        guard fieldsEnd <= end else { return .skip(.dataLength) }
        for _ in 0..<layout.strings {
            guard let next = stringEnd(bytes, at: fieldsEnd, limit: end) else {
                return .skip(.stringCut)
            }
            fieldsEnd = next
        }
        shared.append(bytes, from: at, to: fieldsEnd)
        at = fieldsEnd

        for _ in 0..<layout.names {
            let before = shared.count
            switch names.expand(bytes, at: at, limit: end, into: &shared) {
            case .full: return .full
            case .fault(let reason, _): return .skip(reason)
            case .name(let name, let next):
                // A name known before is not written again, but here it is needed in place.
                if shared.count == before {
                    shared.repeat(from: Int(name.start), count: Int(name.length))
                }
                shared.append(0)
                at = next
            }
        }
        if let suffix = layout.suffix, end - at != suffix {
            return .skip(end - at < suffix ? .dataLength : .dataLeftOver)
        }
        shared.append(bytes, from: at, to: end)
        guard let length = UInt16(exactly: shared.count - start) else {
            return .skip(.dataLength)
        }
        item.expandedStart = UInt32(start)
        item.expandedLength = length
        item.isExpanded = true
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

extension Span<UInt8> {
    /// Two bytes, the first on top.
    @inline(__always)
    func word(at offset: Int) -> UInt16 {
        UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    /// Four bytes, the first on top.
    @inline(__always)
    func doubleWord(at offset: Int) -> UInt32 {
        UInt32(word(at: offset)) << 16 | UInt32(word(at: offset + 2))
    }

    /// Eight bytes, the first on top.
    @inline(__always)
    func quadWord(at offset: Int) -> UInt64 {
        UInt64(doubleWord(at: offset)) << 32 | UInt64(doubleWord(at: offset + 4))
    }
}
