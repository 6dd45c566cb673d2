/// In which order the messages of a channel arrive, and whether all do.
public enum MessageDelivery: UInt8, Hashable, Sendable, CaseIterable {
    /// All, in the order in which they were sent.
    case ordered = 0
    /// All, each as soon as it is whole: a large one holds up no small one behind it.
    case unordered = 1
    /// Of those with the same key only the latest, where one was not sent or not read yet.
    case latest = 2
}

/// A message as an application sends it.
public struct PeerMessage: Hashable, Sendable {
    /// The most bytes of a type.
    public static let maximumType = 255

    /// What the application calls messages of its kind: UTF-8, 255 bytes at most, or nothing.
    public let type: String
    /// Which earlier ones it replaces, on a channel of the latest ones; below 2^62.
    public let key: UInt64
    /// What it says.
    public let bytes: [UInt8]

    /// A message.
    ///
    /// - Throws: `MessageError.typeTooLong`, `keyTooLarge`.
    public init(type: String = "", key: UInt64 = 0, _ bytes: [UInt8]) throws(MessageError) {
        let count = type.utf8.count
        guard count <= Self.maximumType else { throw .typeTooLong(bytes: count) }
        guard key <= VariableInteger.maximum else { throw .keyTooLarge(key) }
        self.type = type
        self.key = key
        self.bytes = bytes
    }
}

/// A message as it arrived.
public struct ReceivedMessage: Hashable, Sendable {
    /// The how many-th message it was that the other side began to send on the channel, from 1.
    public let number: UInt64
    /// What the other side sent.
    public let message: PeerMessage
}

/// What messages may use of a connection. What is public to the package and static is part of the
/// protocol.
package struct MessageLimits: Hashable, Sendable {
    /// Bytes of a message.
    package static let size = 16 << 20
    /// Bytes of a message on a channel of the latest ones.
    package static let latestSize = 64 << 10
    /// Bytes of a piece of a message.
    package static let chunk = 16_000
    /// Messages of an unordered channel that are sent at the same time.
    package static let concurrent = 16
    /// Keys on a channel of the latest ones whose message was not sent yet.
    package static let keys = 256

    /// Channels of both sides, those included whose messages the application has not read to the
    /// end. What the other side opens beyond is reset.
    static let channels = 512
    /// The code with which such a channel is reset.
    package static let refusedCode: UInt64 = VariableInteger.maximum

    /// Whole messages of a channel that wait for the application before its stream is read on.
    static let readyCount = 256
    /// Their bytes, for the same.
    static let readySize = 256 << 10
    /// Bytes of large messages, of all channels, before a further channel begins with one.
    static let largeSize = 64 << 20

    /// Bytes of a channel that wait to be sent. One message is always accepted if none waits.
    package var outgoing = 1 << 20
    /// Messages of a channel that wait to be sent.
    package var outgoingCount = 1_024

    /// Those of the protocol.
    package init() {}
}

/// Why a message can't be sent or read.
public enum MessageError: Error, Hashable, Sendable {
    /// A type has at most 255 bytes.
    case typeTooLong(bytes: Int)
    /// A key is below 2^62.
    case keyTooLarge(UInt64)
    /// A message has at most so many bytes; more than that is for a stream.
    case tooLong(bytes: Int, limit: Int)
    /// So much waits to be sent on the channel that nothing more is accepted. `writable` follows.
    case noRoom
    /// There is no such channel, or no more.
    case noChannel
    /// This side has said that it sends no more on the channel.
    case finished
}

extension MessageError: CustomStringConvertible {
    /// What is wrong and what to do, as a sentence.
    public var description: String {
        switch self {
        case .typeTooLong(let bytes):
            "A message's type has \(bytes) bytes of UTF-8; \(PeerMessage.maximumType) are allowed."
        case .keyTooLarge(let key): "A message's key is \(key); it must be below 2^62."
        case .tooLong(let bytes, let limit):
            "A message has \(bytes) bytes; \(limit) are allowed. Send it as a stream or a resource."
        case .noRoom: "Too much waits to be sent on the channel. Send again when it is writable."
        case .noChannel: "There is no such message channel, or it was closed. Open another."
        case .finished: "The channel was finished by this side. Open another one to send more."
        }
    }
}

/// What the other side did on a channel that no side may; the connection is closed with
/// `violation`.
package enum MessageViolation: Error, Hashable, Sendable {
    /// A piece of a message that can't be read.
    case chunk(StreamID, FrameError)
    /// A piece longer than is allowed.
    case chunkTooLong(StreamID, bytes: UInt64)
    /// A message longer than is allowed.
    case messageTooLong(StreamID, bytes: UInt64)
    /// A message whose number is not the next one.
    case unexpectedNumber(StreamID, UInt64)
    /// A piece of a message that was not begun, or is whole.
    case unknownMessage(StreamID, UInt64)
    /// More bytes than the message was said to have.
    case tooManyBytes(StreamID, UInt64)
    /// A piece without bytes in it.
    case emptyChunk(StreamID, UInt64)
    /// A message was begun before the one before it was whole, or more at once than are allowed.
    case tooManyAtOnce(StreamID, UInt64)
    /// The channel ended in the middle of a message.
    case cutShort(StreamID)
    /// A datagram that can't be read.
    case datagram(FrameError)
}
