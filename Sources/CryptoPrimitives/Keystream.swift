/// Eight blocks of ChaCha20's stream, made side by side.
struct Keystream {
    static let blocks = 8
    static let size = blocks * ChaCha20.blockSize

    /// The words of the blocks, one block after the other.
    private var words = InlineArray<128, UInt32>(repeating: 0)

    /// Word `index` of the first block.
    subscript(index: Int) -> UInt32 { words[index] }

    /// The blocks from `counter` on, of a state whose counter is not set (RFC 8439 §2.3).
    mutating func fill(from initial: ChaCha20.State, counter: UInt32) {
        var rows = LaneState(initial, counter: counter)
        let start = rows
        for _ in 0..<10 { rows.doubleRound() }
        rows.add(start)
        rows.transpose(into: &words)
    }

    /// Combines `count` bytes from `offset` on with the stream from its byte `skipped` on, which is
    /// at the start of a word.
    @inline(__always)
    func combine(
        with bytes: inout MutableSpan<UInt8>, at offset: Int, count: Int, skipping skipped: Int
    ) {
        let last = offset + count
        precondition(skipped + count <= Self.size && offset >= 0 && last <= bytes.count)
        let stream = unsafe words.span.bytes
        // Word by word, so that the loop becomes vectors. The line above has checked both ends.
        let whole = count & ~3
        var target = unsafe bytes.mutableBytes
        for at in stride(from: 0, to: whole, by: 4) {
            let word = unsafe target.unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset &+ at, as: UInt32.self)
            let key = unsafe stream.unsafeLoadUnaligned(
                fromUncheckedByteOffset: skipped &+ at, as: UInt32.self)
            unsafe target.storeBytes(
                of: word ^ key.littleEndian, toUncheckedByteOffset: offset &+ at, as: UInt32.self)
        }
        guard whole < count else { return }
        let key = words[(skipped + whole) / 4]
        for at in whole..<count {
            bytes[offset + at] ^= UInt8(truncatingIfNeeded: key &>> UInt32(8 * (at - whole)))
        }
    }
}
