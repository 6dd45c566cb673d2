/// What is combined with what: one side of a table of pairs.
package protocol PairSide: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// Where a pair is tried: the families and interfaces of the engine under test, and where its
/// neighbour speaks.
package enum PairPlace: String, PairSide {
    case ipv4 = "IPv4 alone"
    case ipv6 = "IPv6 alone"
    case dual = "both families, asked over IPv4"
    case dualOverIPv6 = "both families, asked over IPv6"
    case second = "two interfaces with both families, asked on the second"

    package var hasOneFamily: Bool { self == .ipv4 || self == .ipv6 }
}

/// Two behaviours together, in a place.
package struct Pair<First: PairSide, Second: PairSide>: Hashable, Sendable,
    CustomStringConvertible
{
    package let first: First
    package let second: Second
    package let place: PairPlace

    package var description: String {
        "\(first.rawValue) × \(second.rawValue), \(place.rawValue)"
    }
}

/// A table of pairs, the test that tries all of them, and which can't be.
package struct PairGroup<First: PairSide, Second: PairSide>: Sendable {
    package let title: String
    /// The file and the display name of the test.
    package let file: String
    package let test: String
    /// Why a pair can't be in a place; nil for one that can.
    private let obstacle: @Sendable (First, Second, PairPlace) -> String?

    init(
        _ title: String, file: String, test: String,
        obstacle: @escaping @Sendable (First, Second, PairPlace) -> String? = { _, _, _ in nil }
    ) {
        self.title = title
        self.file = file
        self.test = test
        self.obstacle = obstacle
    }

    /// Every pair that there can be, in every place: what the test is given.
    package var pairs: [Pair<First, Second>] {
        First.allCases.flatMap { first in
            Second.allCases.flatMap { second in
                PairPlace.allCases.filter { obstacle(first, second, $0) == nil }
                    .map { Pair(first: first, second: second, place: $0) }
            }
        }
    }

    package var table: PairGroupTable {
        var obstacles: [String] = []
        let rows = First.allCases.map { first in
            let cells = Second.allCases.map { second in
                let reasons = PairPlace.allCases.map { obstacle(first, second, $0) }
                guard let reason = reasons.compactMap({ $0 }).first else { return "tested" }
                let number = obstacles.firstIndex(of: reason) ?? obstacles.count
                if number == obstacles.count { obstacles.append(reason) }
                return reasons.contains(nil)
                    ? "tested, not everywhere (\(number + 1))" : "impossible (\(number + 1))"
            }
            return (name: first.rawValue, cells: cells)
        }
        return PairGroupTable(
            title: title, file: file, test: test, columns: Second.allCases.map { $0.rawValue },
            rows: rows, obstacles: obstacles, count: pairs.count)
    }
}

/// A group of pairs as it stands on the page.
package struct PairGroupTable: Sendable {
    package let title: String
    package let file: String
    package let test: String
    package let columns: [String]
    package let rows: [(name: String, cells: [String])]
    package let obstacles: [String]
    /// How many pairs are tried, each place counted.
    package let count: Int
}
