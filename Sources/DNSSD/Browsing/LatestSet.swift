import DNSMessages
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
    var values: [Value] { counting.map { $0.value } }

    /// The values that count, those of the last announcement first, its own order kept.
    ///
    /// Of a set that changed twice within a second nothing is flushed (RFC 6762 §10.2): the
    /// older members stay, and only their age tells them from the newer.
    var newestFirst: [Value] {
        counting.enumerated().sorted { first, second in
            (second.element.arrival, first.offset) < (first.element.arrival, second.offset)
        }.map { $0.element.value }
    }

    private var counting: [Member] {
        guard members.count > 1,
            let flush = members.filter({ $0.flushes }).map({ $0.arrival }).max()
        else { return members }
        // Members of the new set arrive within a second of each other.
        let oldest = flush.advanced(by: .zero - DiscoveryTiming.flushGrace)
        return members.filter { $0.arrival > oldest }
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
