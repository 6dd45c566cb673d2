/// A piece of a message, as it is written to the stream of its channel.
///
/// | | bytes |
/// | --- | --- |
/// | number | integer: which message of this direction of the channel, from 1 |
/// | part | 1: 1 the first piece of the message, 0 a further one |
/// | key | integer, only in the first |
/// | length of the type | 1, only in the first |
/// | type | UTF-8, only in the first |
/// | size | integer: bytes of the whole message, only in the first |
/// | length | integer: 16,000 at most, and not 0 unless the message is empty |
/// | bytes | length |
///
/// Integers are those of `VariableInteger`. Pieces begin and end anywhere in frames.
struct MessageChunk: Hashable, Sendable {
    /// What the first piece of a message says of it.
    struct Opening: Hashable, Sendable {
        var key: UInt64
        var type: String
        var size: UInt64
    }

    /// The most bytes before those of the message.
    static let maximumHeader = 8 + 1 + 8 + 1 + PeerMessage.maximumType + 8 + 4

    var number: UInt64
    var opening: Opening?
    var bytes: [UInt8]

    var encoded: [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(Self.maximumHeader + bytes.count)
        VariableInteger.append(number, to: &encoded)
        encoded.append(opening == nil ? 0 : 1)
        if let opening {
            VariableInteger.append(opening.key, to: &encoded)
            Self.append(type: opening.type, to: &encoded)
            VariableInteger.append(opening.size, to: &encoded)
        }
        VariableInteger.append(UInt64(bytes.count), to: &encoded)
        encoded.append(contentsOf: bytes)
        return encoded
    }

    static func append(type: String, to encoded: inout [UInt8]) {
        encoded.append(UInt8(clamping: type.utf8.count))
        encoded.append(contentsOf: type.utf8)
    }

    static func type(_ reader: inout WireReader) throws(FrameError) -> String {
        let count = try reader.byte()
        guard let type = String(validating: try reader.bytes(UInt64(count)), as: UTF8.self) else {
            throw .invalidField(.data)
        }
        return type
    }
}

extension MessageChunk {
    /// The next piece that the other side sent, with `limit` bytes at most.
    init(_ reader: inout WireReader, limit: UInt64) throws(ChunkError) {
        let length: UInt64
        do throws(FrameError) {
            number = try reader.integer()
            switch try reader.byte() {
            case 0: opening = nil
            case 1:
                opening = Opening(
                    key: try reader.integer(), type: try Self.type(&reader),
                    size: try reader.integer())
            default: throw .invalidField(.data)
            }
            length = try reader.integer()
        } catch { throw error == .cutShort ? .incomplete : .frame(error) }
        guard length <= limit else { throw .tooLong(length) }
        do throws(FrameError) {
            bytes = try reader.bytes(length)
        } catch { throw .incomplete }
    }
}

/// Why there is no next piece of a message.
enum ChunkError: Error {
    /// More bytes are needed.
    case incomplete
    /// It can't be read.
    case frame(FrameError)
    /// It is longer than is allowed.
    case tooLong(UInt64)
}
