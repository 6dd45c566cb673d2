/// Counts comparisons that came to nothing, so that nobody gets a million tries.
///
/// A comparison counts from its start and stops counting when both persons said yes; whoever
/// breaks off has used a try. There are tries in total, because a man in the middle shows a new
/// key each time, and tries for each key. No clock gives any back: a person does.
package struct ShortStringAttempts: Hashable, Sendable {
    /// The most comparisons that come to nothing, over all peers.
    package static let maximumTotal = 10
    /// The most with one key.
    package static let maximumPerKey = 3

    private var failures: [DeviceKey: Int] = [:]

    /// Comparisons that came to nothing or run now, over all peers.
    package private(set) var total = 0

    /// With all tries left.
    package init() {}

    /// Comparisons with a key that came to nothing or run now.
    package func count(for key: DeviceKey) -> Int { failures[key] ?? 0 }

    /// A comparison with that key is about to begin.
    ///
    /// - Returns: Whether it may.
    package mutating func begin(with key: DeviceKey) -> Bool {
        guard total < Self.maximumTotal, count(for: key) < Self.maximumPerKey else { return false }
        total += 1
        failures[key, default: 0] += 1
        return true
    }

    /// A comparison with that key ended with two yeses: its own try is given back. Others stay
    /// counted.
    package mutating func verified(_ key: DeviceKey) {
        guard let count = failures[key], count > 0 else { return }
        failures[key] = count == 1 ? nil : count - 1
        total -= 1
    }

    /// A person looked at what failed and allows all tries again.
    package mutating func reset() {
        failures = [:]
        total = 0
    }
}
