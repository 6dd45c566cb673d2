import NetworkPrimitives

/// A message that may get lost, come twice or in any order: the whole content of a datagram, or
/// of a frame `datagram` where no datagrams get through.
///
/// | | bytes |
/// | --- | --- |
/// | number | integer: the how many-th datagram of the sender on that connection, from 1 |
/// | length of the type | 1 |
/// | type | UTF-8 |
/// | bytes | all that is left; 1,200 in all |
package struct DatagramMessage: Hashable, Sendable {
    /// The most bytes of a datagram, its header included.
    package static let maximumSize = 1_200

    /// Which datagram of its sender.
    package let number: UInt64
    /// What the application calls messages of its kind.
    package let type: String
    /// What it says.
    package let bytes: [UInt8]

    /// A datagram.
    ///
    /// - Throws: `MessageError.typeTooLong`, `tooLong`.
    package init(number: UInt64, type: String, _ bytes: [UInt8]) throws(MessageError) {
        let count = type.utf8.count
        guard count <= PeerMessage.maximumType else { throw .typeTooLong(bytes: count) }
        let limit = Self.maximumSize - VariableInteger.size(of: number) - 1 - count
        guard bytes.count <= limit else { throw .tooLong(bytes: bytes.count, limit: limit) }
        self.number = number
        self.type = type
        self.bytes = bytes
    }

    /// From the content of a datagram of the other side.
    package init(decoding content: [UInt8]) throws(FrameError) {
        guard content.count <= Self.maximumSize else { throw .invalidField(.datagram) }
        var reader = WireReader(content)
        number = try reader.integer()
        let count = try reader.byte()
        guard number > 0,
            let type = String(validating: try reader.bytes(UInt64(count)), as: UTF8.self)
        else { throw .invalidField(.datagram) }
        self.type = type
        bytes = reader.rest()
    }

    /// The datagram as it is sent.
    package var encoded: [UInt8] {
        var encoded: [UInt8] = []
        VariableInteger.append(number, to: &encoded)
        MessageChunk.append(type: type, to: &encoded)
        return encoded + bytes
    }
}

/// Datagrams that wait to be sent or to be read: when there are too many the oldest is dropped.
package struct DatagramQueue: Sendable {
    /// The most that wait.
    package static let limit = 64

    private var waiting = Queue<DatagramMessage>()

    /// How many were dropped.
    package private(set) var droppedCount = 0

    /// With nothing in it.
    package init() {}

    /// Whether nothing waits.
    package var isEmpty: Bool { waiting.isEmpty }

    /// Adds one behind the others.
    package mutating func append(_ datagram: DatagramMessage) {
        if waiting.count >= Self.limit {
            _ = waiting.popFirst()
            droppedCount += 1
        }
        waiting.append(datagram)
    }

    /// The oldest.
    package mutating func popFirst() -> DatagramMessage? { waiting.popFirst() }
}
