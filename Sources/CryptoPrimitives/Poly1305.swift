/// The one-time authenticator Poly1305 (RFC 8439 §2.5).
///
/// The accumulator is a number of 130 bits in words of 64, 64 and a few bits. It is kept reduced in
/// part, below 2^130 and a little: the last word never exceeds 6. A key is for one message only.
package struct Poly1305: ~Copyable {
    /// Bytes of a tag.
    package static let tagSize = 16
    static let blockSize = 16

    private var h0: UInt64 = 0
    private var h1: UInt64 = 0
    private var h2: UInt64 = 0

    /// The multiplier, clamped: below 2^124, and r1 is divisible by four.
    private let r0: UInt64
    private let r1: UInt64
    /// r1 times 5/4: what r1 is worth where it stands for 2^128 more, because 2^130 ≡ 5.
    private let s1: UInt64

    /// What is added at the end.
    private let pad0: UInt64
    private let pad1: UInt64

    /// With a key that no other message has.
    package init(key: borrowing SecretKey) {
        let words = key.withBytes { bytes in
            InlineArray<8, UInt32> { ChaCha20.word(bytes, at: 4 * $0) }
        }
        self.init { words[$0] }
    }

    /// With the first eight words of a block of ChaCha20 as the key (RFC 8439 §2.6).
    init(keyWord: (Int) -> UInt32) {
        func pair(_ index: Int) -> UInt64 {
            UInt64(keyWord(index)) | UInt64(keyWord(index + 1)) &<< 32
        }
        r0 = pair(0) & 0x0FFF_FFFC_0FFF_FFFF
        r1 = pair(2) & 0x0FFF_FFFC_0FFF_FFFC
        s1 = r1 &+ r1 &>> 2
        pad0 = pair(4)
        pad1 = pair(6)
    }

    /// Takes the whole blocks of `bytes` and returns how many bytes those are.
    private mutating func absorbBlocks(_ bytes: Span<UInt8>) -> Int {
        let count = bytes.count & ~(Self.blockSize - 1)
        let blocks = unsafe bytes.extracting(first: count).bytes
        var offset = 0
        while offset < count {
            // All sixteen bytes are there: `count` is a multiple of sixteen.
            let low = unsafe blocks.unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset, as: UInt64.self)
            let high = unsafe blocks.unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset + 8, as: UInt64.self)
            absorb(UInt64(littleEndian: low), UInt64(littleEndian: high), 1)
            offset += Self.blockSize
        }
        return count
    }

    /// Takes the end of a message, which does not fill a block, with `end` as the byte after it.
    private mutating func absorbRest(_ bytes: Span<UInt8>, end: UInt8, top: UInt64) {
        guard bytes.count > 0 else { return }
        var block = InlineArray<16, UInt8>(repeating: 0)
        for index in bytes.indices { block[index] = bytes[index] }
        block[bytes.count] = end
        var low: UInt64 = 0
        var high: UInt64 = 0
        for index in 0..<8 {
            low |= UInt64(block[index]) &<< UInt64(8 * index)
            high |= UInt64(block[8 + index]) &<< UInt64(8 * index)
        }
        absorb(low, high, top)
    }

    /// Takes bytes and zeros after them up to the end of a block, as the AEAD lays out its message
    /// (RFC 8439 §2.8).
    mutating func absorbPadded(_ bytes: Span<UInt8>) {
        let whole = absorbBlocks(bytes)
        absorbRest(bytes.extracting(droppingFirst: whole), end: 0, top: 1)
    }

    /// Adds a block and multiplies: h = (h + block) r, modulo 2^130 − 5 in part.
    ///
    /// `top` is the bit after the 128, which a block that is not filled has inside.
    @inline(__always)
    mutating func absorb(_ low: UInt64, _ high: UInt64, _ top: UInt64) {
        let sum0 = UInt128(h0) &+ UInt128(low)
        let sum1 = UInt128(h1) &+ UInt128(high) &+ sum0 &>> 64
        let a0 = UInt64(truncatingIfNeeded: sum0)
        let a1 = UInt64(truncatingIfNeeded: sum1)
        let a2 = h2 &+ UInt64(truncatingIfNeeded: sum1 &>> 64) &+ top
        // r0 and r1 are below 2^60 and a2 is at most 7, so nothing here overflows.
        let product0 = wide(a0, r0) &+ wide(a1, s1)
        let product1 = wide(a0, r1) &+ wide(a1, r0) &+ UInt128(a2 &* s1) &+ product0 &>> 64
        let product2 = a2 &* r0 &+ UInt64(truncatingIfNeeded: product1 &>> 64)
        // What stands above 2^130 comes back times five: (x >> 2) + (x & ~3) is 5 (x >> 2).
        let carry = product2 &>> 2 &+ product2 & ~3
        let wrapped0 = UInt128(UInt64(truncatingIfNeeded: product0)) &+ UInt128(carry)
        let wrapped1 = UInt128(UInt64(truncatingIfNeeded: product1)) &+ wrapped0 &>> 64
        h0 = UInt64(truncatingIfNeeded: wrapped0)
        h1 = UInt64(truncatingIfNeeded: wrapped1)
        h2 = product2 & 3 &+ UInt64(truncatingIfNeeded: wrapped1 &>> 64)
    }

    @inline(__always)
    private func wide(_ left: UInt64, _ right: UInt64) -> UInt128 {
        UInt128(left) &* UInt128(right)
    }

    /// The tag over all blocks, little-endian.
    consuming func finish() -> UInt128 {
        // h is below 2p: it is p or more exactly if 5 more reaches 2^130.
        let h = UInt128(h1) &<< 64 | UInt128(h0)
        let plus5 = h &+ 5
        // The carry out of 128 bits: h is within 5 of the end exactly if its high bits are all set.
        let carry = UInt64(truncatingIfNeeded: (UInt128(h0) &+ 5) &>> 64)
        let carry1 = UInt64(truncatingIfNeeded: (UInt128(h1) &+ UInt128(carry)) &>> 64)
        let isAbove = ((h2 &+ carry1) &>> 2) & 1
        let mask = 0 &- UInt128(isAbove)
        return (h & ~mask | plus5 & mask) &+ (UInt128(pad1) &<< 64 | UInt128(pad0))
    }
}

extension Poly1305 {
    /// The tag of a whole message under a key that no other message has (RFC 8439 §2.5).
    package static func tag(of message: Span<UInt8>, key: borrowing SecretKey) -> AuthenticationTag
    {
        var poly = Poly1305(key: key)
        let whole = poly.absorbBlocks(message)
        poly.absorbRest(message.extracting(droppingFirst: whole), end: 1, top: 0)
        return AuthenticationTag(value: poly.finish())
    }
}
