/// The state of ChaCha20 in eight blocks at once: each word is a row of eight lanes, one a block.
///
/// Each step is a plain loop over the lanes. That is the form which the compiler turns into vector
/// instructions, on the oldest processor of a kind too; from SIMD types it makes rotations lane by
/// lane. Rows are stored properties, because
/// a quarter round changes four of them at a time.
struct LaneState {
    private typealias Lanes = InlineArray<8, UInt32>

    private var row0: Lanes
    private var row1: Lanes
    private var row2: Lanes
    private var row3: Lanes
    private var row4: Lanes
    private var row5: Lanes
    private var row6: Lanes
    private var row7: Lanes
    private var row8: Lanes
    private var row9: Lanes
    private var row10: Lanes
    private var row11: Lanes
    private var row12: Lanes
    private var row13: Lanes
    private var row14: Lanes
    private var row15: Lanes

    /// The state in each lane, but the counter goes up from lane to lane.
    init(_ state: ChaCha20.State, counter: UInt32) {
        row0 = Lanes(repeating: state[0])
        row1 = Lanes(repeating: state[1])
        row2 = Lanes(repeating: state[2])
        row3 = Lanes(repeating: state[3])
        row4 = Lanes(repeating: state[4])
        row5 = Lanes(repeating: state[5])
        row6 = Lanes(repeating: state[6])
        row7 = Lanes(repeating: state[7])
        row8 = Lanes(repeating: state[8])
        row9 = Lanes(repeating: state[9])
        row10 = Lanes(repeating: state[10])
        row11 = Lanes(repeating: state[11])
        row12 = Lanes { counter &+ UInt32(truncatingIfNeeded: $0) }
        row13 = Lanes(repeating: state[13])
        row14 = Lanes(repeating: state[14])
        row15 = Lanes(repeating: state[15])
    }

    /// A column round and a diagonal round (RFC 8439 §2.3).
    @inline(__always)
    mutating func doubleRound() {
        Self.quarterRound(&row0, &row4, &row8, &row12)
        Self.quarterRound(&row1, &row5, &row9, &row13)
        Self.quarterRound(&row2, &row6, &row10, &row14)
        Self.quarterRound(&row3, &row7, &row11, &row15)
        Self.quarterRound(&row0, &row5, &row10, &row15)
        Self.quarterRound(&row1, &row6, &row11, &row12)
        Self.quarterRound(&row2, &row7, &row8, &row13)
        Self.quarterRound(&row3, &row4, &row9, &row14)
    }

    /// The state before the rounds is added to what they left (RFC 8439 §2.3).
    @inline(__always)
    mutating func add(_ start: LaneState) {
        Self.add(&row0, start.row0)
        Self.add(&row1, start.row1)
        Self.add(&row2, start.row2)
        Self.add(&row3, start.row3)
        Self.add(&row4, start.row4)
        Self.add(&row5, start.row5)
        Self.add(&row6, start.row6)
        Self.add(&row7, start.row7)
        Self.add(&row8, start.row8)
        Self.add(&row9, start.row9)
        Self.add(&row10, start.row10)
        Self.add(&row11, start.row11)
        Self.add(&row12, start.row12)
        Self.add(&row13, start.row13)
        Self.add(&row14, start.row14)
        Self.add(&row15, start.row15)
    }

    /// Writes block after block.
    @inline(__always)
    func transpose(into words: inout InlineArray<128, UInt32>) {
        for lane in 0..<8 {
            let at = 16 * lane
            words[at + 0] = row0[lane]
            words[at + 1] = row1[lane]
            words[at + 2] = row2[lane]
            words[at + 3] = row3[lane]
            words[at + 4] = row4[lane]
            words[at + 5] = row5[lane]
            words[at + 6] = row6[lane]
            words[at + 7] = row7[lane]
            words[at + 8] = row8[lane]
            words[at + 9] = row9[lane]
            words[at + 10] = row10[lane]
            words[at + 11] = row11[lane]
            words[at + 12] = row12[lane]
            words[at + 13] = row13[lane]
            words[at + 14] = row14[lane]
            words[at + 15] = row15[lane]
        }
    }

    @inline(__always)
    private static func add(_ row: inout Lanes, _ other: Lanes) {
        for lane in 0..<8 { row[lane] &+= other[lane] }
    }

    /// RFC 8439 §2.1, in each lane.
    @inline(__always)
    private static func quarterRound(
        _ a: inout Lanes, _ b: inout Lanes, _ c: inout Lanes, _ d: inout Lanes
    ) {
        for lane in 0..<8 { quarterRound(&a[lane], &b[lane], &c[lane], &d[lane]) }
    }

    @inline(__always)
    private static func quarterRound(
        _ a: inout UInt32, _ b: inout UInt32, _ c: inout UInt32, _ d: inout UInt32
    ) {
        a &+= b
        d = rotateLeft(d ^ a, 16)
        c &+= d
        b = rotateLeft(b ^ c, 12)
        a &+= b
        d = rotateLeft(d ^ a, 8)
        c &+= d
        b = rotateLeft(b ^ c, 7)
    }

    @inline(__always)
    private static func rotateLeft(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word &<< count) | (word &>> (32 &- count))
    }
}
