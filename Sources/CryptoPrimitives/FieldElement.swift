/// A number modulo p = 2^255 − 19, the field of Curve25519 (RFC 7748 §4.1).
///
/// Five limbs of 51 bits. What every operation leaves is less than 2^52 in each limb, and what an
/// operation takes may be less than 2^54: so one sum or difference of two results can be multiplied
/// without a carry in between. Nothing here branches on a value or uses one as an index.
struct FieldElement {
    var limb0: UInt64
    var limb1: UInt64
    var limb2: UInt64
    var limb3: UInt64
    var limb4: UInt64

    static let zero = FieldElement(limb0: 0, limb1: 0, limb2: 0, limb3: 0, limb4: 0)
    static let one = FieldElement(limb0: 1, limb1: 0, limb2: 0, limb3: 0, limb4: 0)

    /// The 51 bits of a limb.
    static let mask: UInt64 = (1 << 51) - 1

    /// Less than 2^53 in each limb for results of products.
    @inline(__always)
    static func + (left: FieldElement, right: FieldElement) -> FieldElement {
        FieldElement(
            limb0: left.limb0 &+ right.limb0, limb1: left.limb1 &+ right.limb1,
            limb2: left.limb2 &+ right.limb2, limb3: left.limb3 &+ right.limb3,
            limb4: left.limb4 &+ right.limb4)
    }

    /// 2p is added first, in limbs that are larger than those of a result of a product, so that no
    /// limb falls below zero.
    @inline(__always)
    static func - (left: FieldElement, right: FieldElement) -> FieldElement {
        let low: UInt64 = 0xF_FFFF_FFFF_FFDA
        let high: UInt64 = 0xF_FFFF_FFFF_FFFE
        return FieldElement(
            limb0: left.limb0 &+ low &- right.limb0, limb1: left.limb1 &+ high &- right.limb1,
            limb2: left.limb2 &+ high &- right.limb2, limb3: left.limb3 &+ high &- right.limb3,
            limb4: left.limb4 &+ high &- right.limb4)
    }

    /// Products of limbs whose places add up to five or more wrap around times 19, because
    /// 2^255 ≡ 19.
    @inline(__always)
    static func * (a: FieldElement, b: FieldElement) -> FieldElement {
        let (b1, b2) = (19 &* b.limb1, 19 &* b.limb2)
        let (b3, b4) = (19 &* b.limb3, 19 &* b.limb4)
        let sum0 =
            wide(a.limb0, b.limb0) &+ wide(a.limb1, b4) &+ wide(a.limb2, b3)
            &+ wide(a.limb3, b2) &+ wide(a.limb4, b1)
        let sum1 =
            wide(a.limb0, b.limb1) &+ wide(a.limb1, b.limb0) &+ wide(a.limb2, b4)
            &+ wide(a.limb3, b3) &+ wide(a.limb4, b2)
        let sum2 =
            wide(a.limb0, b.limb2) &+ wide(a.limb1, b.limb1) &+ wide(a.limb2, b.limb0)
            &+ wide(a.limb3, b4) &+ wide(a.limb4, b3)
        let sum3 =
            wide(a.limb0, b.limb3) &+ wide(a.limb1, b.limb2) &+ wide(a.limb2, b.limb1)
            &+ wide(a.limb3, b.limb0) &+ wide(a.limb4, b4)
        let sum4 =
            wide(a.limb0, b.limb4) &+ wide(a.limb1, b.limb3) &+ wide(a.limb2, b.limb2)
            &+ wide(a.limb3, b.limb1) &+ wide(a.limb4, b.limb0)
        return carried(sum0, sum1, sum2, sum3, sum4)
    }

    /// A product with itself, with equal products counted twice.
    @inline(__always)
    func squared() -> FieldElement {
        let (double0, double1) = (2 &* limb0, 2 &* limb1)
        let (times3, times4) = (19 &* limb3, 19 &* limb4)
        let sum0 =
            Self.wide(limb0, limb0) &+ Self.wide(double1, times4)
            &+ Self.wide(2 &* limb2, times3)
        let sum1 =
            Self.wide(double0, limb1) &+ Self.wide(2 &* limb2, times4)
            &+ Self.wide(limb3, times3)
        let sum2 =
            Self.wide(double0, limb2) &+ Self.wide(limb1, limb1)
            &+ Self.wide(2 &* limb3, times4)
        let sum3 =
            Self.wide(double0, limb3) &+ Self.wide(double1, limb2) &+ Self.wide(limb4, times4)
        let sum4 =
            Self.wide(double0, limb4) &+ Self.wide(double1, limb3) &+ Self.wide(limb2, limb2)
        return Self.carried(sum0, sum1, sum2, sum3, sum4)
    }

    /// A product with a small constant, of less than 2^20.
    @inline(__always)
    func multiplied(by small: UInt64) -> FieldElement {
        Self.carried(
            Self.wide(limb0, small), Self.wide(limb1, small), Self.wide(limb2, small),
            Self.wide(limb3, small), Self.wide(limb4, small))
    }

    @inline(__always)
    private static func wide(_ left: UInt64, _ right: UInt64) -> UInt128 {
        UInt128(left) &* UInt128(right)
    }

    /// Carries sums of products twice, each time from every limb to the next at once: from limb to
    /// limb in turn, each would wait for the one before.
    ///
    /// Limbs of 54 bits make sums of less than 77 · 2^108, so that a carry is below 2^63.3; the sum
    /// of the highest limb has no factor of 19 and is below 5 · 2^108, so that its carry times 19
    /// is below 2^63.6. What the second round carries is less than 2^13, and times 19 for the
    /// lowest limb.
    @inline(__always)
    private static func carried(
        _ sum0: UInt128, _ sum1: UInt128, _ sum2: UInt128, _ sum3: UInt128, _ sum4: UInt128
    ) -> FieldElement {
        let first0 = low(sum0) &+ 19 &* carry(sum4)
        let first1 = low(sum1) &+ carry(sum0)
        let first2 = low(sum2) &+ carry(sum1)
        let first3 = low(sum3) &+ carry(sum2)
        let first4 = low(sum4) &+ carry(sum3)
        return FieldElement(
            limb0: first0 & mask &+ 19 &* (first4 &>> 51), limb1: first1 & mask &+ first0 &>> 51,
            limb2: first2 & mask &+ first1 &>> 51, limb3: first3 & mask &+ first2 &>> 51,
            limb4: first4 & mask &+ first3 &>> 51)
    }

    /// What stands above 51 bits.
    @inline(__always)
    private static func carry(_ sum: UInt128) -> UInt64 {
        UInt64(truncatingIfNeeded: sum &>> 51)
    }

    @inline(__always)
    private static func low(_ sum: UInt128) -> UInt64 { UInt64(truncatingIfNeeded: sum) & mask }
}
