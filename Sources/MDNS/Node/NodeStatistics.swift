/// What a node has counted since it began.
public struct NodeStatistics: Sendable {
    /// One counter.
    public struct Counter: Sendable {
        /// What is counted, `queriesReceived`.
        public var name: String
        /// How many there were.
        public var count: Int
        /// What that says, in a few words for people.
        public var meaning: String
    }

    /// All counters, always in the same order.
    public var counters: [Counter]

    /// The counter of that name; 0 if there is none.
    public subscript(name: String) -> Int {
        counters.first { $0.name == name }?.count ?? 0
    }
}
