/// How often a run came to what its rules are for: a rule is proved by a run only if the run
/// reached what it rules.
package struct Situations: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case tieWon = "ties won"
        case tieLost = "ties lost"
        case conflictWon = "conflicts won"
        case conflictLost = "conflicts lost"
        case renamedTwice = "second renames"
        case updateWhileProbing = "updates while probing"
        case update = "updates"
        case cacheFlush = "cache flushes"
        case goodbye = "goodbyes"
        case rescue = "rescues after a goodbye"
        case firstRefresh = "first refreshes"
        case secondRefresh = "second refreshes"
        case thirdRefresh = "third refreshes"
        case fourthRefresh = "fourth refreshes"
        case passiveFailure = "failures observed passively"
        case truncated = "known answers in several packets"
        case staleKnownAnswer = "known answers past half their lifetime"
        case legacyQuery = "legacy replies"
        case unicastReply = "unicast replies"
        case overdueMulticast = "unicast questions due a multicast"
        case negative = "negative responses"
        case wake = "wakes"
        case linkUp = "links up"
        case linkDown = "links down"
        case addressChange = "address changes"
        case crash = "crashes"
        case bothFamilies = "names claimed over both families"
        case secondInterface = "names claimed on a second interface"
    }

    private var counts: [Kind: Int] = [:]

    package init() {}

    package subscript(kind: Kind) -> Int { counts[kind] ?? 0 }

    mutating func note(_ kind: Kind) { counts[kind, default: 0] += 1 }

    /// Adds what another run came to.
    package mutating func add(_ other: Situations) {
        for (kind, count) in other.counts { counts[kind, default: 0] += count }
    }

    /// What never occurred.
    package var missing: [Kind] { Kind.allCases.filter { self[$0] == 0 } }

    /// All counts in a few lines.
    package var summary: String {
        Kind.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }
            .joined(separator: ", ")
    }
}
