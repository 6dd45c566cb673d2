public import PeerProtocol

extension PeerConnection {
    /// A message as it came.
    public struct Message: Hashable, Sendable {
        /// What the other application calls messages of its kind.
        public let type: String
        /// What it says.
        public let bytes: [UInt8]
        /// The how many-th it was that the peer began to send of its type and delivery, from 1.
        public let number: UInt64
        /// In which order messages of its type arrive; nil for a datagram.
        public let delivery: MessageDelivery?
    }

    /// Sends a message, and waits while too much waits to be sent.
    ///
    /// Messages of one type arrive in their order unless `delivery` says otherwise. Types do not
    /// wait for each other.
    ///
    /// - Parameters:
    ///   - bytes: 16,777,216 at most; 65,536 for `MessageDelivery.latest`.
    ///   - type: What the application calls messages of its kind: 255 bytes at most.
    ///   - delivery: In which order messages of the type arrive.
    ///   - key: Which earlier ones it replaces, for `MessageDelivery.latest`.
    /// - Throws: `PeerSessionError`: `messageTooLong`, `invalidArgument`, `disconnected`,
    ///   `cancelled`.
    public func send(
        _ bytes: [UInt8], type: String = "", delivery: MessageDelivery = .ordered,
        key: UInt64 = 0
    ) async throws(PeerSessionError) {
        let message: PeerMessage
        do throws(MessageError) {
            message = try PeerMessage(type: type, key: key, bytes)
        } catch { throw .invalid(error.description) }
        try await session.send(message, delivery, on: lease.number)
    }

    /// Sends a message that may get lost, of 1,200 bytes at most with its type. It never waits:
    /// when too many wait to be sent, the oldest is dropped.
    ///
    /// - Throws: `PeerSessionError`: `messageTooLong`, `invalidArgument`, `disconnected`.
    public func sendDatagram(
        _ bytes: [UInt8], type: String = ""
    ) async throws(PeerSessionError) {
        try await session.sendDatagram(bytes, type: type, on: lease.number)
    }

    /// The messages of the peer, of whatever type, datagrams included. Several readers share them.
    /// They are not read ahead: who reads slowly makes the peer wait, and nobody else.
    public var messages: PeerMessages { PeerMessages(connection: self) }

    /// Sends a value as a message of its type, by the session's coder.
    ///
    /// - Throws: `PeerSessionError` as for bytes, and what the coder throws.
    public func send<Value: Encodable>(
        value: Value, delivery: MessageDelivery = .ordered
    ) async throws {
        let bytes = try coder().encode(value)
        try await send(bytes, type: "\(Value.self)", delivery: delivery)
    }

    /// The messages of a type as values, by the session's coder. Bytes that are none are left out
    /// and told by the event `undecodableMessage`.
    ///
    /// - Throws: `PeerSessionError.invalidArgument` if the session has no coder.
    public func messages<Value: Decodable & Sendable>(
        _ type: Value.Type
    ) throws(PeerSessionError) -> PeerValues<Value> {
        PeerValues(connection: self, coder: try coder())
    }

    private func coder() throws(PeerSessionError) -> any PeerCoder {
        guard let coder = session.options.coder else {
            throw .invalid("The session has no coder for values; give it one in its options.")
        }
        return coder
    }
}

/// The messages of a peer. The sequence ends when one of both has left, and when the task is
/// cancelled; it throws `PeerSessionError.disconnected` when the connection ended otherwise.
public struct PeerMessages: AsyncSequence, Sendable {
    let connection: PeerConnection

    /// Iterators share the messages among themselves.
    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection) }

    /// Takes the messages out one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let connection: PeerConnection

        /// The next message; nil at the end.
        public mutating func next() async throws(PeerSessionError) -> PeerConnection.Message? {
            try await next(isolation: nil)
        }

        /// The next message; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PeerSessionError) -> PeerConnection.Message? {
            try await connection.session.nextMessage(of: nil, on: connection.lease.number)
        }
    }
}

/// The messages of a peer that are values of one type, each with the message that it came in. It
/// ends as `PeerMessages` does.
public struct PeerValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A value and the message that it came in.
    public typealias Element = (value: Value, message: PeerConnection.Message)

    let connection: PeerConnection
    let coder: any PeerCoder

    /// Iterators share the values among themselves.
    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection, coder: coder) }

    /// Takes the values out one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let connection: PeerConnection
        let coder: any PeerCoder

        /// The next value; nil at the end.
        public mutating func next() async throws(PeerSessionError) -> Element? {
            try await next(isolation: nil)
        }

        /// The next value; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PeerSessionError) -> Element? {
            let session = connection.session
            while let message = try await session.nextMessage(
                of: "\(Value.self)", on: connection.lease.number)
            {
                do {
                    return (try coder.decode(Value.self, from: message.bytes), message)
                } catch {
                    await session.reportUndecodable(message, of: connection.peer, "\(error)")
                }
            }
            return nil
        }
    }
}
