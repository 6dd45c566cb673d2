/// When a frame was captured: time since 1970, to the nanosecond.
public struct CaptureTime: Hashable, Sendable, Comparable {
    /// Whole seconds, rounded down.
    public var seconds: Int64
    /// Nanoseconds after the whole second, below a thousand million.
    public var nanoseconds: UInt32

    /// The time so many seconds and nanoseconds after 1970; nanoseconds beyond a second are
    /// carried over.
    public init(seconds: Int64, nanoseconds: UInt32 = 0) {
        self.seconds = seconds &+ Int64(nanoseconds / 1_000_000_000)
        self.nanoseconds = nanoseconds % 1_000_000_000
    }

    /// The time after `other`, in nanoseconds; saturated at the range of 64 bits.
    public func nanoseconds(since other: CaptureTime) -> Int64 {
        let (seconds, far) = seconds.subtractingReportingOverflow(other.seconds)
        let (scaled, long) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let rest = Int64(nanoseconds) - Int64(other.nanoseconds)
        let (sum, over) = scaled.addingReportingOverflow(rest)
        guard far || long || over else { return sum }
        return self < other ? .min : .max
    }

    public static func < (left: CaptureTime, right: CaptureTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// The unit in which an interface of a pcapng file counts time (its option `if_tsresol`).
struct TimeResolution: Hashable, Sendable {
    /// The option's byte: the top bit set for a power of two, else of ten; below it the
    /// negative exponent.
    var rawValue: UInt8

    /// Microseconds, where the file says nothing.
    static let microseconds = TimeResolution(rawValue: 6)

    /// The time at that many units, `offset` seconds added.
    func time(units: UInt64, offset: Int64) -> CaptureTime {
        let exponent = Int(rawValue & 0x7F)
        let seconds: UInt64
        let nanoseconds: UInt64
        if rawValue & 0x80 != 0 {
            seconds = exponent < 64 ? units >> UInt64(exponent) : 0
            let rest = exponent < 64 ? units - seconds << UInt64(exponent) : units
            // Below 2^64 * 10^9: fits 128 bits.
            let scaled = (UInt128(rest) * 1_000_000_000) >> UInt128(exponent)
            nanoseconds = UInt64(truncatingIfNeeded: scaled)
        } else if exponent <= 19 {
            let unitsPerSecond = Self.powerOfTen(exponent)
            seconds = units / unitsPerSecond
            let rest = units % unitsPerSecond
            nanoseconds =
                exponent <= 9
                ? rest * Self.powerOfTen(9 - exponent) : rest / Self.powerOfTen(exponent - 9)
        } else {
            seconds = 0
            nanoseconds = exponent <= 28 ? units / Self.powerOfTen(exponent - 9) : 0
        }
        return CaptureTime(
            seconds: Int64(truncatingIfNeeded: seconds) &+ offset,
            nanoseconds: UInt32(truncatingIfNeeded: nanoseconds))
    }

    /// Ten to the power of 0 to 19, the largest that fits.
    private static func powerOfTen(_ exponent: Int) -> UInt64 {
        var value: UInt64 = 1
        for _ in 0..<min(exponent, 19) { value *= 10 }
        return value
    }
}
