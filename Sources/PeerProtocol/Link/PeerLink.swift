package import CryptoPrimitives
package import NetworkPrimitives
import Noise

/// A connection to a peer, from its first byte to its last: preface, handshake, records, frames,
/// signs of life, trust, invitations, streams and messages.
///
/// The owner moves bytes and time. After each call it takes all events with `nextEvent`, and
/// bytes with `nextOutput` as long as the connection accepts them: one record at a time, so that
/// what is urgent is at the most one record late. When `deadline` is reached it calls `advance`,
/// after it has handed over what came until then. Whatever the other side does, the last event is
/// `ended` with the reason; no call does anything afterwards. When `isDrained` holds, the
/// connection is to be closed.
///
/// Nothing that the network sends is thrown at the owner: what calls throw is about the call.
package struct PeerLink: ~Copyable {
    /// Events that may wait for the owner before no more bytes are wanted.
    package static let maximumEvents = 1_024

    /// This side closes the link.
    struct Closing {
        let goAway: GoAway
        var deadline: Instant
        /// Nothing more is waited for before the frame is sent.
        var isForced = false
        /// The frame was sent, and so many bytes did not leave.
        var unsent: Int?
        /// The other side's frame came.
        var isAnswered = false
    }

    let configuration: Configuration
    var now: Instant
    var handshake: PeerHandshake?
    var cipher: RecordCipher?
    var reader = RecordReader()
    var liveness: Liveness
    var comparison: ShortStringComparison?
    var invitations = InvitationExchange()
    /// Where invitations are shared with another link, what is known of them here.
    var carried: CarriedInvitations?
    var invitationFrames = InvitationFrames()
    /// Messages on invitations that came before it was decided to trust the peer.
    var heldInvitations: [InvitationMessage] = []
    /// Messages on invitations that wait to be sent.
    var outgoingInvitations: [InvitationMessage] = []
    var streams: StreamTable
    var messages: MessageTable
    var outgoingDatagrams = DatagramQueue()
    var incomingDatagrams = DatagramQueue()
    var datagramNumber: UInt64 = 1

    /// Bytes of the handshake that wait to be sent.
    var clear: [UInt8] = []
    /// Frames that wait to be sent before all others.
    var control = Queue<Frame>()
    /// What is sent after the end, and nothing behind it.
    var lastFrame: Frame?
    var events = Queue<Event>()
    /// Streams whose `readable` was not followed by a read.
    var readable: Set<UInt64> = []
    var isTrustedEventDue = false
    var isDatagramsEventDue = false
    var reportsSecret = false
    /// Whether the answer to the latest ping is reported.
    var reportsAnswer = false

    var isTrusted = false
    /// Since when the peer is neither connected nor invited.
    var idleSince: Instant
    var closing: Closing?
    var storedCounters = Counters()

    /// Who is at the other end; nil before it is proved.
    package internal(set) var peer: Peer?
    /// What the other side decided about this one; nil as long as it did not say.
    package internal(set) var theirStanding: TrustStanding?
    /// Why the link is over; nil as long as it is not.
    package internal(set) var end: LinkEnd?

    /// A link on a new connection. The initiator's first bytes are due at once.
    ///
    /// - Parameters:
    ///   - staticKey: The device key.
    ///   - ephemeralKey: Drawn at random for this link and never used again.
    ///   - secret: The shared secret, if one is to be proved.
    package init(
        _ configuration: Configuration, staticKey: consuming X25519PrivateKey,
        ephemeralKey: consuming X25519PrivateKey, secret: consuming SecretKey? = nil, now: Instant
    ) {
        self.configuration = configuration
        self.now = now
        idleSince = now
        carried = configuration.sharesInvitations ? CarriedInvitations() : nil
        liveness = Liveness(timing: configuration.timing.liveness, now: now)
        streams = StreamTable(role: configuration.role, limits: configuration.streams)
        messages = MessageTable(limits: configuration.messages)
        handshake = PeerHandshake(
            role: configuration.role, serviceType: configuration.serviceType,
            encryption: configuration.encryption, payload: configuration.payload,
            staticKey: staticKey, ephemeralKey: ephemeralKey, secret: secret, now: now)
        clear = handshake?.takeOutput() ?? []
    }

    /// How far it is.
    package var stage: LinkStage {
        if closing != nil { return .closing }
        if peer == nil { return .handshake }
        return isConnected ? .connected : .established
    }

    /// Whether the session is connected with the peer.
    package var isConnected: Bool { carried?.isConnected ?? invitations.isConnected }

    /// How long a round trip takes, as far as is known.
    package var roundTrip: Duration? { liveness.roundTrip }

    /// What happened on it, in numbers.
    package var counters: Counters {
        var counters = storedCounters
        counters.droppedOutgoing = outgoingDatagrams.droppedCount
        counters.droppedIncoming = incomingDatagrams.droppedCount
        counters.messages = messages.counters
        return counters
    }

    /// Bytes that came and wait for the application, or for the rest of what they belong to.
    package var bufferedCount: Int {
        reader.bufferedCount + streams.bufferedCount + messages.bufferedCount
    }

    /// Bytes of messages and streams that wait to be sent.
    package var unsentCount: Int { streams.unsentCount + messages.unsentCount }

    /// How many bytes should be read from the connection at most; 0 to let them wait.
    package var wantedCount: Int {
        if end != nil || events.count >= Self.maximumEvents { return 0 }
        if let wanted = handshakeWantedCount { return wanted }
        return RecordReader.maximumSize + 2
    }

    /// When `advance` wants to be called.
    package var deadline: Instant? {
        guard end == nil else { return nil }
        if let deadline = handshakeDeadline { return deadline }
        var earliest = closing?.deadline
        for time in [liveness.deadline, invitations.deadline, idleDeadline] {
            if let time { earliest = earliest.map { min($0, time) } ?? time }
        }
        return earliest
    }

    var idleDeadline: Instant? {
        guard closing == nil, carried?.isIdle ?? invitations.isIdle else { return nil }
        return idleSince.advanced(by: configuration.timing.unconnected)
    }

    /// The next thing that the owner has to know.
    package mutating func nextEvent() -> Event? {
        guard let event = events.popFirst() else { return nil }
        switch event {
        case .trusted(let standing):
            isTrustedEventDue = false
            return .trusted(theirStanding ?? standing)
        case .datagrams: isDatagramsEventDue = false
        default: break
        }
        return event
    }

    /// The time is `now`.
    package mutating func advance(to now: Instant) {
        pass(to: now)
        guard end == nil else { return }
        if let deadline = handshakeDeadline {
            if deadline <= self.now { finish(.timedOut(.handshake)) }
            return
        }
        for effect in liveness.advance(to: self.now) {
            switch effect {
            case .send(let frame): control.append(frame)
            case .dead: return finish(.silent(stage))
            }
        }
        apply(invitations.advance(to: self.now))
        if let time = idleDeadline, time <= self.now {
            return finish(.timedOut(.established), telling: GoAway(.timedOut))
        }
        if let time = closing?.deadline, time <= self.now { advanceClosing() }
    }

    /// The connection was cut by the other side, or by the network.
    package mutating func disconnect() {
        if let closing, let unsent = closing.unsent {
            return finish(closed(closing.goAway, byPeer: false, unsent: unsent))
        }
        finish(.disconnected(stage))
    }

    // MARK: Parts

    var handshakeWantedCount: Int? {
        switch handshake {
        case .some(let handshake): handshake.wantedCount
        case .none: nil
        }
    }

    private var handshakeDeadline: Instant? {
        switch handshake {
        case .some(let handshake): handshake.deadline
        case .none: nil
        }
    }

    /// A clock that was set back stands still until its former time is reached.
    mutating func pass(to now: Instant) { self.now = max(self.now, now) }

    private mutating func advanceClosing() {
        guard let unsent = closing?.unsent, let goAway = closing?.goAway else {
            closing?.isForced = true
            closing?.deadline = now.advanced(by: configuration.timing.closing)
            return
        }
        finish(closed(goAway, byPeer: false, unsent: unsent))
    }

    func closed(_ goAway: GoAway, byPeer: Bool, unsent: Int) -> LinkEnd {
        .closed(goAway.reason, text: goAway.text, byPeer: byPeer, unsent: unsent)
    }

    /// Ends the link, and tells the other side why.
    mutating func finish(_ reason: LinkEnd, telling goAway: GoAway) {
        guard end == nil else { return }
        finish(reason)
        lastFrame = goAway.frame
    }

    /// Ends the link. What was received whole can still be read.
    mutating func finish(_ reason: LinkEnd) {
        guard end == nil else { return }
        if let comparison = comparison?.close() { report(comparison) }
        apply(invitations.disconnect())
        outgoingInvitations = []
        control = Queue()
        handshake = nil
        closing = nil
        end = reason
        events.append(.ended(reason))
    }
}
