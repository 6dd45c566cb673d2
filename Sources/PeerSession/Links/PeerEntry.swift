import PeerProtocol

/// A peer that is trusted and has links to this one. Used by its session only.
final class PeerEntry {
    let identity: PeerIdentity
    var description: PeerDescription
    var trust: MutualTrust
    var selection: LinkSelection
    var links: [ConnectionRole: LinkTransport] = [:]
    /// This side's invitation that waits for its answer.
    var invitation: UInt64?
    /// The peer's invitation that waits for the application, or for the peer's confirmation.
    var asking: UInt64?
    /// The connection that is up.
    var connection: ConnectionState?

    init(_ description: PeerDescription, own: PeerIdentity, trust: MutualTrust) {
        identity = description.identity
        self.description = description
        self.trust = trust
        selection = LinkSelection(own: own, peer: description.identity)
    }
}

/// A connection to a peer, and what is kept of it until its last message is read. Used by its
/// session only.
final class ConnectionState {
    let number: UInt64
    let transport: LinkTransport
    let description: PeerDescription
    /// The channels that this side sends on, by delivery and type.
    var outgoing: [ChannelKey: StreamID] = [:]
    /// Channels with messages to read, the one that has waited longest first.
    var channels: [StreamID] = []
    /// The next message of each channel, once it was looked at.
    var heads: [StreamID: ReceivedMessage] = [:]
    /// How the messages of each channel arrive.
    var deliveries: [StreamID: MessageDelivery] = [:]
    /// Types that an event has told of because nobody reads them.
    var unreadTypes: Set<String> = []
    /// Which types are being waited for; nil stands for all.
    var readers: [UInt64: String?] = [:]
    /// The next datagram, once it was looked at.
    var datagram: DatagramMessage?
    /// Streams that the peer opened and nobody has taken, in their order.
    var incomingStreams: [StreamID] = []
    /// Streams that the application holds or that wait for it.
    var streams: [StreamID: StreamState] = [:]
    /// Why it is over; nil as long as it is not.
    var end: DisconnectReason?
    /// What the application holds of it.
    weak var lease: ConnectionLease?

    init(_ number: UInt64, _ transport: LinkTransport, _ description: PeerDescription) {
        self.number = number
        self.transport = transport
        self.description = description
    }
}

/// What is known of a stream beside what its link knows.
struct StreamState {
    let name: String
    /// The code with which the peer has ended it in both directions.
    var resetCode: UInt64?
    /// This side sends no more.
    var isFinished = false
    /// All was read.
    var isEndRead = false
    /// Nobody holds it: what still comes is thrown away.
    var isAbandoned = false
}

/// Messages of one type that arrive in one way have a channel.
struct ChannelKey: Hashable {
    var delivery: MessageDelivery
    var type: String
}
