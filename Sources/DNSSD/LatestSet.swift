import DNS
import NetworkPrimitives

/// The values of one record set as a host last announced them.
///
/// When a unique set changes, the old member stays in the cache for a second beside the new one
/// (RFC 6762 §10.2). What is about to be flushed should not be chosen then.
struct LatestSet<Value: Hashable & Sendable>: Sendable {
    private struct Member: Sendable {
        var value: Value
        var arrival: Instant
        var flushes: Bool
    }

    private let limit: Int
    private var members: [Member] = []

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { members.isEmpty }

    /// The values that count, in the order of their arrival.
    var values: [Value] {
        guard members.count > 1,
            let flush = members.filter(\.flushes).map(\.arrival).max()
        else { return members.map(\.value) }
        // Members of the new set arrive within a second of each other.
        let oldest = flush.advanced(by: .zero - DiscoveryTiming.flushGrace)
        return members.filter { $0.arrival > oldest }.map(\.value)
    }

    mutating func add(_ value: Value, flushes: Bool, at now: Instant) {
        guard !members.contains(where: { $0.value == value }), members.count < limit else {
            return
        }
        members.append(Member(value: value, arrival: now, flushes: flushes))
    }

    mutating func remove(_ value: Value) {
        members.removeAll { $0.value == value }
    }
}
