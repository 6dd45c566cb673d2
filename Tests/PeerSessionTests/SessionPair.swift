import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import PeerSession
import ProcessSupport
import Testing

/// Sessions in one process, which reach each other over the loopback by TCP alone.
struct SessionPair {
    let loop: EventLoop
    let anna: PeerSession
    let bert: PeerSession
    let port: UInt16

    /// Options of a peer whose key is drawn anew and which accepts everybody.
    static func options(_ name: String) throws -> PeerSessionOptions {
        var options = PeerSessionOptions(
            name: try PeerName(name), service: try ServiceType("_test._tcp"), trust: .firstUse,
            store: .ephemeral)
        options.coder = WordCoder()
        return options
    }

    /// Runs `body` with two sessions, of which Bert's listens; both are closed afterwards.
    static func with(
        anna changeAnna: (inout PeerSessionOptions) -> Void = { _ in },
        bert changeBert: (inout PeerSessionOptions) -> Void = { _ in },
        stores: (PeerStore?, PeerStore?) = (nil, nil),
        _ body: (SessionPair) async throws -> Void
    ) async throws {
        var annas = try options("Anna")
        var berts = try options("Bert")
        changeAnna(&annas)
        changeBert(&berts)
        let loop = try EventLoop(name: "peers")
        let anna = try await PeerSession(annas, loop: loop, store: stores.0)
        let bert = try await PeerSession(berts, loop: loop, store: stores.1)
        let pair = SessionPair(
            loop: loop, anna: anna, bert: bert, port: try await bert.listen())
        do {
            try await body(pair)
        } catch {
            await pair.close()
            throw error
        }
        await pair.close()
    }

    private func close() async {
        async let one: Void = anna.close()
        async let two: Void = bert.close()
        _ = await (one, two)
        await loop.stop()
    }

    /// Anna invites Bert, who accepts.
    func connect(host: String = "127.0.0.1") async throws -> (PeerConnection, PeerConnection) {
        async let accepted = acceptNext(bert)
        let one = try await anna.connect(to: host, port: port)
        return (one, try await accepted)
    }
}

/// Accepts the next invitation that a session gets.
func acceptNext(_ session: PeerSession) async throws -> PeerConnection {
    for await invitation in session.invitations { return try await invitation.accept() }
    throw TestEnd.nothing
}

enum TestEnd: Error {
    case nothing
}

/// What a session has told, as it comes.
struct EventLog {
    private var iterator: EventSequence<PeerSessionEvent>.Iterator

    init(_ session: PeerSession) async {
        iterator = await session.events().makeAsyncIterator()
    }

    /// The next event of which `pick` makes something.
    mutating func first<Value>(_ pick: (PeerSessionEvent) -> Value?) async throws -> Value {
        while let event = await iterator.next() {
            if let value = pick(event) { return value }
        }
        throw TestEnd.nothing
    }

    mutating func disconnection() async throws -> DisconnectReason {
        try await first { if case .disconnected(_, let reason) = $0 { reason } else { nil } }
    }
}

/// A value of a message.
struct Move: Codable, Hashable, Sendable {
    var text: String
}

/// Another one.
struct Score: Codable, Hashable, Sendable {
    var number: Int
}

/// Makes bytes of the values of these tests.
struct WordCoder: PeerCoder {
    struct Unknown: Error {}

    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        switch value {
        case let move as Move: Array(move.text.utf8)
        case let score as Score: Array(String(score.number).utf8)
        default: throw Unknown()
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Unknown() }
        let value: Any? =
            type == Move.self ? Move(text: text) : Int(text).map { Score(number: $0) }
        guard let value = value as? Value else { throw Unknown() }
        return value
    }
}
