package import NetworkPrimitives

/// Tells a peer that was restarted from one whose device was copied.
///
/// Both show the same key and number under a new run number. The run that is connected is pinged:
/// one second of silence means that it is gone and the new one is its restart; an answer means
/// that both are alive, so they are clones. Until that is known the new connection waits.
package struct RunTable: Sendable {
    /// How long a run that is alive may take to answer.
    package static let answerTime: Duration = .seconds(1)
    /// The most runs of one peer that wait; further ones are refused as clones.
    package static let maximumWaiting = 4

    /// What to do, in order.
    package enum Effect: Hashable, Sendable {
        /// Ping the connection of that run.
        case ping(PeerIdentity, RunNumber)
        /// The run is the peer's only one: its connection may go on.
        case accept(PeerIdentity, RunNumber)
        /// The old run is gone. Its connection is closed, and its application told `left`.
        case restarted(PeerIdentity, old: RunNumber, new: RunNumber)
        /// Both are alive. The new connection is refused with `cloned`, and the old one told.
        case cloned(PeerIdentity, alive: RunNumber, refused: RunNumber)
    }

    private struct Entry {
        let identity: PeerIdentity
        var current: RunNumber
        var waiting: [RunNumber] = []
        var deadline: Instant?
    }

    /// In the order of identities.
    private var entries: [Entry] = []

    /// With no peer.
    package init() {}

    /// When `advance` wants to be called.
    package var deadline: Instant? {
        var earliest: Instant?
        for entry in entries {
            if let time = entry.deadline { earliest = earliest.map { min($0, time) } ?? time }
        }
        return earliest
    }

    /// A handshake proved that run of a peer.
    package mutating func connected(
        _ identity: PeerIdentity, _ run: RunNumber, now: Instant
    ) -> [Effect] {
        let index = index(of: identity)
        guard index < entries.count, entries[index].identity == identity else {
            entries.insert(Entry(identity: identity, current: run), at: index)
            return [.accept(identity, run)]
        }
        if entries[index].current == run { return [.accept(identity, run)] }
        if entries[index].waiting.contains(run) { return [] }
        guard entries[index].waiting.count < Self.maximumWaiting else {
            return [.cloned(identity, alive: entries[index].current, refused: run)]
        }
        entries[index].waiting.append(run)
        if entries[index].deadline != nil { return [] }
        return [ping(index, now)]
    }

    /// Something came from that run that it can only have sent after the ping: the pong.
    package mutating func answered(_ identity: PeerIdentity, _ run: RunNumber) -> [Effect] {
        let index = index(of: identity)
        guard index < entries.count, entries[index].identity == identity,
            entries[index].current == run, entries[index].deadline != nil
        else { return [] }
        let refused = entries[index].waiting
        entries[index].waiting = []
        entries[index].deadline = nil
        return refused.map { .cloned(identity, alive: run, refused: $0) }
    }

    /// The last connection of that run was closed.
    package mutating func disconnected(
        _ identity: PeerIdentity, _ run: RunNumber, now: Instant
    ) -> [Effect] {
        let index = index(of: identity)
        guard index < entries.count, entries[index].identity == identity else { return [] }
        guard entries[index].current == run else {
            entries[index].waiting.removeAll { $0 == run }
            if entries[index].waiting.isEmpty { entries[index].deadline = nil }
            return []
        }
        guard !entries[index].waiting.isEmpty else {
            entries.remove(at: index)
            return []
        }
        return replace(index, now)
    }

    /// The time is `now`: runs that did not answer are gone.
    package mutating func advance(to now: Instant) -> [Effect] {
        var effects: [Effect] = []
        for index in entries.indices {
            guard let time = entries[index].deadline, time <= now else { continue }
            effects += replace(index, now)
        }
        return effects
    }

    /// The first run that waits becomes the current one, and has to answer to the next.
    private mutating func replace(_ index: Int, _ now: Instant) -> [Effect] {
        let old = entries[index].current
        entries[index].current = entries[index].waiting.removeFirst()
        entries[index].deadline = nil
        let identity = entries[index].identity
        let new = entries[index].current
        let effects: [Effect] = [
            .restarted(identity, old: old, new: new), .accept(identity, new),
        ]
        return entries[index].waiting.isEmpty ? effects : effects + [ping(index, now)]
    }

    private mutating func ping(_ index: Int, _ now: Instant) -> Effect {
        entries[index].deadline = now.advanced(by: Self.answerTime)
        return .ping(entries[index].identity, entries[index].current)
    }

    private func index(of identity: PeerIdentity) -> Int {
        entries.partitionIndex { $0.identity < identity }
    }
}
