package import NetworkPrimitives

/// The invitations of one session, with every peer.
package struct InvitationTable: Sendable {
    /// The most invitations of others that wait for the application.
    package static let maximumAsking = 16

    /// An effect and the peer it concerns.
    package struct Effect: Hashable, Sendable {
        /// With which peer.
        package let peer: PeerIdentity
        /// What came of the last input.
        package let effect: InvitationExchange.Effect
    }

    private struct Entry {
        let peer: PeerIdentity
        var exchange = InvitationExchange()
    }

    /// In the order of the peers.
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 1

    /// With no invitation.
    package init() {}

    /// When `advance` wants to be called.
    package var deadline: Instant? { entries.compactMap { $0.exchange.deadline }.min() }

    /// How many invitations of others wait for the application.
    package var askingCount: Int { entries.count { $0.exchange.isAsking } }

    /// Whether the session is connected with that peer.
    package func isConnected(_ peer: PeerIdentity) -> Bool {
        let index = index(of: peer)
        return index < entries.count && entries[index].peer == peer
            && entries[index].exchange.isConnected
    }

    /// The application invites a peer.
    package mutating func invite(
        _ peer: PeerIdentity, _ invitation: Invitation, now: Instant
    ) throws(InvitationError) -> [Effect] {
        let index = entry(for: peer)
        let effects = try entries[index].exchange.invite(
            invitation, number: nextNumber, now: now)
        nextNumber += 1
        return finish(effects, index)
    }

    /// The application accepts a peer's invitation.
    package mutating func accept(_ peer: PeerIdentity, number: UInt64) -> [Effect] {
        let index = entry(for: peer)
        return finish(entries[index].exchange.accept(number: number), index)
    }

    /// The application declines a peer's invitation.
    package mutating func decline(_ peer: PeerIdentity, number: UInt64) -> [Effect] {
        let index = entry(for: peer)
        return finish(entries[index].exchange.decline(number: number), index)
    }

    /// The application takes back its invitation to a peer.
    package mutating func withdraw(_ peer: PeerIdentity) -> [Effect] {
        let index = entry(for: peer)
        return finish(entries[index].exchange.withdraw(), index)
    }

    /// A message came from a peer.
    package mutating func receive(
        _ message: InvitationMessage, from peer: PeerIdentity, now: Instant
    ) -> [Effect] {
        let index = entry(for: peer)
        // One that takes the place of the peer's former one needs no room.
        let canAsk = entries[index].exchange.isAsking || askingCount < Self.maximumAsking
        return finish(
            entries[index].exchange.receive(message, canAsk: canAsk, now: now), index)
    }

    /// The last connection to a peer was closed.
    package mutating func disconnect(_ peer: PeerIdentity) -> [Effect] {
        let index = entry(for: peer)
        let effects = entries[index].exchange.disconnect()
        entries.remove(at: index)
        return effects.map { Effect(peer: peer, effect: $0) }
    }

    /// The time is `now`.
    package mutating func advance(to now: Instant) -> [Effect] {
        var effects: [Effect] = []
        for index in entries.indices {
            let peer = entries[index].peer
            effects += entries[index].exchange.advance(to: now).map {
                Effect(peer: peer, effect: $0)
            }
        }
        return effects
    }

    private func index(of peer: PeerIdentity) -> Int {
        entries.partitionIndex { $0.peer < peer }
    }

    /// Where the peer's exchange is, which is made if there is none. It stays until the peer is
    /// disconnected, because it knows which invitations it has seen.
    private mutating func entry(for peer: PeerIdentity) -> Int {
        let index = index(of: peer)
        if index == entries.count || entries[index].peer != peer {
            entries.insert(Entry(peer: peer), at: index)
        }
        return index
    }

    private func finish(
        _ effects: [InvitationExchange.Effect], _ index: Int
    ) -> [Effect] {
        let peer = entries[index].peer
        return effects.map { Effect(peer: peer, effect: $0) }
    }
}
