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
    /// Bytes of a stream that wait to be sent.
    package var outgoing = 256 << 10
    /// Bytes of a frame's payload.
    package var frame = RecordReader.defaultTextSize - 16
    /// Of the room of all streams, what is kept for messages: streams that are not read can't
    /// stop them.
    package var keptForMessages: UInt64 = 256 << 10
    /// Of the room of all streams, what is kept for messages and streams.
    package var keptForStreams: UInt64 = 512 << 10

    /// Those of the protocol.
    package init() {}

    func kept(from kind: StreamClass) -> UInt64 {
        switch kind {
        case .message: 0
        case .stream: keptForMessages
        case .resource: keptForStreams
        }
    }
}
