public import NetworkPrimitives

/// Why something could not be done with a session or a peer.
///
/// `description` is one whole sentence that says what to do about it; `code` is for programs.
public struct PeerSessionError: Error, Hashable, Sendable {
    /// The kind of error; open to growth.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name, stable between versions.
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The session is closed.
        public static let sessionClosed = Code(rawValue: "session-closed")
        /// The task that waited was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// What was given can't be used.
        public static let invalidArgument = Code(rawValue: "invalid-argument")
        /// The device's key or its trust can't be read.
        public static let storeFailed = Code(rawValue: "store-failed")
        /// Another program listens on the port.
        public static let portInUse = Code(rawValue: "port-in-use")
        /// Peers can't be advertised or browsed for.
        public static let discoveryFailed = Code(rawValue: "discovery-failed")
        /// The system failed in some other way.
        public static let systemFailure = Code(rawValue: "system-failure")
        /// None of the peer's addresses could be reached.
        public static let unreachable = Code(rawValue: "unreachable")
        /// It took too long.
        public static let timedOut = Code(rawValue: "timed-out")
        /// Another peer answered than was meant.
        public static let wrongPeer = Code(rawValue: "wrong-peer")
        /// This side does not trust the peer.
        public static let notTrusted = Code(rawValue: "not-trusted")
        /// The peer does not trust this side.
        public static let notTrustedByPeer = Code(rawValue: "not-trusted-by-peer")
        /// Two devices have the same key and number.
        public static let cloned = Code(rawValue: "cloned")
        /// What answered does not speak this protocol.
        public static let notAPeer = Code(rawValue: "not-a-peer")
        /// No version of the protocol is common to both.
        public static let incompatible = Code(rawValue: "incompatible")
        /// One side insists on clear text, the other on encryption.
        public static let encryptionMismatch = Code(rawValue: "encryption-mismatch")
        /// The service type or the secret differs, or somebody changed what was sent.
        public static let authenticationFailed = Code(rawValue: "authentication-failed")
        /// The peer declined the invitation.
        public static let declined = Code(rawValue: "declined")
        /// The peer did not answer the invitation in time.
        public static let noAnswer = Code(rawValue: "no-answer")
        /// One of both has as many peers or invitations as it can have.
        public static let full = Code(rawValue: "full")
        /// The invitation no longer holds.
        public static let invitationOver = Code(rawValue: "invitation-over")
        /// An invitation to that peer has not been answered yet.
        public static let alreadyInvited = Code(rawValue: "already-invited")
        /// The connection to the peer is over.
        public static let disconnected = Code(rawValue: "disconnected")
        /// The stream was ended by the other side in both directions.
        public static let streamReset = Code(rawValue: "stream-reset")
        /// The stream was finished by this side.
        public static let streamFinished = Code(rawValue: "stream-finished")
        /// A message is larger than one may be.
        public static let messageTooLong = Code(rawValue: "message-too-long")
    }

    /// An address that was tried.
    public struct Attempt: Hashable, Sendable, CustomStringConvertible {
        /// The address.
        public let address: SocketAddress
        /// What came of it, as a sentence without its stop.
        public let failure: String

        /// Address and failure.
        public var description: String { "\(address): \(failure)" }
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do about it.
    public let description: String
    /// The addresses that were tried in vain.
    public let attempts: [Attempt]
    /// The code of the application, for `streamReset`.
    public let resetCode: UInt64?

    init(
        _ code: Code, _ description: String, attempts: [Attempt] = [], resetCode: UInt64? = nil
    ) {
        self.code = code
        self.description = description
        self.attempts = attempts
        self.resetCode = resetCode
    }
}

extension PeerSessionError: CustomStringConvertible {}

extension PeerSessionError {
    static let sessionClosed = PeerSessionError(
        .sessionClosed, "The session is closed; start another one.")

    static func cancelled(_ action: String) -> PeerSessionError {
        PeerSessionError(.cancelled, "\(action) was cancelled.")
    }

    static func invalid(_ what: String) -> PeerSessionError {
        PeerSessionError(.invalidArgument, what)
    }
}
