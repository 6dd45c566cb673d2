/// Expands the names of one message into bytes that they share, and remembers where each was
/// written, so that a pointer to a name seen before costs no second copy.
///
/// Pointers must go strictly backwards, to before the start of the labels they end, and not into
/// the header; so every chain ends (RFC 1035 §4.1.4). What one name can cost is bounded by 255
/// bytes and 128 jumps.
struct NameDecompression: ~Copyable {
    /// A name in the shared bytes.
    struct Name {
        var start: UInt32
        var length: UInt8

        init(start: UInt32, length: UInt8) {
            self.start = start
            self.length = length
        }

        init(from start: Int, to end: Int) {
            self.start = UInt32(truncatingIfNeeded: start)
            length = UInt8(truncatingIfNeeded: end - start)
        }
    }

    enum Outcome {
        /// The name, and the offset behind it.
        case name(Name, next: Int)
        /// No name, and the offset behind it if that can be known.
        case fault(SkippedItem.Reason, next: Int?)
        /// The shared bytes are used up.
        case full
    }

    /// A place in the message where labels stand that have been expanded.
    private struct Entry {
        var offset: UInt16 = 0
        var start: UInt16 = 0
        /// The bytes that stand there, up to a pointer or the zero.
        var literalLength: UInt8 = 0
        var length: UInt8 = 0
    }

    private static let mostJumps = 128
    private static let tableSize = 32

    /// In rising order of offset, as the names come.
    private var table = InlineArray<32, Entry>(repeating: Entry())
    private var tableCount = 0

    /// Expands the name at `offset`. Its own labels must end before `limit`, which is the end of
    /// the record's data or of the message.
    mutating func expand(
        _ bytes: Span<UInt8>, at offset: Int, limit: Int, into shared: inout OutputSpan<UInt8>
    ) -> Outcome {
        // Most owner names are a pointer to a whole name.
        if offset + 1 < limit, bytes[offset] >= 0xC0,
            let name = knownName(bytes, at: Int(bytes[offset] & 0x3F) << 8 | Int(bytes[offset + 1]))
        {
            return .name(name, next: offset + 2)
        }
        guard shared.freeCapacity >= 255 else { return .full }
        let start = shared.count
        var literalLength = 0
        let outcome = walk(bytes, at: offset, limit: limit, &literalLength, into: &shared)
        switch outcome {
        case .name(let name, _): remember(name, at: offset, literalLength: literalLength)
        case .fault, .full: shared.removeLast(shared.count - start)
        }
        return outcome
    }

    /// Follows labels and pointers (D-3 to D-7); leaves what it wrote behind on a fault.
    /// `literalLength` becomes the number of label bytes before the first pointer.
    private mutating func walk(
        _ bytes: Span<UInt8>, at offset: Int, limit: Int, _ literalLength: inout Int,
        into shared: inout OutputSpan<UInt8>
    ) -> Outcome {
        let start = shared.count
        // Labels are copied by the run, up to a pointer or the zero.
        var run = offset
        var position = offset
        var end = limit
        var next: Int?
        var lowest = offset
        var jumps = 0
        while position < end {
            let byte = bytes[position]
            if byte == 0 {
                shared.append(bytes, from: run, to: position)
                if next == nil { literalLength = shared.count - start }
                return .name(Name(from: start, to: shared.count), next: next ?? position + 1)
            } else if byte < 0x40 {
                let labelEnd = position + 1 + Int(byte)
                guard labelEnd <= end else { break }
                // RFC 1035 §3.1, RFC 6762 appendix C (MC-1).
                guard shared.count - start + labelEnd - run <= 255 else {
                    let next = next ?? endOfLabels(bytes, at: labelEnd, limit: limit)
                    return .fault(.nameTooLong, next: next)
                }
                position = labelEnd
            } else if byte >= 0xC0 {
                guard position + 1 < end else { break }
                let target = Int(byte & 0x3F) << 8 | Int(bytes[position + 1])
                shared.append(bytes, from: run, to: position)
                if next == nil {
                    next = position + 2
                    literalLength = shared.count - start
                }
                // Strictly backwards and not into the header.
                guard target < lowest, target >= 12 else {
                    return .fault(.pointerNotBackwards, next: next)
                }
                if let known = knownName(bytes, at: target) {
                    guard shared.count - start + Int(known.length) <= 255 else {
                        return .fault(.nameTooLong, next: next)
                    }
                    shared.repeat(from: Int(known.start), count: Int(known.length))
                    return .name(Name(from: start, to: shared.count), next: next ?? position)
                }
                jumps += 1
                guard jumps <= Self.mostJumps else { return .fault(.tooManyPointers, next: next) }
                lowest = target
                run = target
                position = target
                end = bytes.count
            } else {
                return .fault(.labelType, next: next)
            }
        }
        // In a record's data the limit is RDLENGTH, unless a pointer led elsewhere.
        let inData = limit < bytes.count && next == nil
        return .fault(inData ? .nameLeavesData : .nameCut, next: next)
    }

    /// Where labels end that are too long for a name; `nil` where that can't be known.
    private func endOfLabels(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Int? {
        var position = offset
        while position < limit {
            let byte = bytes[position]
            if byte == 0 { return position + 1 }
            if byte >= 0xC0 { return position + 2 <= limit ? position + 2 : nil }
            guard byte < 0x40 else { return nil }
            position += 1 + Int(byte)
        }
        return nil
    }

    private mutating func remember(_ name: Name, at offset: Int, literalLength: Int) {
        // No pointer leads beyond 0x3FFF (RFC 1035 §4.1.4).
        guard literalLength > 0, tableCount < Self.tableSize, offset <= 0x3FFF,
            let start = UInt16(exactly: name.start)
        else { return }
        table[tableCount] = Entry(
            offset: UInt16(offset), start: start, literalLength: UInt8(literalLength),
            length: name.length)
        tableCount += 1
    }

    /// The name at a pointer's target, if it has been expanded as a whole or as a part of one.
    private mutating func knownName(_ bytes: Span<UInt8>, at target: Int) -> Name? {
        // Through a span: subscripting the array itself copies it as a whole.
        let entries = table.span
        var index = tableCount
        while index > 0 {
            index -= 1
            let entry = entries[index]
            let distance = target - Int(entry.offset)
            if distance < 0 { continue }
            guard distance < Int(entry.literalLength) else { return nil }
            // A pointer into the middle of a label has to be read as what it says.
            var boundary = Int(entry.offset)
            while boundary < target { boundary += 1 + Int(bytes[boundary]) }
            guard boundary == target else { return nil }
            return Name(
                start: UInt32(entry.start) + UInt32(distance),
                length: entry.length - UInt8(distance))
        }
        return nil
    }
}
