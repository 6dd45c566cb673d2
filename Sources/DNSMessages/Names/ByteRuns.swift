// Runs of bytes copied and compared at once: the one place of the codec with pointers. With them
// decoding is a fifth faster than element by element. Every range is checked before.

extension Span<UInt8> {
    /// A copy of some of the bytes.
    func copy(from offset: Int, count: Int) -> [UInt8] {
        precondition(offset >= 0 && count >= 0 && offset <= self.count - count)
        return unsafe withUnsafeBufferPointer { bytes in
            // The range is inside; the copy is made before the span ends.
            unsafe Array(UnsafeBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
    }

    /// Two bytes, the first on top.
    @inline(__always)
    func word(at offset: Int) -> UInt16 {
        // Checks that they are inside; any bytes are an integer. So in the next two.
        UInt16(
            bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Four bytes, the first on top.
    @inline(__always)
    func doubleWord(at offset: Int) -> UInt32 {
        UInt32(
            bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Eight bytes, the first on top.
    @inline(__always)
    func quadWord(at offset: Int) -> UInt64 {
        UInt64(
            bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Eight bytes and the two behind them, which stand in front of a record's data.
    @inline(__always)
    func quadWordAndWord(at offset: Int) -> (UInt64, UInt16) {
        precondition(offset >= 0 && offset <= count - 10)
        // All ten are inside.
        return unsafe (
            UInt64(
                bigEndian: bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: offset, as: UInt64.self)),
            UInt16(
                bigEndian: bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: offset &+ 8, as: UInt16.self))
        )
    }

    /// Eight bytes, ASCII letters in lower case; in the order of the machine, so only for
    /// comparing with others of the kind.
    @inline(__always)
    func foldedRun(at offset: Int) -> UInt64 {
        // Checks that the eight bytes are inside; any bytes are an integer.
        foldedCase(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether the bytes at `offset` are those of `other` from `start` on, `length` of them.
    @inline(__always)
    func holds(_ other: Span<UInt8>, from start: Int, length: Int, at offset: Int) -> Bool {
        guard offset >= 0, length >= 0, offset <= count &- length else { return false }
        return common(with: other, from: start, length: length, at: offset) == length
    }

    /// How many bytes from `offset` on are those of `other` from `start` on: `length` at most,
    /// for which both have room.
    @inline(__always)
    func common(with other: Span<UInt8>, from start: Int, length: Int, at offset: Int) -> Int {
        precondition(length >= 0 && start >= 0 && start <= other.count &- length)
        precondition(offset >= 0 && offset <= count &- length)
        if length >= 8 { return common(UInt64.self, with: other, start, length, offset) }
        if length >= 4 { return common(UInt32.self, with: other, start, length, offset) }
        return common(UInt8.self, with: other, start, length, offset)
    }

    /// The same, so many bytes at a time; the last of them may have been compared before.
    @inline(__always)
    private func common<Run: FixedWidthInteger & BitwiseCopyable>(
        _ run: Run.Type, with other: Span<UInt8>, _ start: Int, _ length: Int, _ offset: Int
    ) -> Int {
        let last = length &- MemoryLayout<Run>.size
        var index = 0
        while index <= last {
            // Both ranges were checked.
            let mine = unsafe bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset &+ index, as: Run.self)
            let theirs = unsafe other.bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start &+ index, as: Run.self)
            let difference = mine ^ theirs
            if difference != 0 {
                return index &+ difference.littleEndian.trailingZeroBitCount &>> 3
            }
            if index == last { break }
            index = min(index &+ MemoryLayout<Run>.size, last)
        }
        return length
    }

    /// Hashes some of the bytes.
    func hash(_ range: Range<Int>, into hasher: inout Hasher) {
        unsafe extracting(range).withUnsafeBytes { bytes in
            // The hasher keeps none of them.
            unsafe hasher.combine(bytes: bytes)
        }
    }
}

/// Lower case for A to Z in each of eight bytes, every other byte as it is (RFC 6762 §16).
@inline(__always)
func foldedCase(_ bytes: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // The top bit of each byte says whether its lower seven are at least A, and beyond Z.
    let lower = bytes & (0x7F &* ones)
    let fromA = lower &+ ((0x80 - 0x41) &* ones)
    let beyondZ = lower &+ ((0x80 - 0x5B) &* ones)
    let capitals = fromA & ~beyondZ & ~bytes & (0x80 &* ones)
    return bytes | capitals >> 2
}

extension MutableSpan<UInt8> {
    /// Writes a number of any size, its first byte on top.
    @inline(__always)
    mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(
        _ number: Number, at end: inout Int
    ) {
        // Any bytes may be written to bytes; that there is room is checked.
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: number.bigEndian, toByteOffset: end, as: Number.self)
        end += MemoryLayout<Number>.size
    }

    /// Writes some bytes of `source`, those from `start` to `end`, to `offset` and onwards.
    @inline(__always)
    mutating func copy(_ source: Span<UInt8>, from start: Int, to end: Int, at offset: Int) {
        let length = end - start
        precondition(start >= 0 && length >= 0 && end <= source.count)
        precondition(offset >= 0 && offset <= count - length)
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { source in
                // Both ranges were checked; the spans can't overlap, since one is exclusive.
                guard length > 0, let from = source.baseAddress, let to = target.baseAddress
                else { return }
                unsafe (to + offset).copyMemory(from: from + start, byteCount: length)
            }
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends the bytes of `source`; there must be room.
    @inline(__always)
    mutating func append(_ source: Span<UInt8>) {
        precondition(source.count <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { target, count in
            unsafe source.withUnsafeBufferPointer { source in
                // The room was checked; the spans can't overlap, since one is exclusive.
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                unsafe (to + count).initialize(from: from, count: source.count)
                count += source.count
            }
        }
    }

    /// Appends bytes again that are already in here; there must be room.
    @inline(__always)
    mutating func `repeat`(from start: Int, count length: Int) {
        precondition(start >= 0 && length >= 0 && length <= freeCapacity)
        precondition(start <= count &- length)
        unsafe withUnsafeMutableBufferPointer { bytes, count in
            // What is repeated ends before the end, so that the ranges don't overlap.
            guard length > 0, let base = bytes.baseAddress else { return }
            unsafe (base + count).initialize(from: base + start, count: length)
            count += length
        }
    }
}

/// Lends room for so many values as long as `body` runs: on the stack if that is little enough.
@inline(__always)
func withTemporarySpan<Element, Result>(
    of type: Element.Type, capacity: Int, _ body: (inout OutputSpan<Element>) -> Result
) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: type, capacity: capacity) { buffer in
        // Whatever was written is taken down before the room goes.
        var span = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        return body(&span)
    }
}

extension Array {
    /// An array of at most `count` values, which `body` writes. In contrast to
    /// `init(capacity:initializingWith:)` the compiler makes code of its own for each type.
    @inline(__always)
    init(filling count: Int, _ body: (inout OutputSpan<Element>) -> Void) {
        self = []
        append(addingCapacity: count, initializingWith: body)
    }
}
