/// Finds the names of one message, and expands those with pointers behind their labels.
///
/// A name without pointers already stands in the message as `DomainName` keeps it. For a name
/// with pointers its labels are copied behind the message, to the end of a copy of it.
/// Where a name is that begins at some byte of the message is remembered for the pointers to that
/// byte: they cost neither a second walk nor a second copy.
///
/// Pointers must go strictly backwards, to before the start of the labels they end, and not into
/// the header; so every chain ends (RFC 1035 §4.1.4). What one name can cost is bounded by 255
/// bytes and 128 jumps.
struct NameDecompression: ~Copyable {
    /// A name in the message's bytes or behind them.
    struct Name {
        var start: UInt32
        var length: UInt8

        @inline(__always)
        init(from start: Int, to end: Int) {
            self.start = UInt32(truncatingIfNeeded: start)
            length = UInt8(truncatingIfNeeded: end &- start)
        }
    }

    enum Outcome {
        /// The name, and the offset behind it.
        case name(Name, next: Int)
        /// No name, and the offset behind it if that can be known.
        case fault(SkippedItem.Reason, next: Int?)
        /// There is no room left behind the message.
        case full
    }

    /// Where the name is whose labels begin at an offset of the message.
    private struct Entry {
        /// The offset plus one; 0 for none.
        var place: UInt16 = 0
        var length: UInt8 = 0
        /// How many pointers it has.
        var jumps: UInt8 = 0
        var start: UInt32 = 0

        @inline(__always)
        var name: Name { Name(from: Int(start), to: Int(start) &+ Int(length)) }
    }

    private static let mostJumps = 128

    /// At the remainder of its offset each; a later one displaces an earlier one.
    private var table = InlineArray<64, Entry>(repeating: Entry())

    /// Expands the name at `offset`. Its own labels must end before `limit`, which is the end of
    /// the record's data or of the message.
    @inline(__always)
    mutating func expand(
        _ bytes: Span<UInt8>, at offset: Int, limit: Int, into copy: inout OutputSpan<UInt8>
    ) -> Outcome {
        let bound = min(limit, offset &+ 256)
        // Most names are a pointer to a name that was read before, all of which are further back.
        if offset &+ 2 <= limit, bytes[offset] >= 0xC0 {
            if let entry = entry(at: bytes.word(at: offset) & 0x3FFF) {
                return .name(entry.name, next: offset &+ 2)
            }
        }
        let end = Self.endOfRun(bytes, from: offset, bound: bound)
        if end < bound, bytes[end] == 0 {
            let name = Name(from: offset, to: end)
            remember(name, at: offset, jumps: 0)
            return .name(name, next: end &+ 1)
        }
        return expandLabels(bytes, at: offset, labelsEnd: end, limit: limit, into: &copy)
    }

    /// Copies a name's own labels, and what the pointer behind them leads to (D-3 to D-8).
    @inline(never)
    private mutating func expandLabels(
        _ bytes: Span<UInt8>, at offset: Int, labelsEnd end: Int, limit: Int,
        into copy: inout OutputSpan<UInt8>
    ) -> Outcome {
        let cut = limit < bytes.count ? SkippedItem.Reason.nameLeavesData : .nameCut
        guard end < min(limit, offset &+ 256) else {
            // RFC 1035 §3.1, RFC 6762 appendix C (MC-1).
            guard end <= limit, end - offset > 255 else { return .fault(cut, next: nil) }
            return .fault(.nameTooLong, next: Self.endOfName(bytes, at: end, limit: limit))
        }
        guard bytes[end] >= 0xC0 else { return .fault(.labelType, next: nil) }
        let next = end &+ 2
        guard next <= limit else { return .fault(cut, next: nil) }
        if end == offset, let name = pointedName(bytes, pointerAt: end) {
            return .name(name, next: next)
        }
        guard copy.freeCapacity >= 255 else { return .full }
        let start = copy.count
        copy.repeat(from: offset, count: end &- offset)
        var jumps = 0
        if let fault = follow(
            bytes, pointerAt: end, from: offset, nameAt: start, &jumps, into: &copy)
        {
            copy.removeLast(copy.count - start)
            return .fault(fault, next: next)
        }
        let name = Name(from: start, to: copy.count)
        if end > offset {
            remember(name, at: offset, jumps: jumps)
        } else {
            // Only a pointer, which leads to labels or to another.
            let target = Int(bytes.word(at: end) & 0x3FFF)
            if bytes[target] < 0xC0 { remember(name, at: target, jumps: jumps - 1) }
        }
        return .name(name, next: next)
    }

