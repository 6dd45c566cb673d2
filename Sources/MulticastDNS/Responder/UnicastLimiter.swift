import NetworkPrimitives

/// The share of unicast answers that each source address may have.
///
/// A query is smaller than its answer and its source is easily forged, so that a responder
/// without a cap could be turned against a third host.
struct UnicastLimiter: Sendable {
    private struct Share: Sendable {
        /// The second that is being counted.
        var start: Instant
        var count: Int
    }

    private var shares: [IPAddress: Share] = [:]

    /// Whether one more answer may go to `source`, which is counted if so.
    mutating func admits(
        _ source: IPAddress, at now: Instant, perSecond cap: Int, sources limit: Int
    ) -> Bool {
        if var share = shares[source] {
            if share.start.duration(to: now) >= .seconds(1) { share = Share(start: now, count: 0) }
            // (D-28)
            guard share.count < cap else { return false }
            share.count += 1
            shares[source] = share
            return true
        }
        if shares.count >= limit {
            // Shares of a second gone by say nothing any more.
            shares = shares.filter { $0.value.start.duration(to: now) < .seconds(1) }
            // (D-28)
            guard shares.count < limit else { return false }
        }
        shares[source] = Share(start: now, count: 1)
        return cap > 0
    }
}
