extension SHA256 {
    /// The eight words of a hash.
    typealias State = InlineArray<8, UInt32>

    /// The first 32 bits of the fractional parts of the square roots of the first 8 primes
    /// (FIPS 180-4 §5.3.3).
    static let initialState: State = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
        0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    /// Of the cube roots of the first 64 primes (FIPS 180-4 §4.2.2).
    private static let constants: InlineArray<64, UInt32> = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5,
        0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3,
        0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC,
        0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
        0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13,
        0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3,
        0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5,
        0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208,
        0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]

    /// Works a number of blocks, from the start of `bytes`, into the state (FIPS 180-4 §6.2.2).
    static func compress(_ state: inout State, _ bytes: Span<UInt8>, blocks: Int) {
        guard blocks > 0 else { return }
        for block in 0..<blocks {
            var schedule = firstWords(bytes.extracting(droppingFirst: block * blockSize))
            var words = state
            // Sixteen rounds at a time, each writing in place the schedule's word for the round
            // sixteen later. All indices are constants, so both arrays live in registers.
            rounds(&words, schedule, 0)
            for part in 1..<4 {
                extend(&schedule)
                rounds(&words, schedule, 16 * part)
            }
            for index in 0..<8 { state[index] &+= words[index] }
        }
    }

    /// The block's own sixteen words, big-endian.
    @inline(__always)
    private static func firstWords(_ block: Span<UInt8>) -> InlineArray<16, UInt32> {
        let bytes = unsafe block.extracting(first: blockSize).bytes
        // The line above has cut exactly the 64 bytes that are loaded.
        var words = InlineArray<16, UInt32>(repeating: 0)
        for index in 0..<16 {
            let word = unsafe bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: 4 * index, as: UInt32.self)
            words[index] = UInt32(bigEndian: word)
        }
        return words
    }

    /// The next sixteen words of the schedule in place of the last.
    @inline(__always)
    private static func extend(_ schedule: inout InlineArray<16, UInt32>) {
        for index in 0..<16 {
            schedule[index] &+=
                smallSigma1(schedule[(index + 14) & 15]) &+ schedule[(index + 9) & 15]
                &+ smallSigma0(schedule[(index + 1) & 15])
        }
    }

    /// Sixteen rounds. The eight words stay where they are; their roles move on by one each round,
    /// so that after eight rounds each has its own role again.
    @inline(__always)
    private static func rounds(
        _ words: inout State, _ schedule: InlineArray<16, UInt32>, _ first: Int
    ) {
        var (a, b, c, d) = (words[0], words[1], words[2], words[3])
        var (e, f, g, h) = (words[4], words[5], words[6], words[7])
        for index in stride(from: 0, to: 16, by: 8) {
            let at = first + index
            round(a, b, c, &d, e, f, g, &h, schedule[index], constants[at])
            round(h, a, b, &c, d, e, f, &g, schedule[index + 1], constants[at + 1])
            round(g, h, a, &b, c, d, e, &f, schedule[index + 2], constants[at + 2])
            round(f, g, h, &a, b, c, d, &e, schedule[index + 3], constants[at + 3])
            round(e, f, g, &h, a, b, c, &d, schedule[index + 4], constants[at + 4])
            round(d, e, f, &g, h, a, b, &c, schedule[index + 5], constants[at + 5])
            round(c, d, e, &f, g, h, a, &b, schedule[index + 6], constants[at + 6])
            round(b, c, d, &e, f, g, h, &a, schedule[index + 7], constants[at + 7])
        }
        words = [a, b, c, d, e, f, g, h]
    }

    /// One round: `d` becomes the new e, `h` the new a.
    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
        _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
        _ word: UInt32, _ constant: UInt32
    ) {
        let choice = g ^ (e & (f ^ g))
        let majority = (a & b) | (c & (a | b))
        h = h &+ bigSigma1(e) &+ choice &+ constant &+ word
        d = d &+ h
        h = h &+ bigSigma0(a) &+ majority
    }

    @inline(__always)
    private static func rotateRight(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word &>> count) | (word &<< (32 &- count))
    }

    // The four functions of FIPS 180-4 §4.1.2, (4.4) to (4.7).
    @inline(__always)
    private static func bigSigma0(_ x: UInt32) -> UInt32 {
        rotateRight(x, 2) ^ rotateRight(x, 13) ^ rotateRight(x, 22)
    }

    @inline(__always)
    private static func bigSigma1(_ x: UInt32) -> UInt32 {
        rotateRight(x, 6) ^ rotateRight(x, 11) ^ rotateRight(x, 25)
    }

    @inline(__always)
    private static func smallSigma0(_ x: UInt32) -> UInt32 {
        rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x &>> 3)
    }

    @inline(__always)
    private static func smallSigma1(_ x: UInt32) -> UInt32 {
        rotateRight(x, 17) ^ rotateRight(x, 19) ^ (x &>> 10)
    }
}
