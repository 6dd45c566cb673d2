/// Finds the names of one message, and expands those with pointers behind their labels.
///
/// A name without pointers already stands in the message as `DomainName` keeps it. For a name
/// with pointers its labels are copied to the *tail*, which is to follow the message's bytes;
/// where that was done is remembered, so that a pointer to such a name costs no second copy.
///
/// Pointers must go strictly backwards, to before the start of the labels they end, and not into
/// the header; so every chain ends (RFC 1035 §4.1.4). What one name can cost is bounded by 255
/// bytes and 128 jumps.
struct NameDecompression: ~Copyable {
    /// A name in the message's bytes or in the tail behind them.
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
        /// There is no room left in the tail.
        case full
    }

    /// Labels with a pointer behind them that have been expanded.
    private struct Entry {
        /// Where the pointer is.
        var pointer: UInt16 = 0
        /// The bytes of labels in front of the pointer.
        var literalLength: UInt8 = 0
        /// The whole name's length, and its place in the tail.
        var length: UInt8 = 0
        var start: UInt32 = 0
    }

    private static let mostJumps = 128
    private static let tableSize = 32

    private var table = InlineArray<32, Entry>(repeating: Entry())
    private var tableCount = 0

    /// Expands the name at `offset`. Its own labels must end before `limit`, which is the end of
    /// the record's data or of the message.
    @inline(__always)
    mutating func expand(
        _ bytes: Span<UInt8>, at offset: Int, limit: Int, into tail: inout OutputSpan<UInt8>
    ) -> Outcome {
        let bound = min(limit, offset &+ 256)
        let end = Self.endOfRun(bytes, from: offset, bound: bound)
        if end < bound {
            if bytes[end] == 0 { return .name(Name(from: offset, to: end), next: end &+ 1) }
            // Most owner names are a pointer to a whole name.
            if end == offset, end &+ 2 <= limit, bytes[end] >= 0xC0,
                let name = pointedName(bytes, pointerAt: end)
            {
                return .name(name, next: end &+ 2)
            }
        }
        return expandLabels(bytes, at: offset, labelsEnd: end, limit: limit, into: &tail)
    }

    /// The name that a pointer leads to, if nothing has to be copied for it.
    @inline(__always)
    private mutating func pointedName(_ bytes: Span<UInt8>, pointerAt pointer: Int) -> Name? {
        let target = Int(bytes.word(at: pointer) & 0x3FFF)
        guard target < pointer, target >= 12 else { return nil }
        let bound = min(bytes.count, target &+ 256)
        let end = Self.endOfRun(bytes, from: target, bound: bound)
        guard end < bound else { return nil }
        if bytes[end] == 0 { return Name(from: target, to: end) }
        guard let known = known(pointerAt: end, labelsFrom: target) else { return nil }
        let start = bytes.count + known.lowerBound
        return Name(from: start, to: start + known.count)
    }

    /// Copies a name's own labels, and what the pointer behind them leads to (D-3 to D-8).
    @inline(never)
    private mutating func expandLabels(
        _ bytes: Span<UInt8>, at offset: Int, labelsEnd end: Int, limit: Int,
        into tail: inout OutputSpan<UInt8>
    ) -> Outcome {
        let cut = limit < bytes.count ? SkippedItem.Reason.nameLeavesData : .nameCut
        guard end < min(limit, offset + 256) else {
            // RFC 1035 §3.1, RFC 6762 appendix C (MC-1).
            guard end <= limit, end - offset > 255 else { return .fault(cut, next: nil) }
            return .fault(.nameTooLong, next: Self.endOfName(bytes, at: end, limit: limit))
        }
        guard bytes[end] >= 0xC0 else { return .fault(.labelType, next: nil) }
        let next = end + 2
        guard next <= limit else { return .fault(cut, next: nil) }
        guard tail.freeCapacity >= 255 else { return .full }
        let start = tail.count
        tail.append(bytes, from: offset, to: end)
        if let fault = follow(bytes, pointerAt: end, from: offset, nameAt: start, into: &tail) {
            tail.removeLast(tail.count - start)
            return .fault(fault, next: next)
        }
        remember(start..<tail.count, pointerAt: end, literalLength: end - offset)
        return .name(Name(from: bytes.count + start, to: bytes.count + tail.count), next: next)
    }

    /// Appends the labels that a pointer leads to, which stands behind labels at `offset`. What
    /// was appended before a fault stays.
    private mutating func follow(
        _ bytes: Span<UInt8>, pointerAt pointer: Int, from offset: Int, nameAt start: Int,
        into tail: inout OutputSpan<UInt8>
    ) -> SkippedItem.Reason? {
        var pointer = pointer
        var lowest = offset
        var jumps = 0
        while true {
            let target = Int(bytes.word(at: pointer) & 0x3FFF)
            // Strictly backwards and not into the header.
            guard target < lowest, target >= 12 else { return .pointerNotBackwards }
            let longest = 255 - (tail.count - start)
            let bound = min(bytes.count, target + longest + 1)
            let end = Self.endOfRun(bytes, from: target, bound: bound)
            guard end < bound else {
                return end <= bytes.count && end - target > longest ? .nameTooLong : .nameCut
            }
            if let known = known(pointerAt: end, labelsFrom: target) {
                guard known.count <= longest else { return .nameTooLong }
                tail.repeat(from: known.lowerBound, count: known.count)
                return nil
            }
            jumps += 1
            guard jumps <= Self.mostJumps else { return .tooManyPointers }
            tail.append(bytes, from: target, to: end)
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

    /// Where the zero or the pointer ends that is behind labels at `offset`, however many there
    /// are; `nil` where that can't be known.
    static func endOfName(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Int? {
        let end = endOfRun(bytes, from: offset, bound: limit)
        guard end < limit else { return nil }
        if bytes[end] == 0 { return end + 1 }
        return bytes[end] >= 0xC0 && end + 2 <= limit ? end + 2 : nil
    }

    private mutating func remember(
        _ name: Range<Int>, pointerAt pointer: Int, literalLength: Int
    ) {
        guard literalLength > 0, tableCount < Self.tableSize, pointer <= 0xFFFF else { return }
        table[tableCount] = Entry(
            pointer: UInt16(truncatingIfNeeded: pointer),
            literalLength: UInt8(truncatingIfNeeded: literalLength),
            length: UInt8(truncatingIfNeeded: name.count),
            start: UInt32(truncatingIfNeeded: name.lowerBound))
        tableCount += 1
    }

    /// Where in the tail a name is whose labels begin at `start` and end at that pointer, if it
    /// has been expanded as a whole or as a part of one.
    @inline(__always)
    private mutating func known(pointerAt pointer: Int, labelsFrom start: Int) -> Range<Int>? {
        // Through a span: subscripting the array itself copies it as a whole.
        let entries = table.span
        var index = tableCount
        while index > 0 {
            index -= 1
            let entry = entries[index]
            guard Int(entry.pointer) == pointer else { continue }
            // The labels stand in the tail as they do here, up to where the pointer was.
            let skipped = Int(entry.literalLength) - (pointer - start)
            guard skipped >= 0 else { return nil }
            let nameStart = Int(entry.start)
            return nameStart + skipped..<nameStart + Int(entry.length)
        }
        return nil
    }
}
