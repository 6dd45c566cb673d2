/// Integers of 1, 2, 4 or 8 bytes: the top two bits of the first say which (RFC 9000 §16).
///
/// Unlike there, only the shortest form is allowed, so that there is one form for each frame.
package enum VariableInteger {
    /// The largest number.
    package static let maximum: UInt64 = 1 << 62 - 1

    /// How many bytes a number takes.
    package static func size(of number: UInt64) -> Int {
        switch number {
        case ..<(1 << 6): 1
        case ..<(1 << 14): 2
        case ..<(1 << 30): 4
        default: 8
        }
    }

    /// Appends a number; one above the maximum is written as the maximum.
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        let number = min(number, maximum)
        let size = size(of: number)
        let prefix = UInt64(size.trailingZeroBitCount) << UInt64(8 * size - 2)
        let word = number | prefix
        for index in (0..<size).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index)))
        }
    }
}

/// Why a frame or what is in it can't be read.
package enum FrameError: Error, Hashable, Sendable {
    /// It ends in the middle of something.
    case cutShort
    /// An integer is not in its shortest form.
    case integerNotShortest
    /// More bytes than belong there.
    case trailingBytes
    /// A field has a value that it can't have, in a frame of that type.
    case invalidField(FrameType)
    /// A frame of an unknown type that must not be skipped.
    case unknownCritical(FrameType)
    /// A frame about the connection as a whole names a stream.
    case streamOfConnectionFrame(FrameType, UInt64)
}

/// Reads what frames are made of.
struct WireReader {
    private let bytes: [UInt8]
    private(set) var position: Int
    private let end: Int

    init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        position = start
        end = bytes.count
    }

    var isAtEnd: Bool { position == end }

    mutating func byte() throws(FrameError) -> UInt8 {
        guard position < end else { throw .cutShort }
        position += 1
        return bytes[position - 1]
    }

    mutating func integer() throws(FrameError) -> UInt64 {
        let first = try byte()
        let size = 1 << Int(first >> 6)
        guard end - position >= size - 1 else { throw .cutShort }
        var number = UInt64(first & 0x3F)
        for _ in 1..<size {
            number = number << 8 | UInt64(bytes[position])
            position += 1
        }
        guard VariableInteger.size(of: number) == size else { throw .integerNotShortest }
        return number
    }

    mutating func bytes(_ count: UInt64) throws(FrameError) -> [UInt8] {
        guard count <= UInt64(end - position) else { throw .cutShort }
        position += Int(count)
        return Array(bytes[(position - Int(count))..<position])
    }

    /// All that is left.
    mutating func rest() -> [UInt8] {
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// Throws if anything is left.
    func finish() throws(FrameError) {
        guard isAtEnd else { throw .trailingBytes }
    }
}
