import NetworkPrimitives

/// Which stream of a class sends next: each in its turn, as many frames as its weight.
struct SendingTurns: Sendable {
    private var ring = Queue<UInt64>()
    private var members: Set<UInt64> = []
    /// Frames that the first one has sent in its turn.
    private var sentInTurn = 0

    var count: Int { ring.count }

    var current: UInt64? { ring.first }

    /// Adds a stream that may have something to send; one that is in it already stays in its place.
    mutating func add(_ number: UInt64) {
        if members.insert(number).inserted { ring.append(number) }
    }

    /// The first one has nothing to send.
    mutating func removeCurrent() {
        if let number = ring.popFirst() { members.remove(number) }
        sentInTurn = 0
    }

    /// The first one can't send now.
    mutating func skipCurrent() {
        if let number = ring.popFirst() { ring.append(number) }
        sentInTurn = 0
    }

    /// The first one sent a frame.
    mutating func countFrame(weight: Int) {
        sentInTurn += 1
        if sentInTurn >= weight { skipCurrent() }
    }
}
