/// Comparisons that take the same time whatever the bytes are: only the lengths show.
package enum ConstantTime {
    /// Whether the bytes are the same. Lengths are not secret.
    package static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return isZero(difference)
    }

    /// Whether every byte is zero.
    package static func isAllZero(_ bytes: Span<UInt8>) -> Bool {
        var sum: UInt8 = 0
        for index in bytes.indices { sum |= bytes[index] }
        return isZero(sum)
    }

    /// Whether a number is zero: its halves are joined before one comparison.
    @inline(never)
    static func isZero(_ number: UInt128) -> Bool {
        let joined =
            UInt64(truncatingIfNeeded: number) | UInt64(truncatingIfNeeded: number &>> 64)
        return joined == 0
    }

    /// In a function of its own, so that the loops above are not made to end early.
    @inline(never)
    private static func isZero(_ byte: UInt8) -> Bool { byte == 0 }
}
