/// Finds the records in the bytes of a connection: two bytes of length, big-endian, then that
/// many bytes of ciphertext with its tag.
package struct RecordReader: Sendable {
    /// Bytes of a tag, which every record ends with.
    package static let tagSize = 16
    /// The most bytes of a record behind its length.
    package static let maximumSize = 65_535
    /// The most bytes of text in a record, unless more are agreed on.
    package static let defaultTextSize = 16_384

    private var buffer = UnreadBytes()

    /// Before the first byte.
    package init() {}

    /// How many bytes wait for the rest of their record.
    package var bufferedCount: Int { buffer.count }

    /// Takes the next bytes of the connection. Records should be taken out before more are put in:
    /// then no more is kept than a record and what came with its end.
    package mutating func append(_ bytes: [UInt8]) { buffer.append(bytes) }

    /// The next whole record, without its length; nil as long as it isn't there.
    ///
    /// - Throws: `RecordError` for a length that no record has. The connection is closed then.
    package mutating func next() throws(RecordError) -> [UInt8]? {
        guard bufferedCount >= 2 else { return nil }
        let start = buffer.position
        let count = Int(buffer.bytes[start]) << 8 | Int(buffer.bytes[start + 1])
        guard count >= Self.tagSize else { throw .tooShort(count) }
        guard bufferedCount >= 2 + count else { return nil }
        buffer.position = start + 2 + count
        return Array(buffer.bytes[(start + 2)..<buffer.position])
    }
}

/// Bytes that came and were not read yet. Each is moved a bounded number of times, however small
/// the pieces are in which they come and are read.
struct UnreadBytes: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where the first byte is that was not read.
    var position = 0

    var count: Int { bytes.count - position }

    mutating func append(_ more: [UInt8]) {
        // Moving what is left costs no more than reading what came before it.
        if position > 0, position >= count {
            bytes.removeFirst(position)
            position = 0
        }
        bytes.append(contentsOf: more)
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
