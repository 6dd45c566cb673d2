/// X25519, the Diffie-Hellman function of Curve25519 (RFC 7748 §5).
package enum X25519 {
    /// The other side's public key is one of the few points with which every shared secret is zero
    /// (RFC 7748 §6.1).
    package struct LowOrderPoint: Error {}

    /// The secret shared with the owner of a public key; never all zero.
    package static func sharedSecret(
        _ privateKey: borrowing X25519PrivateKey, _ publicKey: X25519PublicKey
    ) throws(LowOrderPoint) -> SecretKey {
        let secret = privateKey.withScalar { scalar in
            SecretKey { multiply(scalar, publicKey.bytes.span, into: &$0) }
        }
        try refuseZero(secret)
        return secret
    }

    /// Whether it is zero follows from the public key alone, so that it need not be hidden. In a
    /// function of its own, which is the only one that `.ci/crypto` lets branch on a secret.
    @inline(never)
    private static func refuseZero(_ secret: borrowing SecretKey) throws(LowOrderPoint) {
        if secret.withBytes({ ConstantTime.isAllZero($0) }) { throw LowOrderPoint() }
    }

    /// The function itself, of 32 bytes each: `scalar` times the point whose u is `point`.
    package static func multiply(
        _ scalar: Span<UInt8>, _ point: Span<UInt8>, into result: inout MutableSpan<UInt8>
    ) {
        let u = FieldElement(point)
        var ladder = MontgomeryLadder(u)
        // Clamped (RFC 7748 §5): bit 255 is zero, bit 254 is one, and the lowest three are zero.
        ladder.step(1)
        for position in stride(from: 253, through: 3, by: -1) {
            ladder.step(UInt64(scalar[position &>> 3] &>> UInt8(position & 7)) & 1)
        }
        for _ in 0..<3 { ladder.step(0) }
        ladder.finished().write(to: &result)
    }
}

/// The loop of RFC 7748 §5, with its names.
private struct MontgomeryLadder {
    let x1: FieldElement
    var x2 = FieldElement.one
    var z2 = FieldElement.zero
    var x3: FieldElement
    var z3 = FieldElement.one
    var swap: UInt64 = 0

    init(_ u: FieldElement) {
        x1 = u
        x3 = u
    }

    /// One bit of the scalar, which is zero or one, from the highest down.
    @inline(__always)
    mutating func step(_ bit: UInt64) {
        swap ^= bit
        FieldElement.exchange(&x2, &x3, if: swap)
        FieldElement.exchange(&z2, &z3, if: swap)
        swap = bit

        let a = x2 + z2
        let aa = a.squared()
        let b = x2 - z2
        let bb = b.squared()
        let e = aa - bb
        let da = (x3 - z3) * a
        let cb = (x3 + z3) * b
        x3 = (da + cb).squared()
        z3 = x1 * (da - cb).squared()
        x2 = aa * bb
        // a24 = (486662 − 2) / 4
        z2 = e * (aa + e.multiplied(by: 121_665))
    }

    /// x2 / z2.
    mutating func finished() -> FieldElement {
        FieldElement.exchange(&x2, &x3, if: swap)
        FieldElement.exchange(&z2, &z3, if: swap)
        return x2 * z2.inverted()
    }
}
