package import NetworkPrimitives

/// The invitations between this peer and another one, over the links between the two: at most one
/// that this side dialled and one that the other side did. It decides which of both stays.
///
/// Where both sides invite at once, both dial. Everything about an invitation is sent on the link
/// on which it was made, and there is a single confirmation: the link it comes on stays, so the
/// confirmation is always ahead of what is sent on that link afterwards. The side that gets the
/// confirmation closes the other link with `duplicate`; the side that sent it does not, because
/// the confirmation may still be on its way.
///
/// The owner makes its links with `sharesInvitations`, hands over their events `invitation`, and
/// follows the effects. A link has the name of this side's role on it.
package struct LinkSelection: Sendable {
    /// What came of the last input, in order.
    package enum Effect: Hashable, Sendable {
        /// Call `send` of that link.
        case send(InvitationMessage, on: ConnectionRole)
        /// To be shown to the application, which accepts or declines.
        case invited(number: UInt64, Invitation)
        /// The invitation that was shown no longer holds.
        case withdrawn(number: UInt64, InvitationRefusal)
        /// Both peers are connected by that link.
        case connected(on: ConnectionRole)
        /// This peer's invitation came to nothing, and so did the other's if there was one.
        case failed(InvitationRefusal)
        /// Call `close` of that link.
        case close(ConnectionRole, CloseReason)
    }

    private var exchange: InvitationExchange
    /// Links on which this side may invite.
    private var links: Set<ConnectionRole> = []
    /// The link on which this side has invited.
    private var outgoing: ConnectionRole?
    /// The link on which the other side has invited.
    private var incoming: ConnectionRole?
    /// This side's invitation, as long as there is no link for it.
    private var unsent: InvitationMessage?

    /// The link that connects the two.
    package private(set) var staying: ConnectionRole?

    /// Without any link.
    package init(own: PeerIdentity, peer: PeerIdentity) {
        exchange = InvitationExchange(confirmsCrossed: own < peer)
    }

    /// When `advance` wants to be called.
    package var deadline: Instant? { exchange.deadline }

    /// Whether an invitation of the other side waits for this side's application.
    package var isAsking: Bool { exchange.isAsking }

    /// Whether nothing is going on.
    package var isIdle: Bool { exchange.isIdle }

    // MARK: Links

    /// A link is up, and this side has decided to trust the peer.
    ///
    /// - Returns: Nil if there is a link of that role already, or one that connects the two: close
    ///   this one with `duplicate`, and do not call `remove` for it.
    package mutating func add(_ role: ConnectionRole) -> [Effect]? {
        guard staying == nil, links.insert(role).inserted else { return nil }
        guard let unsent else { return [] }
        self.unsent = nil
        outgoing = role
        return [.send(unsent, on: role)]
    }

    /// A link has ended, or none could be made to any of the peer's addresses.
    package mutating func remove(_ role: ConnectionRole) -> [Effect] {
        links.remove(role)
        if staying == role {
            staying = nil
            (outgoing, incoming) = (nil, nil)
            return follow(exchange.disconnect(), on: role) + closeOthers(than: role)
        }
        var effects: [Effect] = []
        if outgoing == role || unsent != nil && role == .initiator {
            unsent = nil
            effects += follow(exchange.endOutgoingConnection(), on: role)
            outgoing = nil
        }
        if incoming == role {
            effects += follow(exchange.endIncomingConnection(), on: role)
            incoming = nil
        }
        return effects
    }

    // MARK: The application

    /// The application invites the other peer. Without a link the invitation leaves on the first
    /// one that comes up, in what is left of its time.
    ///
    /// - Parameter number: From 1, higher than that of every invitation of this run before.
    package mutating func invite(
        _ invitation: Invitation, number: UInt64, now: Instant
    ) throws(InvitationError) -> [Effect] {
        let effects = try exchange.invite(invitation, number: number, now: now)
        outgoing = links.contains(.initiator) ? .initiator : links.first
        guard outgoing != nil else {
            unsent = .invite(number: number, invitation)
            return []
        }
        return follow(effects, on: nil)
    }

    /// The application accepts an invitation. Nothing happens if it no longer holds.
    package mutating func accept(number: UInt64) -> [Effect] {
        follow(exchange.accept(number: number), on: nil)
    }

    /// The application declines an invitation. Nothing happens if it no longer holds, or the two
    /// are connected by the other one.
    package mutating func decline(
        number: UInt64, _ reason: InvitationRefusal = .declined
    ) -> [Effect] {
        follow(exchange.decline(number: number, reason), on: nil)
    }

    /// The application takes its invitation back.
    package mutating func withdraw() -> [Effect] { follow(exchange.withdraw(), on: nil) }

    // MARK: The other peer

    /// A message came on a link. `canAsk` is whether one more invitation can be kept.
    ///
    /// What is not on the link of its invitation is ignored.
    package mutating func receive(
        _ message: InvitationMessage, on role: ConnectionRole, canAsk: Bool = true, now: Instant
    ) -> [Effect] {
        switch message {
        case .invite: break
        case .accept, .refuse: guard outgoing == role else { return [] }
        case .confirm: guard incoming == role else { return [] }
        case .withdraw: guard incoming == nil || incoming == role else { return [] }
        }
        let effects = exchange.receive(message, canAsk: canAsk, now: now)
        if case .invite = message, !effects.isEmpty, !exchange.isConnected { incoming = role }
        let result = follow(effects, on: role)
        guard case .confirm = message else { return result }
        // The link takes itself for connected, by an invitation that the peer has taken back.
        guard staying == role else { return [.close(role, .violation)] }
        return result + closeOthers(than: role)
    }

    /// The time is `now`.
    package mutating func advance(to now: Instant) -> [Effect] {
        follow(exchange.advance(to: now), on: nil)
    }

    // MARK: Parts

    /// - Parameter role: The link on which a message came, if one did.
    private mutating func follow(
        _ effects: [InvitationExchange.Effect], on role: ConnectionRole?
    ) -> [Effect] {
        var result: [Effect] = []
        for effect in effects {
            switch effect {
            case .send(let message):
                if let link = carrier(of: message), links.contains(link) {
                    result.append(.send(message, on: link))
                    if case .confirm = message { staying = link }
                }
            case .invited(let number, let invitation):
                result.append(.invited(number: number, invitation))
            case .withdrawn(let number, let reason):
                result.append(.withdrawn(number: number, reason))
            case .connected:
                // Without a confirmation of this side, it came from the other one.
                staying = staying ?? role
                if let staying { result.append(.connected(on: staying)) }
            case .failed(let reason):
                unsent = nil
                result.append(.failed(reason))
            }
        }
        return result
    }

    /// The link on which a message of this side is sent.
    private mutating func carrier(of message: InvitationMessage) -> ConnectionRole? {
        switch message {
        case .invite, .confirm: return outgoing
        case .accept, .refuse: return incoming
        case .withdraw:
            unsent = nil
            return outgoing
        }
    }

    private func closeOthers(than role: ConnectionRole) -> [Effect] {
        links.contains(role.other) ? [.close(role.other, .duplicate)] : []
    }
}
