public import DNSSD
public import NetworkPrimitives
public import PeerProtocol

/// What a session is started with.
public struct PeerSessionOptions: Sendable {
    /// The least bytes of a shared secret: 128 bits. A shorter one could be guessed by whoever
    /// answers once.
    public static let minimumSecret = 16

    /// What persons call this peer.
    public var name: PeerName
    /// What both sides must mean, as `_chat._tcp`.
    public var service: ServiceType
    /// Which of the device's peers this is; nil to draw one. Keep it to be the same peer again.
    public var id: PeerID?
    /// Whom the session accepts.
    public var trust: TrustPolicy
    /// How a person is asked about a peer, where the policy says so; nil if there is nobody to ask,
    /// who then accepts nobody. Called off the session, several times at once if need be.
    public var ask: (@Sendable (TrustQuestion) async -> TrustQuestion.Answer)?
    /// What `TrustPolicy.secret` asks for: random bytes, `minimumSecret` at least.
    public var secret: [UInt8]?
    /// Whether links are encrypted. They are authenticated in any case.
    public var encryption: EncryptionPreference
    /// Where the device's key and its trust are kept.
    public var store: PeerStoreLocation
    /// The most peers that are connected at the same time.
    public var maximumPeers: Int
    /// The interfaces to advertise and browse on.
    public var interfaces: InterfaceSelection
    /// Whether `name` is shown to all on the network by `advertise`, and not only to peers.
    public var showsName: Bool
    /// What makes values of messages, for `send` and `messages` of values.
    public var coder: (any PeerCoder)?
    /// The times of a link.
    package var linkTiming = LinkTiming()

    /// Times that tests shorten.
    package struct LinkTiming: Sendable {
        /// How long nothing may come before a sign of life is asked for.
        package var idle: Duration = .seconds(5)
        /// How long nothing may come before the other side is gone.
        package var dead: Duration = .seconds(15)
        /// How long closing may take, for each of both sides.
        package var closing: Duration = .seconds(10)
        /// How long a peer may be neither connected nor invited.
        package var unconnected: Duration = .seconds(120)
        /// How long an address may leave a connection unanswered.
        package var connecting: Duration = .seconds(8)
    }

    /// The usual choices: encrypted, asking a person, up to eight peers.
    public init(
        name: PeerName, service: ServiceType, trust: TrustPolicy = .ask,
        ask: (@Sendable (TrustQuestion) async -> TrustQuestion.Answer)? = nil,
        store: PeerStoreLocation = .standard
    ) {
        self.name = name
        self.service = service
        self.trust = trust
        self.ask = ask
        self.store = store
        encryption = .required
        maximumPeers = 8
        interfaces = .all
        showsName = true
    }
}

/// Makes bytes of values and values of bytes, for messages.
public protocol PeerCoder: Sendable {
    /// The bytes of a value.
    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8]
    /// The value of some bytes that a peer sent, which may be anything.
    func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value
}
