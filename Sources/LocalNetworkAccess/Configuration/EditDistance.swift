/// How many letters two words are apart (Levenshtein), the case of ASCII letters left out.
enum EditDistance {
    /// Whether so many insertions, removals and changes, or fewer, make one word the other.
    static func isAtMost(_ limit: Int, _ one: String, _ other: String) -> Bool {
        let one = Array(one.lowercased().utf8)
        let other = Array(other.lowercased().utf8)
        // Also keeps a key of a megabyte from costing anything.
        guard abs(one.count - other.count) <= limit else { return false }
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let change = diagonal + (other[column] == byte ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count] <= limit
    }
}
