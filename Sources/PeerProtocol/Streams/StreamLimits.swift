/// What streams may use of a connection.
package struct StreamLimits: Hashable, Sendable {
    /// The room of a stream at its beginning. Part of the protocol.
    package static let initialStreamWindow: UInt64 = 256 << 10
    /// The room of all streams at the beginning. Part of the protocol.
    package static let initialWindow: UInt64 = 1 << 20
    /// Open streams of each side. Part of the protocol.
    package static let streams = 256

    /// The most room of a stream.
    package var streamWindow: UInt64 = 16 << 20
    /// The most room of all streams.
    package var window: UInt64 = 64 << 20
    /// Bytes of a stream that wait to be sent, `minimumOutgoing` at least.
    package private(set) var outgoing = 256 << 10
    /// Bytes of a frame's payload.
    package var frame = RecordReader.defaultTextSize - 16
    /// Of the room of all streams, what is kept for messages: streams that are not read can't
    /// stop them.
    package var keptForMessages: UInt64 = 256 << 10
    /// Of the room of all streams, what is kept for messages and streams.
    package var keptForStreams: UInt64 = 512 << 10

    /// Those of the protocol.
    package init() {}

    /// The least that may wait to be sent: a piece of a message, which a channel writes whole.
    package static let minimumOutgoing = MessageChunk.maximumHeader + MessageLimits.chunk

    /// Changes how many bytes of a stream may wait to be sent.
    package mutating func setOutgoing(_ bytes: Int) throws(StreamLimitsError) {
        guard bytes >= Self.minimumOutgoing else { throw .outgoingTooSmall(bytes: bytes) }
        outgoing = bytes
    }

    func kept(from kind: StreamClass) -> UInt64 {
        switch kind {
        case .message: 0
        case .stream: keptForMessages
        case .resource: keptForStreams
        }
    }
}

/// Why streams can't be limited so.
package enum StreamLimitsError: Error, Hashable, Sendable {
    /// Fewer bytes may wait to be sent than a piece of a message has.
    case outgoingTooSmall(bytes: Int)
}

extension StreamLimitsError: CustomStringConvertible {
    /// What is wrong and what to do, as a sentence.
    package var description: String {
        switch self {
        case .outgoingTooSmall(let bytes):
            "The limit of a stream's bytes that wait to be sent is \(bytes). "
                + "Set \(StreamLimits.minimumOutgoing) or more: a piece of a message must fit."
        }
    }
}
