/// Finds the records in the bytes of a connection: two bytes of length, big-endian, then that
/// many bytes of ciphertext with its tag.
package struct RecordReader: Sendable {
    /// Bytes of a tag, which every record ends with.
    package static let tagSize = 16
    /// The most bytes of a record behind its length.
    package static let maximumSize = 65_535
    /// The most bytes of text in a record, unless more are agreed on.
    package static let defaultTextSize = 16_384

    private var buffer: [UInt8] = []
    /// Where the first byte is that was not given out.
    private var position = 0

    /// Before the first byte.
    package init() {}

    /// How many bytes wait for the rest of their record.
    package var bufferedCount: Int { buffer.count - position }

    /// Takes the next bytes of the connection. Records should be taken out before more are put in:
    /// then no more is kept than a record and what came with its end.
    package mutating func append(_ bytes: [UInt8]) {
        if position > 0 {
            buffer.removeFirst(position)
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole record, without its length; nil as long as it isn't there.
    ///
    /// - Throws: `RecordError` for a length that no record has. The connection is closed then.
    package mutating func next() throws(RecordError) -> [UInt8]? {
        guard bufferedCount >= 2 else { return nil }
        let count = Int(buffer[position]) << 8 | Int(buffer[position + 1])
        guard count >= Self.tagSize else { throw .tooShort(count) }
        guard bufferedCount >= 2 + count else { return nil }
        let start = position + 2
        position = start + count
        return Array(buffer[start..<position])
    }
}

extension [UInt8] {
    /// The bytes with their count before them, in two bytes, the highest first.
    var withLength: [UInt8] { [UInt8(count >> 8), UInt8(count & 255)] + self }
}

/// Why bytes are no record.
package enum RecordError: Error, Hashable, Sendable {
    /// A record has at least its tag.
    case tooShort(Int)
}
