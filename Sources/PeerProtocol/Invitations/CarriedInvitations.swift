/// Which invitations are on their way on one of several links, and whether one has connected it.
///
/// The link must know by itself, because what follows a confirmation in the same record is for
/// the connected. `LinkSelection` decides on everything else.
struct CarriedInvitations: Sendable {
    private var own: UInt64?
    private var theirs: UInt64?
    /// The invitation of the other side that this side's application accepted on this link.
    private var accepted: UInt64?

    private(set) var isConnected = false

    /// Whether nothing is going on.
    var isIdle: Bool { !isConnected && own == nil && theirs == nil }

    mutating func send(_ message: InvitationMessage) {
        switch message {
        case .invite(let number, _): own = number
        case .accept(let number): accepted = number
        case .confirm(let number): isConnected = isConnected || own == number
        case .refuse(let number, _, _): if theirs == number { theirs = nil }
        case .withdraw(let number, _): if own == number { own = nil }
        }
    }

    mutating func receive(_ message: InvitationMessage) {
        switch message {
        case .invite(let number, _):
            theirs = number
            accepted = nil
        case .accept: break
        case .confirm(let number): isConnected = isConnected || accepted == number
        case .refuse(let number, _, _): if own == number { own = nil }
        case .withdraw(let number, _):
            if theirs == number { theirs = nil }
            if accepted == number { accepted = nil }
        }
    }
}
