public import PeerProtocol

/// Why a connection is over.
public enum DisconnectReason: Hashable, Sendable {
    /// This side closed it. `unsent` bytes did not leave.
    case closedHere(CloseReason, unsent: Int)
    /// The peer closed it, perhaps with a text for the log.
    case closedByPeer(CloseReason, text: String)
    /// Nothing came for so long that the peer must be gone.
    case silent
    /// The connection was cut without a word: the peer's program ended, or the network did.
    case cut
    /// The peer took too long, with what was due from it.
    case timedOut
    /// The peer broke a rule of the protocol; which one, for the log.
    case violation(String)
    /// It never came up: the handshake failed.
    case handshake(PeerSessionError)

    /// Whether one of both left the session, and nothing was wrong.
    public var isOrderly: Bool {
        switch self {
        case .closedHere(.left, unsent: 0), .closedByPeer(.left, _): true
        default: false
        }
    }
}

extension DisconnectReason: CustomStringConvertible {
    /// The reason as a sentence without its stop.
    public var description: String {
        switch self {
        case .closedHere(let reason, 0): "closed here: \(reason.text)"
        case .closedHere(let reason, let unsent):
            "closed here: \(reason.text); \(unsent) bytes did not leave in time"
        case .closedByPeer(let reason, ""): "closed by the peer: \(reason.text)"
        case .closedByPeer(let reason, let text): "closed by the peer: \(reason.text) (\(text))"
        case .silent: "nothing came from the peer any more"
        case .cut: "the connection was cut without a word"
        case .timedOut: "the peer took too long"
        case .violation(let what): "the peer broke the protocol: \(what)"
        case .handshake(let error): error.description
        }
    }
}

extension CloseReason {
    var text: String {
        switch self {
        case .left: "left the session"
        case .duplicate: "there is another connection"
        case .cloned: "two devices have the same key and number"
        case .notTrusted: "not trusted"
        case .refused: "no invitation was accepted"
        case .violation: "a rule of the protocol was broken"
        case .full: "as many peers as can be"
        case .timedOut: "nobody invited in time"
        default: "reason \(rawValue)"
        }
    }
}

extension DisconnectReason {
    init(_ end: LinkEnd) {
        switch end {
        case .closed(let reason, let text, byPeer: true, _):
            self = .closedByPeer(reason, text: text)
        case .closed(let reason, _, byPeer: false, let unsent):
            self = .closedHere(reason, unsent: unsent)
        case .violation(let violation): self = .violation("\(violation)")
        case .silent: self = .silent
        case .timedOut: self = .timedOut
        case .disconnected: self = .cut
        case .handshake, .wrongPeer: self = .handshake(PeerSessionError(end))
        }
    }
}

extension PeerSessionError {
    /// Why nothing came of a link, or of what was to be done on it.
    init(_ end: LinkEnd) {
        switch end {
        case .closed(.notTrusted, _, byPeer: true, _):
            self.init(
                .notTrustedByPeer,
                "The peer does not trust this device; its person has to accept the fingerprint.")
        case .closed(.notTrusted, _, byPeer: false, _):
            self.init(.notTrusted, "The peer is not trusted here.")
        case .closed(.cloned, _, _, _):
            self.init(
                .cloned,
                "Two devices have the same key and number, as after copying a disk; delete the "
                    + "key on one of them.")
        case .closed(.full, _, _, _):
            self.init(.full, "The peer has as many connections as it can have; try again later.")
        case .closed(.timedOut, _, _, _), .timedOut:
            self.init(.timedOut, "The peer took too long; try again.")
        case .wrongPeer(_, let found):
            self.init(
                .wrongPeer,
                "Another peer answered: '\(found.name)' with the fingerprint "
                    + "\(found.identity.key.fingerprint).")
        case .handshake(let error): self.init(error)
        default:
            self.init(
                .disconnected, "The connection is over: \(DisconnectReason(end)); connect again.")
        }
    }

    private init(_ error: PeerHandshakeError) {
        switch error {
        case .preface(.notOurProtocol):
            self.init(.notAPeer, "Something else than a peer answered; check the port.")
        case .negotiation(.incompatible(let theirs, let ours)):
            self.init(
                .incompatible,
                "The peer speaks version \(theirs) of the protocol and this side \(ours); update "
                    + "the older one.")
        case .negotiation(.encryptionMismatch):
            self.init(
                .encryptionMismatch,
                "One side asks for clear text and the other does not; set both alike.")
        case .negotiation(.secretMismatch(let theyWantOne)):
            self.init(
                .authenticationFailed,
                theyWantOne
                    ? "The peer wants proof of a shared secret; give the same to both."
                    : "The peer knows of no shared secret; give the same to both.")
        case .negotiation(.sameRole):
            self.init(.wrongPeer, "The connection led back to this side.")
        case .noise:
            self.init(
                .authenticationFailed,
                "The handshake failed: the service type or the secret differs, or somebody changed "
                    + "what was sent.")
        case .timedOut: self.init(.timedOut, "The peer did not answer the handshake in time.")
        default: self.init(.notAPeer, "What answered broke the handshake: \(error).")
        }
    }
}
