/// A stream of a connection: odd numbers are opened by the initiator, even ones by the responder,
/// each side's in order, from 1 and 2.
package struct StreamID: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Which side opens streams of that number.
    package var opener: ConnectionRole { rawValue & 1 == 1 ? .initiator : .responder }

    static func first(of role: ConnectionRole) -> UInt64 { role == .initiator ? 1 : 2 }
}

/// What a stream is for, which decides when its bytes are sent: each class after those before it.
package enum StreamClass: UInt8, Hashable, Sendable, CaseIterable {
    /// Messages.
    case message = 0
    /// Streams of the application.
    case stream = 1
    /// Files.
    case resource = 2
}

/// What a side says of a stream that it opens: a byte of class, for messages a byte of
/// `MessageDelivery`, and a name.
package struct StreamOpening: Hashable, Sendable {
    /// The most bytes of a name.
    package static let maximumName = 255

    /// What it is for.
    package let kind: StreamClass
    /// How its messages arrive, if it is for messages.
    package let delivery: MessageDelivery?
    /// What the application calls it: UTF-8, 255 bytes at most.
    package let name: String

    /// An opening. Messages arrive in order unless another delivery is given; other streams have
    /// none.
    package init(
        _ kind: StreamClass, delivery: MessageDelivery = .ordered, name: String = ""
    ) throws(StreamError) {
        let count = name.utf8.count
        guard count <= Self.maximumName else { throw .nameTooLong(bytes: count) }
        self.kind = kind
        self.delivery = kind == .message ? delivery : nil
        self.name = name
    }

    init(decoding payload: [UInt8]) throws(FrameError) {
        var reader = WireReader(payload)
        guard let kind = StreamClass(rawValue: try reader.byte()) else {
            throw .invalidField(.open)
        }
        self.kind = kind
        if kind == .message {
            guard let delivery = MessageDelivery(rawValue: try reader.byte()) else {
                throw .invalidField(.open)
            }
            self.delivery = delivery
        } else {
            delivery = nil
        }
        let name = reader.rest()
        guard name.count <= Self.maximumName, let name = String(validating: name, as: UTF8.self)
        else { throw .invalidField(.open) }
        self.name = name
    }

    var payload: [UInt8] {
        var payload = [kind.rawValue]
        if let delivery { payload.append(delivery.rawValue) }
        return payload + Array(name.utf8)
    }
}

/// Why something can't be done with a stream.
package enum StreamError: Error, Hashable, Sendable {
    /// A name has at most 255 bytes.
    case nameTooLong(bytes: Int)
    /// So many streams of this side are open that no more may be.
    case tooMany
    /// There is no such stream, or no more.
    case closed
    /// This side has said that it sends no more on it.
    case finished
}

/// What the other side did that no side may; the connection is closed with `violation`.
package enum StreamViolation: Error, Hashable, Sendable {
    /// A frame that can't be read.
    case frame(FrameError)
    /// A stream whose number is not the next one of that side.
    case unexpectedStream(UInt64)
    /// More open streams than are allowed.
    case tooManyStreams
    /// A frame for a stream that was never opened.
    case unknownStream(UInt64)
    /// More bytes on a stream than there was room for.
    case streamWindowExceeded(UInt64)
    /// More bytes in all than there was room for.
    case connectionWindowExceeded
    /// Bytes on a stream behind its end.
    case dataAfterEnd(UInt64)
}

/// What the application has to know of the other side's streams.
package enum StreamEvent: Hashable, Sendable {
    /// The other side opened one.
    case opened(StreamID, StreamOpening)
    /// There are bytes to read, or the end.
    case readable(StreamID)
    /// There is room again for bytes to send.
    case writable(StreamID)
    /// The other side ended it in both directions, with a code of its application. What was not
    /// read is gone.
    case reset(StreamID, code: UInt64)
}
