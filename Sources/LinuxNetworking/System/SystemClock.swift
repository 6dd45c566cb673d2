import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's clocks.
package enum SystemClock {
    /// The time since boot, sleep included: cached times to live must age while a laptop sleeps.
    package static var now: Instant {
        Instant(nanoseconds: nanoseconds(CLOCK_BOOTTIME))
    }

    /// How long the machine has slept since boot. That it grew tells that it slept meanwhile.
    ///
    /// Two clocks are read one after the other, so it wavers by some microseconds.
    package static var timeAsleep: Duration {
        let awake = nanoseconds(CLOCK_MONOTONIC)
        return .nanoseconds(nanoseconds(CLOCK_BOOTTIME) - awake)
    }

    /// The processor time that this process has used.
    package static var processorTime: Duration {
        .nanoseconds(nanoseconds(CLOCK_PROCESS_CPUTIME_ID))
    }

    /// The time of day, in nanoseconds since 1970.
    package static var nanosecondsSince1970: Int64 {
        nanoseconds(CLOCK_REALTIME)
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Can only fail for a clock that doesn't exist; these do in every supported kernel.
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
