package import NetworkPrimitives

/// Lets so many things happen a second, and a number of them at once.
package struct TokenBucket: Hashable, Sendable {
    private let capacity: Int64
    /// Nanoseconds for one token.
    private let interval: Int64
    private var tokens: Int64
    /// When the last token was added that is counted.
    private var last: Instant

    /// A full bucket.
    package init(perSecond rate: Int, burst: Int, now: Instant) {
        capacity = Int64(max(burst, 1))
        interval = 1_000_000_000 / Int64(max(rate, 1))
        tokens = capacity
        last = now
    }

    /// Takes a token, if there is one.
    package mutating func take(now: Instant) -> Bool {
        refill(now)
        guard tokens > 0 else { return false }
        tokens -= 1
        return true
    }

    private mutating func refill(_ now: Instant) {
        // A full bucket does not save up time.
        guard tokens < capacity else {
            last = max(last, now)
            return
        }
        let elapsed = max(last.duration(to: now).wholeNanoseconds, 0)
        let added = elapsed / interval
        guard added < capacity - tokens else {
            tokens = capacity
            last = now
            return
        }
        tokens += added
        last = last.advanced(by: .nanoseconds(added * interval))
    }
}
