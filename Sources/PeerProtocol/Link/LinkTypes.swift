extension PeerLink {
    /// What a link is made with.
    package struct Configuration: Hashable, Sendable {
        /// Which end this is.
        package var role: ConnectionRole
        /// What both sides must mean, as `_chat._tcp`.
        package var serviceType: String
        /// Whether it is encrypted.
        package var encryption: EncryptionPreference
        /// What this side says of itself.
        package var payload: HandshakePayload
        /// Whom it was dialled to.
        package var expected: ExpectedPeer
        /// 32 random bytes for comparing a short string on this link and no other; without them
        /// it can't be compared.
        package var comparisonNonce: [UInt8]
        /// Whether a `LinkSelection` decides on invitations, because there may be a second link to
        /// the same peer: the link has events `invitation` then, and `send` takes the answers.
        package var sharesInvitations = false
        /// The times.
        package var timing = Timing()
        /// What streams may use.
        package var streams = StreamLimits()
        /// What messages may use.
        package var messages = MessageLimits()

        /// For a connection of that role.
        package init(
            role: ConnectionRole, serviceType: String,
            encryption: EncryptionPreference = .required, payload: HandshakePayload,
            expected: ExpectedPeer = .anyone, comparisonNonce: [UInt8] = []
        ) {
            self.role = role
            self.serviceType = serviceType
            self.encryption = encryption
            self.payload = payload
            self.expected = expected
            self.comparisonNonce = comparisonNonce
        }
    }

    /// How long states may last that are not to stay.
    package struct Timing: Hashable, Sendable {
        /// Signs of life.
        package var liveness = Liveness.Timing()
        /// How long a peer may be neither connected nor invited, a person's decision included.
        package var unconnected: Duration = .seconds(120)
        /// How long what waits may take to leave when the link is closed, and how long after that
        /// the other side's answer may take.
        package var closing: Duration = .seconds(10)

        /// Those of the protocol.
        package init() {}
    }

    /// What the owner of a link has to know or decide.
    package enum Event: Hashable, Sendable {
        /// The other side wants to shake hands: call `answer`, which takes the processor's time,
        /// or `close`.
        case answerWanted
        /// The handshake proved who the other side is: call `trust` or `close`.
        case established(Peer)
        /// The other side has proved by now that it knows the secret.
        case secretProved
        /// The other side has answered what `ping` sent.
        case answered
        /// What the other side decided about this one.
        case trusted(TrustStanding)
        /// A step of comparing a short string: `compare`, `verified` or `failed`.
        case comparison(ShortStringComparison.Effect)
        /// The other side invites: call `accept` or `decline`.
        case invited(number: UInt64, Invitation)
        /// An invitation that was shown no longer holds.
        case withdrawn(number: UInt64, InvitationRefusal)
        /// This side's invitation came to nothing, and so did the other's if there was one.
        case invitationFailed(InvitationRefusal)
        /// A message for the `LinkSelection` that decides on invitations.
        case invitation(InvitationMessage)
        /// Both sides are connected: streams and messages may be sent.
        case connected
        /// Streams of the application and resources.
        case stream(StreamEvent)
        /// The other side opened a channel of messages.
        case channelOpened(StreamID, StreamOpening)
        /// Messages.
        case messages(MessageTable.Event)
        /// There are datagrams to read.
        case datagrams
        /// The last event: the link is over, and why.
        case ended(LinkEnd)
    }

    /// Who is at the other end, and what was agreed on.
    package struct Peer: Hashable, Sendable {
        /// Who it is, by the handshake's proof, and what it says of itself.
        package let description: PeerDescription
        /// What it is able to do.
        package let capabilities: Capabilities
        /// Which of its sessions the link is for.
        package let session: SessionID
        /// What both sides agreed on.
        package let negotiation: Negotiation
        /// The hash of the handshake, to which others can bind what they say.
        package let channelBinding: [UInt8]
        /// Whether it has proved already that it knows the secret; if one is used and it has not,
        /// `secretProved` follows.
        package let provesSecret: Bool
    }

    /// What happened on a link, in numbers.
    package struct Counters: Hashable, Sendable {
        /// Bytes that came.
        package var receivedBytes: UInt64 = 0
        /// Bytes that were given out to be sent.
        package var sentBytes: UInt64 = 0
        /// Records that were opened.
        package var receivedRecords: UInt64 = 0
        /// Records that were sealed.
        package var sentRecords: UInt64 = 0
        /// Bytes that came after the end and were not looked at.
        package var ignoredBytes: UInt64 = 0
        /// Refusals of invitations that a later one replaced before they were sent.
        package var replacedRefusals = 0
        /// Invitations that no longer held before the owner had taken their event.
        package var unseenInvitations = 0
        /// Datagrams that were dropped before they were sent, because there were too many.
        package var droppedOutgoing = 0
        /// Datagrams that were dropped before they were read, because there were too many.
        package var droppedIncoming = 0
        /// Messages.
        package var messages = MessageTable.Counters()
    }
}

/// How far a link is.
package enum LinkStage: Hashable, Sendable {
    /// The handshake goes on.
    case handshake
    /// It is known who the peer is; neither is it connected nor is an invitation on its way.
    case established
    /// The session is connected.
    case connected
    /// This side closes it.
    case closing
}

/// Why a link is over.
package enum LinkEnd: Error, Hashable, Sendable {
    /// It was closed with that reason. `unsent` bytes of messages and streams did not leave here.
    case closed(CloseReason, text: String, byPeer: Bool, unsent: Int)
    /// The handshake failed.
    case handshake(PeerHandshakeError)
    /// Another peer answered than the one that was dialled. Nothing was shown to it.
    case wrongPeer(expected: ExpectedPeer, found: PeerDescription)
    /// The other side broke a rule, or bytes were changed on their way.
    case violation(LinkViolation)
    /// Nothing came for so long that the other side must be gone.
    case silent(LinkStage)
    /// The other side took too long at that stage.
    case timedOut(LinkStage)
    /// The connection was cut without a word.
    case disconnected(LinkStage)
}

/// What came that must not come.
package enum LinkViolation: Error, Hashable, Sendable {
    /// A length that no record has.
    case record(RecordError)
    /// A record that can't be used.
    case content(RecordOpeningError)
    /// A frame whose content can't be read.
    case frame(FrameError)
    /// A frame of that type before the session was connected.
    case beforeConnected(FrameType)
    /// More invitations than can be kept until it is decided whether the peer is trusted.
    case tooManyInvitations
    /// On a stream.
    case stream(StreamViolation)
    /// On a channel of messages.
    case message(MessageViolation)
}

/// Why a call to a link can't be followed. Nothing was changed.
package enum LinkCallError: Error, Hashable, Sendable {
    /// The handshake is not complete: wait for `established`.
    case notEstablished
    /// The peer was not accepted yet: call `trust` before.
    case notTrusted
    /// Neither side's invitation was accepted yet: wait for `connected`.
    case notConnected
    /// The link is closed, or is being closed: make a new one.
    case closed
    /// The link was made without a nonce for comparing.
    case noNonce
    /// A `LinkSelection` decides on the link's invitations, or none does.
    case otherInvitations
    /// About an invitation.
    case invitation(InvitationError)
    /// About a stream.
    case stream(StreamError)
    /// About a message.
    case message(MessageError)
}
