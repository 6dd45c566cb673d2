/// What a frame is about.
package struct FrameType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes that mean nothing.
    package static let padding = FrameType(rawValue: 0)
    /// To be answered at once.
    package static let ping = FrameType(rawValue: 1)
    /// The answer, with the same payload.
    package static let pong = FrameType(rawValue: 2)
    /// The sender closes the connection, and why.
    package static let goAway = FrameType(rawValue: 3)
    /// The last frame under the sender's key: the next record is under the following one.
    package static let rekey = FrameType(rawValue: 4)
    /// What the sender decided about the receiver: `TrustStanding`.
    package static let trust = FrameType(rawValue: 5)
    /// A step of comparing a short string: `ShortStringMessage`.
    package static let shortString = FrameType(rawValue: 6)
    /// A step of an invitation: `InvitationMessage`.
    package static let invitation = FrameType(rawValue: 7)
    /// A message that may get lost: `DatagramMessage`.
    package static let datagram = FrameType(rawValue: 8)
    /// Begins a stream.
    package static let open = FrameType(rawValue: 16)
    /// Bytes of a stream; with the flag `end` the last ones.
    package static let data = FrameType(rawValue: 17)
    /// Up to which offset the receiver may send: of a stream, or with stream 0 of all.
    package static let window = FrameType(rawValue: 18)
    /// Ends a stream in both directions before its end.
    package static let reset = FrameType(rawValue: 19)

    /// Whether this version knows it.
    package var isKnown: Bool { isOfConnection || (16...19).contains(rawValue) }

    /// Whether it is about the connection as a whole, so that its stream must be 0.
    package var isOfConnection: Bool { rawValue <= 8 }
}

/// One of the pieces that a record is made of.
///
/// | | bytes |
/// | --- | --- |
/// | type | 1 |
/// | flags | 1: 0x80 critical, 0x01 end; others 0, not looked at |
/// | stream | integer; 0 for the connection |
/// | length | integer |
/// | payload | length |
///
/// Integers are those of `VariableInteger`. A frame does not go on in the next record.
package struct Frame: Hashable, Sendable {
    /// Bits that every frame has.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Who does not know the type must close the connection rather than skip the frame.
        package static let critical = Flags(rawValue: 0x80)
        /// Nothing follows on that stream.
        package static let end = Flags(rawValue: 0x01)
    }

    /// What it is about.
    package var type: FrameType
    /// Its bits.
    package var flags: Flags
    /// The stream it belongs to; 0 for the connection.
    package var stream: UInt64
    /// What it says.
    package var payload: [UInt8]

    /// A frame.
    package init(
        _ type: FrameType, flags: Flags = [], stream: UInt64 = 0, payload: [UInt8] = []
    ) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// How many bytes it takes.
    package var size: Int {
        Self.headerSize(stream: stream, length: payload.count) + payload.count
    }

    /// The most bytes before a payload that fits a record.
    static let largestHeader = 2 + 8 + 4

    /// How many bytes come before a payload of that length.
    static func headerSize(stream: UInt64, length: Int) -> Int {
        2 + VariableInteger.size(of: stream) + VariableInteger.size(of: UInt64(length))
    }

    /// Appends its bytes.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(type.rawValue)
        bytes.append(flags.rawValue)
        VariableInteger.append(stream, to: &bytes)
        VariableInteger.append(UInt64(payload.count), to: &bytes)
        bytes.append(contentsOf: payload)
    }
}

/// Reads the frames of a record.
package struct FrameReader {
    private var reader: WireReader

    /// Of the text of a record, after its tag was checked.
    package init(_ record: [UInt8]) { reader = WireReader(record) }

    /// The next frame of a known type; nil at the end.
    ///
    /// - Throws: `FrameError` if the record is not made of whole frames, has one of an unknown type
    ///   that must not be skipped, or one of the connection that names a stream. The connection
    ///   is closed then.
    package mutating func next() throws(FrameError) -> Frame? {
        while !reader.isAtEnd {
            let type = FrameType(rawValue: try reader.byte())
            let flags = Frame.Flags(rawValue: try reader.byte())
            let stream = try reader.integer()
            let length = try reader.integer()
            let payload = try reader.bytes(length)
            guard type.isKnown else {
                guard !flags.contains(.critical) else { throw .unknownCritical(type) }
                continue
            }
            guard !type.isOfConnection || stream == 0 else {
                throw .streamOfConnectionFrame(type, stream)
            }
            guard type != .padding else { continue }
            return Frame(type, flags: flags, stream: stream, payload: payload)
        }
        return nil
    }
}
