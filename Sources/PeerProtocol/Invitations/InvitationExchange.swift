package import NetworkPrimitives

/// The invitations between this peer and another one, in both directions.
///
/// Both may invite at once, and both applications get the other's invitation. The first
/// acceptance connects, and what is declined later changes nothing. It failed only when every
/// invitation that was made is refused or its time is over.
///
/// An acceptance counts when the side that invited confirms it: an invitation whose time ended on
/// the way to it could otherwise be accepted on one side only. The side that invited decides once,
/// so both come to the same result, in whatever order messages of two connections arrive. Where
/// both applications accept, one side only confirms, so that there is one confirmation and the
/// connection it came on is the one that stays.
package struct InvitationExchange: Sendable {
    /// What came of the last input, in order.
    package enum Effect: Hashable, Sendable {
        /// To be sent to the other peer.
        case send(InvitationMessage)
        /// To be shown to the application, which accepts or declines.
        case invited(number: UInt64, Invitation)
        /// The invitation that was shown no longer holds.
        case withdrawn(number: UInt64, InvitationRefusal)
        /// Both peers are connected.
        case connected
        /// This peer's invitation came to nothing, and so did the other's if there was one.
        case failed(InvitationRefusal)
    }

    /// This side's invitation.
    private enum Outgoing: Equatable {
        case none
        case pending(number: UInt64, deadline: Instant)
        /// The other side's application accepted in time, and this side's has accepted the other's
        /// invitation: that side decides by which one the two are connected.
        case answered(number: UInt64)
        case refused(InvitationRefusal)
    }

    /// The other side's invitation.
    private enum Incoming: Equatable {
        case none
        /// The other side said that it is on its way.
        case announced(deadline: Instant)
        case pending(number: UInt64, deadline: Instant)
        /// This side's application accepted; the other side has to confirm.
        case accepted(number: UInt64)
        case refused
    }

    /// Whether this side confirms where both applications have accepted.
    private let confirmsCrossed: Bool
    private var outgoing = Outgoing.none
    private var incoming = Incoming.none
    private var lastIncoming: UInt64?

    /// Whether the two are connected.
    package private(set) var isConnected = false

    /// Without any invitation.
    ///
    /// - Parameter confirmsCrossed: Whether this side confirms where both applications have
    ///   accepted. With two connections it must hold on one side only; with one connection a
    ///   second confirmation is ignored.
    package init(confirmsCrossed: Bool = true) { self.confirmsCrossed = confirmsCrossed }

    /// When `advance` wants to be called.
    package var deadline: Instant? {
        var times: [Instant] = []
        if case .pending(_, let time) = outgoing { times.append(time) }
        switch incoming {
        case .announced(let time), .pending(_, let time): times.append(time)
        default: break
        }
        return times.min()
    }

    /// Whether an invitation of the other side waits for this side's application.
    package var isAsking: Bool {
        if case .pending = incoming { return true }
        return false
    }

    /// Whether nothing is going on.
    package var isIdle: Bool { !isConnected && outgoing == .none && incoming == .none }

    // MARK: The application

    /// The application invites the other peer.
    ///
    /// - Parameter number: From 1, higher than that of every invitation of this run before.
    package mutating func invite(
        _ invitation: Invitation, number: UInt64, now: Instant
    ) throws(InvitationError) -> [Effect] {
        if isConnected { throw .alreadyConnected }
        switch outgoing {
        case .pending, .answered: throw .alreadyInvited
        case .none, .refused: break
        }
        outgoing = .pending(number: number, deadline: now.advanced(by: invitation.time))
        return [.send(.invite(number: number, invitation))]
    }

    /// The application accepts an invitation. Nothing happens if it no longer holds.
    package mutating func accept(number: UInt64) -> [Effect] {
        guard !isConnected, case .pending(number, _) = incoming else { return [] }
        incoming = .accepted(number: number)
        return [.send(.accept(number: number))]
    }

    /// The application declines an invitation. Nothing happens if it no longer holds, or the two
    /// are connected by the other one.
    package mutating func decline(
        number: UInt64, _ reason: InvitationRefusal = .declined
    ) -> [Effect] {
        guard !isConnected, case .pending(number, _) = incoming else { return [] }
        incoming = .refused
        return [refusal(number, reason)] + settle()
    }

    /// The application takes its invitation back.
    package mutating func withdraw() -> [Effect] { endOutgoing(.withdrawn) }

    // MARK: The other peer

    /// A message came from the other peer. `canAsk` is whether one more invitation can be kept.
    package mutating func receive(
        _ message: InvitationMessage, canAsk: Bool = true, now: Instant
    ) -> [Effect] {
        switch message {
        case .invite(let number, let invitation):
            return receive(invitation, number: number, canAsk: canAsk, now: now)
        case .accept(let number):
            guard case .pending(number, _) = outgoing, !isConnected else { return [] }
            if case .accepted = incoming, !confirmsCrossed {
                outgoing = .answered(number: number)
                return []
            }
            return [.send(.confirm(number: number))] + connect()
        case .confirm(let number):
            guard case .accepted(number) = incoming, !isConnected else { return [] }
            return connect()
        case .refuse(let number, let reason, let own):
            guard case .pending(number, let deadline) = outgoing, !isConnected else { return [] }
            outgoing = .refused(reason)
            // By another connection it may come later than its sender's refusal.
            if let own, own > lastIncoming ?? 0, incoming == .none {
                incoming = .announced(deadline: deadline)
            }
            return settle()
        case .withdraw(let number, let reason):
            return receiveWithdrawal(number, reason)
        }
    }

    /// The other peer is gone, or its last connection was closed.
    package mutating func disconnect() -> [Effect] {
        defer { self = InvitationExchange(confirmsCrossed: confirmsCrossed) }
        if isConnected { return [] }
        var effects: [Effect] = []
        switch incoming {
        case .pending(let number, _), .accepted(let number):
            effects.append(.withdrawn(number: number, .withdrawn))
        default: break
        }
        switch outgoing {
        case .none: break
        case .pending, .answered: effects.append(.failed(.noAnswer))
        case .refused(let reason): effects.append(.failed(reason))
        }
        return effects
    }

    /// The connection is gone on which this side invited.
    package mutating func endOutgoingConnection() -> [Effect] {
        guard !isConnected else { return [] }
        switch outgoing {
        case .pending, .answered: outgoing = .refused(.noAnswer)
        case .none, .refused: return []
        }
        return settle()
    }

    /// The connection is gone on which the other side invited.
    package mutating func endIncomingConnection() -> [Effect] {
        guard !isConnected else { return [] }
        switch incoming {
        case .pending(let number, _), .accepted(let number):
            incoming = .refused
            return [.withdrawn(number: number, .withdrawn)] + settle()
        case .none, .announced, .refused: return []
        }
    }

    /// The time is `now`.
    package mutating func advance(to now: Instant) -> [Effect] {
        guard !isConnected else { return [] }
        var effects: [Effect] = []
        switch incoming {
        case .announced(let deadline) where deadline <= now:
            incoming = .refused
            effects += settle()
        case .pending(let number, let deadline) where deadline <= now:
            incoming = .refused
            effects += [
                .withdrawn(number: number, .noAnswer), refusal(number, .noAnswer),
            ]
            effects += settle()
        default: break
        }
        if case .pending(_, let deadline) = outgoing, deadline <= now {
            effects += endOutgoing(.noAnswer)
        }
        return effects
    }

    // MARK: Steps

    private mutating func receive(
        _ invitation: Invitation, number: UInt64, canAsk: Bool, now: Instant
    ) -> [Effect] {
        // A copy, or one whose withdrawal overtook it.
        guard !isConnected, number > lastIncoming ?? 0 else { return [] }
        lastIncoming = number
        var effects: [Effect] = []
        switch incoming {
        // A peer has one invitation at a time: its former one no longer holds.
        case .pending(let former, _), .accepted(let former):
            effects.append(.withdrawn(number: former, .withdrawn))
        case .none, .announced, .refused: break
        }
        if case .answered = outgoing {
            incoming = .none
            return effects + settle()
        }
        guard canAsk else {
            incoming = .refused
            return effects + [refusal(number, .full)] + settle()
        }
        incoming = .pending(number: number, deadline: now.advanced(by: invitation.time))
        return effects + [.invited(number: number, invitation)]
    }

    private mutating func receiveWithdrawal(
        _ number: UInt64, _ reason: InvitationRefusal
    ) -> [Effect] {
        lastIncoming = max(lastIncoming ?? 0, number)
        guard !isConnected else { return [] }
        switch incoming {
        case .pending(number, _), .accepted(number):
            incoming = .refused
            return [.withdrawn(number: number, reason)] + settle()
        case .announced:
            incoming = .refused
            return settle()
        default: return []
        }
    }

    private mutating func endOutgoing(_ reason: InvitationRefusal) -> [Effect] {
        guard !isConnected, case .pending(let number, _) = outgoing else { return [] }
        outgoing = .refused(reason)
        return [.send(.withdraw(number: number, reason))] + settle()
    }

    private func refusal(_ number: UInt64, _ reason: InvitationRefusal) -> Effect {
        var own: UInt64?
        if case .pending(let number, _) = outgoing { own = number }
        return .send(.refuse(number: number, reason, own: own))
    }

    private mutating func connect() -> [Effect] {
        isConnected = true
        outgoing = .none
        incoming = .none
        return [.connected]
    }

    /// Whether all came to nothing; then the next invitation begins anew.
    private mutating func settle() -> [Effect] {
        guard incoming == .none || incoming == .refused else { return [] }
        switch outgoing {
        case .pending: return []
        case .answered(let number): return [.send(.confirm(number: number))] + connect()
        case .none:
            incoming = .none
            return []
        case .refused(let reason):
            outgoing = .none
            incoming = .none
            return [.failed(reason)]
        }
    }
}
