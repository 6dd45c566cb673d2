/// Expands the names of one message into bytes that they share, and remembers where many of them
/// were written, so that a pointer to a name seen before costs no second copy.
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

        @inline(__always)
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
        /// The bytes that stand there, up to a pointer or the zero.
        var literalLength: UInt8 = 0
        /// The whole name's length and its place in the shared bytes.
        var length: UInt8 = 0
        var start: UInt32 = 0
    }

    private static let mostJumps = 128
    private static let tableSize = 32

    /// In rising order of offset, as the names come.
    private var table = InlineArray<32, Entry>(repeating: Entry())
    private var tableCount = 0

    /// Expands the name at `offset`. Its own labels must end before `limit`, which is the end of
    /// the record's data or of the message.
    @inline(__always)
    mutating func expand(
        _ bytes: Span<UInt8>, at offset: Int, limit: Int, into shared: inout OutputSpan<UInt8>
    ) -> Outcome {
        // Most owner names are a pointer to a whole name.
        if offset + 1 < limit {
            let word = bytes.word(at: offset)
            if word >= 0xC000, let name = knownName(bytes, at: Int(word & 0x3FFF)) {
                return .name(name, next: offset + 2)
            }
        }
        return expandLabels(bytes, at: offset, limit: limit, into: &shared)
    }

    /// Copies a name's own labels, and what the pointer behind them leads to (D-3 to D-8).
    @inline(never)
    private mutating func expandLabels(
        _ bytes: Span<UInt8>, at offset: Int, limit: Int, into shared: inout OutputSpan<UInt8>
    ) -> Outcome {
        guard shared.freeCapacity >= 255 else { return .full }
        let cut = limit < bytes.count ? SkippedItem.Reason.nameLeavesData : .nameCut
        let bound = min(limit, offset + 256)
        let end = Self.endOfRun(bytes, from: offset, bound: bound)
        guard end < bound else {
            // RFC 1035 §3.1, RFC 6762 appendix C (MC-1).
            guard end <= limit, end - offset > 255 else { return .fault(cut, next: nil) }
            return .fault(.nameTooLong, next: endOfLabels(bytes, at: end, limit: limit))
        }
        let isPointer = bytes[end] >= 0xC0
        guard isPointer || bytes[end] == 0 else { return .fault(.labelType, next: nil) }
        let next = end + (isPointer ? 2 : 1)
        guard next <= limit else { return .fault(cut, next: nil) }
        let start = shared.count
        shared.append(bytes, from: offset, to: end)
        if isPointer,
            let fault = follow(bytes, pointerAt: end, from: offset, nameAt: start, into: &shared)
        {
            shared.removeLast(shared.count - start)
            return .fault(fault, next: next)
        }
        let name = Name(from: start, to: shared.count)
        remember(name, at: offset, literalLength: end - offset)
        return .name(name, next: next)
    }

    /// Appends the labels that a pointer leads to, which stands behind labels at `offset`. What
    /// was appended before a fault stays.
    private mutating func follow(
        _ bytes: Span<UInt8>, pointerAt pointer: Int, from offset: Int, nameAt start: Int,
        into shared: inout OutputSpan<UInt8>
    ) -> SkippedItem.Reason? {
        var pointer = pointer
        var lowest = offset
        var jumps = 0
        while true {
            let target = Int(bytes.word(at: pointer) & 0x3FFF)
            // Strictly backwards and not into the header.
            guard target < lowest, target >= 12 else { return .pointerNotBackwards }
            let longest = 255 - (shared.count - start)
            if let known = knownName(bytes, at: target) {
                guard Int(known.length) <= longest else { return .nameTooLong }
                shared.repeat(from: Int(known.start), count: Int(known.length))
                return nil
            }
            jumps += 1
            guard jumps <= Self.mostJumps else { return .tooManyPointers }
            let bound = min(bytes.count, target + longest + 1)
            let end = Self.endOfRun(bytes, from: target, bound: bound)
            guard end < bound else {
                return end <= bytes.count && end - target > longest ? .nameTooLong : .nameCut
            }
            shared.append(bytes, from: target, to: end)
            if bytes[end] == 0 { return nil }
            guard bytes[end] >= 0xC0 else { return .labelType }
            guard end + 1 < bytes.count else { return .nameCut }
            lowest = target
            pointer = end
        }
    }

    /// Where labels end that begin at `start`: at a byte that begins none, or at or behind the
    /// bound.
    @inline(__always)
    private static func endOfRun(_ bytes: Span<UInt8>, from start: Int, bound: Int) -> Int {
        var position = start
        while position < bound {
            let byte = bytes[position]
            guard byte &- 1 < 0x3F else { break }
            position &+= 1 &+ Int(byte)
        }
        return position
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

    @inline(__always)
    private mutating func remember(_ name: Name, at offset: Int, literalLength: Int) {
        // No pointer leads beyond 0x3FFF (RFC 1035 §4.1.4).
        guard literalLength > 0, tableCount < Self.tableSize, offset <= 0x3FFF else { return }
        table[tableCount] = Entry(
            offset: UInt16(truncatingIfNeeded: offset),
            literalLength: UInt8(truncatingIfNeeded: literalLength), length: name.length,
            start: name.start)
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
                start: entry.start &+ UInt32(truncatingIfNeeded: distance),
                length: entry.length &- UInt8(truncatingIfNeeded: distance))
        }
        return nil
    }
}