    /// The name that a pointer leads to, if it stands there as a whole.
    @inline(__always)
    private mutating func pointedName(_ bytes: Span<UInt8>, pointerAt pointer: Int) -> Name? {
        let target = Int(bytes.word(at: pointer) & 0x3FFF)
        guard target < pointer, target >= 12 else { return nil }
        let bound = min(bytes.count, target &+ 256)
        let end = Self.endOfRun(bytes, from: target, bound: bound)
        guard end < bound, bytes[end] == 0 else { return nil }
        let name = Name(from: target, to: end)
        remember(name, at: target, jumps: 0)
        return name
    }

    /// Appends the labels that a pointer leads to, which stands behind labels at `offset`, and
    /// counts the pointers. What was appended before a fault stays.
    @inline(__always)
    private mutating func follow(
        _ bytes: Span<UInt8>, pointerAt pointer: Int, from offset: Int, nameAt start: Int,
        _ jumps: inout Int, into copy: inout OutputSpan<UInt8>
    ) -> SkippedItem.Reason? {
        var pointer = pointer
        var lowest = offset
        while true {
            let target = bytes.word(at: pointer) & 0x3FFF
            // Strictly backwards and not into the header.
            guard target < lowest, target >= 12 else { return .pointerNotBackwards }
            jumps += 1
            let longest = 255 &- (copy.count &- start)
            if let entry = entry(at: target) {
                guard entry.length <= longest else { return .nameTooLong }
                jumps += Int(entry.jumps)
                guard jumps <= Self.mostJumps else { return .tooManyPointers }
                copy.repeat(from: Int(entry.start), count: Int(entry.length))
                return nil
            }
            let from = Int(target)
            let bound = min(bytes.count, from &+ longest &+ 1)
            let end = Self.endOfRun(bytes, from: from, bound: bound)
            guard end < bound else {
                return end <= bytes.count && end - from > longest ? .nameTooLong : .nameCut
            }
            guard jumps <= Self.mostJumps else { return .tooManyPointers }
            copy.repeat(from: from, count: end &- from)
            if bytes[end] == 0 {
                remember(Name(from: from, to: end), at: from, jumps: 0)
                return nil
            }
            guard bytes[end] >= 0xC0 else { return .labelType }
            guard end + 1 < bytes.count else { return .nameCut }
            lowest = from
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

    /// Where the zero or the pointer ends that is behind labels at `offset`, however many there
    /// are; `nil` where that can't be known.
    static func endOfName(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Int? {
        let end = endOfRun(bytes, from: offset, bound: limit)
        guard end < limit else { return nil }
        if bytes[end] == 0 { return end + 1 }
        return bytes[end] >= 0xC0 && end + 2 <= limit ? end + 2 : nil
    }

    /// What is remembered of the name whose labels begin at `offset`.
    @inline(__always)
    private mutating func entry(at offset: UInt16) -> Entry? {
        // Through a span: subscripting the array itself copies it as a whole.
        let entry = table.span[Int(offset & 63)]
        return entry.place == offset &+ 1 ? entry : nil
    }

    @inline(__always)
    private mutating func remember(_ name: Name, at offset: Int, jumps: Int) {
        // No pointer leads further, or with one more there were too many.
        guard offset <= 0x3FFF, jumps < Self.mostJumps else { return }
        table[offset & 63] = Entry(
            place: UInt16(truncatingIfNeeded: offset &+ 1), length: name.length,
            jumps: UInt8(truncatingIfNeeded: jumps), start: name.start)
    }
}
