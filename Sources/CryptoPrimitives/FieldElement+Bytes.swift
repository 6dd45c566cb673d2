extension FieldElement {
    /// Little-endian, 32 bytes. The top bit is ignored, and numbers from p to 2^255 − 1 are taken
    /// for what they are modulo p (RFC 7748 §5).
    init(_ bytes: Span<UInt8>) {
        let word0 = Self.word(bytes, at: 0)
        let word1 = Self.word(bytes, at: 8)
        let word2 = Self.word(bytes, at: 16)
        let word3 = Self.word(bytes, at: 24)
        limb0 = word0 & Self.mask
        limb1 = (word0 &>> 51 | word1 &<< 13) & Self.mask
        limb2 = (word1 &>> 38 | word2 &<< 26) & Self.mask
        limb3 = (word2 &>> 25 | word3 &<< 39) & Self.mask
        limb4 = (word3 &>> 12) & Self.mask
    }

    /// Writes the number below p, little-endian, to 32 bytes.
    func write(to bytes: inout MutableSpan<UInt8>) {
        let number = reduced()
        Self.write(number.limb0 | number.limb1 &<< 51, to: &bytes, at: 0)
        Self.write(number.limb1 &>> 13 | number.limb2 &<< 38, to: &bytes, at: 8)
        Self.write(number.limb2 &>> 26 | number.limb3 &<< 25, to: &bytes, at: 16)
        Self.write(number.limb3 &>> 39 | number.limb4 &<< 12, to: &bytes, at: 24)
    }

    /// The one form of the number that is below p.
    private func reduced() -> FieldElement {
        // Two rounds of carries leave less than 2^51 in each limb but for what wraps around, so the
        // number is below 2p.
        var number = carriedOnce().carriedOnce()
        // It is p or more exactly if 19 more reaches 2^255: the carry out of that sum is 0 or 1.
        var carry = (number.limb0 &+ 19) &>> 51
        carry = (number.limb1 &+ carry) &>> 51
        carry = (number.limb2 &+ carry) &>> 51
        carry = (number.limb3 &+ carry) &>> 51
        carry = (number.limb4 &+ carry) &>> 51
        // Less p is 19 more, less 2^255: the last carry, which is dropped.
        number.limb0 &+= 19 &* carry
        number.limb1 &+= number.limb0 &>> 51
        number.limb2 &+= number.limb1 &>> 51
        number.limb3 &+= number.limb2 &>> 51
        number.limb4 &+= number.limb3 &>> 51
        number.limb0 &= Self.mask
        number.limb1 &= Self.mask
        number.limb2 &= Self.mask
        number.limb3 &= Self.mask
        number.limb4 &= Self.mask
        return number
    }

    private func carriedOnce() -> FieldElement {
        var number = self
        number.limb1 &+= number.limb0 &>> 51
        number.limb2 &+= number.limb1 &>> 51
        number.limb3 &+= number.limb2 &>> 51
        number.limb4 &+= number.limb3 &>> 51
        number.limb0 = (number.limb0 & Self.mask) &+ 19 &* (number.limb4 &>> 51)
        number.limb1 &= Self.mask
        number.limb2 &= Self.mask
        number.limb3 &= Self.mask
        number.limb4 &= Self.mask
        return number
    }

    private static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(bytes[offset + index]) &<< (8 * UInt64(index)) }
        return word
    }

    private static func write(
        _ word: UInt64, to bytes: inout MutableSpan<UInt8>, at offset: Int
    ) {
        for index in 0..<8 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: word &>> (8 * UInt64(index)))
        }
    }

    /// The second number if `bit` is one and the first if it is zero, by the same work.
    @inline(__always)
    static func choose(
        _ first: FieldElement, _ second: FieldElement, if bit: UInt64
    )
        -> FieldElement
    {
        let mask = 0 &- bit
        return FieldElement(
            limb0: first.limb0 ^ mask & (first.limb0 ^ second.limb0),
            limb1: first.limb1 ^ mask & (first.limb1 ^ second.limb1),
            limb2: first.limb2 ^ mask & (first.limb2 ^ second.limb2),
            limb3: first.limb3 ^ mask & (first.limb3 ^ second.limb3),
            limb4: first.limb4 ^ mask & (first.limb4 ^ second.limb4))
    }
}
