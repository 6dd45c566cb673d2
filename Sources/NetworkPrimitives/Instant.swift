/// A point on the clock that the engines are driven by, in nanoseconds.
///
/// On a real system it counts from boot and goes on while the machine sleeps, because cached
/// times to live must age then too; in a simulation it is whatever the simulation says.
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    /// An instant at that many nanoseconds.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The clock's zero.
    public static let zero = Instant(nanoseconds: 0)
    /// Later than anything that is ever due. Inlinable, so that a look at it is known to change
    /// nothing.
    @inlinable
    public static var never: Instant { Instant(nanoseconds: .max) }

    /// The instant later by `duration`; it stops at the ends of the range rather than trap.
    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        guard overflow else { return Instant(nanoseconds: sum) }
        return Instant(nanoseconds: duration < .zero ? .min : .max)
    }

    /// The time from this instant to `other`.
    public func duration(to other: Instant) -> Duration {
        let (difference, overflow) =
            other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        guard overflow else { return .nanoseconds(difference) }
        return .nanoseconds(other < self ? Int64.min : Int64.max)
    }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds, saturated at the range of 64 bits (292 years).
    public var wholeNanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }
}
