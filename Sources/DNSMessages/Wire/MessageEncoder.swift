extension Message {
    /// The message's bytes, names compressed (RFC 6762 §18.14).
    ///
    /// `limit` is for header and records; by default what fits an Ethernet frame over IPv4
    /// (RFC 6762 §17).
    ///
    /// - Throws: `MessageEncodingError` if it takes more than `limit` bytes.
    public func encoded(limit: Int = 1472) throws(MessageEncodingError) -> [UInt8] {
        var encoder = MessageEncoder(header: header, limit: limit)
        try encoder.append(questions)
        try encoder.append(answers, to: .answer)
        try encoder.append(authorities, to: .authority)
        try encoder.append(additionals, to: .additional)
        return encoder.finishOnly()
    }
}

/// Writes a message item by item up to a limit of bytes.
///
/// An item that does not fit leaves no trace: bytes and compression table are as before, so no
/// later name points to what was taken back.
package struct MessageEncoder: Sendable {
    /// Id and flags; may be changed until `finish()`.
    package var header: MessageHeader
    /// How many bytes it may have; may be raised for what was set aside.
    package var limit: Int
    private var compressesServiceTargets: Bool
    /// The message is in the first `end` bytes; there is room behind for what comes next.
    private var bytes: [UInt8]
    private var end = 12
    private var names = NameCompression()
    private var counts = MessageCounts()
    private var section = MessageSection.question

    /// An empty message that may have up to `limit` bytes, its header among them.
    ///
    /// In a legacy unicast reply the target of an SRV must not be compressed
    /// (RFC 6762 §18.14): then `compressesServiceTargets` is false.
    package init(header: MessageHeader, limit: Int, compressesServiceTargets: Bool = true) {
        precondition(limit >= 12, "a message has a header of 12 bytes")
        self.header = header
        self.limit = limit
        self.compressesServiceTargets = compressesServiceTargets
        bytes = []
        bytes.reserveCapacity(900)
        bytes.append(addingCapacity: 900) { (bytes: inout OutputSpan<UInt8>) in
            bytes.append(repeating: 0, count: 900)
        }
    }

    /// Begins another message in the memory of the last one.
    package mutating func restart(
        header: MessageHeader, limit: Int, compressesServiceTargets: Bool = true
    ) {
        precondition(limit >= 12, "a message has a header of 12 bytes")
        self.header = header
        self.limit = limit
        self.compressesServiceTargets = compressesServiceTargets
        end = 12
        names.rollBack(to: 0)
        counts = MessageCounts()
        section = .question
    }

    /// The bytes written so far, the header's among them.
    package var byteCount: Int { end }
    /// Whether nothing has been appended yet.
    package var isEmpty: Bool { end == 12 }

    /// The number of items in a section.
    package func count(of section: MessageSection) -> Int { counts[section] }

    /// Appends a question; false if it did not fit.
    package mutating func append(_ question: Question) -> Bool {
        let mark = begin(.question, room: 256 + 4)
        Self.write(question, &bytes, &end, &names)
        return commit(mark)
    }

    /// Appends a record; false if it did not fit. Sections come in their order.
    package mutating func append(
        _ record: ResourceRecord, to section: MessageSection
    ) -> Bool {
        append(
            record, timeToLive: record.timeToLive, cacheFlush: record.cacheFlush, to: section)
    }

    /// Appends a record with another time to live and cache-flush bit than its own; false if it
    /// did not fit. An OPT record has neither.
    package mutating func append(
        _ record: borrowing ResourceRecord, timeToLive: TimeToLive, cacheFlush: Bool,
        to section: MessageSection
    ) -> Bool {
        append(
            record.name, record.data, record.recordClass, timeToLive, cacheFlush, to: section)
    }

    private mutating func append(
        _ name: DomainName, _ data: RecordData, _ recordClass: RecordClass,
        _ timeToLive: TimeToLive, _ cacheFlush: Bool, to section: MessageSection
    ) -> Bool {
        let mark = begin(section, room: 256 + 10 + data.mostBytes)
        let classBits = recordClass.rawValue | (cacheFlush ? 0x8000 : 0)
        guard
            Self.write(
                name, data, classBits, timeToLive, compressesServiceTargets, &bytes, &end, &names)
        else {
            rollBack(to: mark)
            return false
        }
        return commit(mark)
    }

    /// The message's bytes; flags and counts are filled in.
    package mutating func finish() -> [UInt8] {
        Self.write(header, counts, &bytes)
        return Array(bytes[..<end])
    }

    /// As `finish()` for an encoder that is used for no other message: its memory is handed over.
    fileprivate mutating func finishOnly() -> [UInt8] {
        Self.write(header, counts, &bytes)
        bytes.removeLast(bytes.count - end)
        return bytes
    }

    // MARK: Roll-back

    /// How far a message was written; of use until it is rolled back to an earlier one.
    package struct Mark {
        fileprivate let end: Int
        fileprivate let names: Int
        fileprivate let section: MessageSection
        fileprivate let counts: MessageCounts
    }

    /// What `rollBack(to:)` needs to take back all that is appended from now on.
    package var mark: Mark {
        Mark(end: end, names: names.mark, section: section, counts: counts)
    }

    /// Takes back all that was appended after `mark` was taken: the names in it too.
    package mutating func rollBack(to mark: Mark) {
        end = mark.end
        names.rollBack(to: mark.names)
        section = mark.section
        counts = mark.counts
    }

    /// Starts an item for which `room` bytes are enough.
    @inline(__always)
    private mutating func begin(_ section: MessageSection, room: Int) -> Mark {
        precondition(section >= self.section, "sections are written in their order")
        let mark = mark
        self.section = section
        if end + room > bytes.count { grow(by: room) }
        return mark
    }

    private mutating func grow(by room: Int) {
        let count = max(end + room - bytes.count, bytes.count)
        bytes.append(contentsOf: repeatElement(0, count: count))
    }

    @inline(__always)
    private mutating func commit(_ mark: Mark) -> Bool {
        guard end <= limit, counts[section] < UInt16.max else {
            rollBack(to: mark)
            return false
        }
        counts.increase(section)
        return true
    }
}

// A span of the buffer bars every other access to what it belongs to: so these are handed the
// parts of the encoder one by one.
extension MessageEncoder {
    private static func write(
        _ question: Question, _ buffer: inout [UInt8], _ end: inout Int,
        _ names: inout NameCompression
    ) {
        var bytes = buffer.mutableSpan
        names.write(question.name, into: &bytes, at: &end, compresses: true)
        bytes.put(question.type.rawValue, at: &end)
        let topBit: UInt16 = question.prefersUnicast ? 0x8000 : 0
        bytes.put(question.recordClass.rawValue | topBit, at: &end)
    }

    /// False: the data has more bytes than RDLENGTH can say.
    private static func write(
        _ name: DomainName, _ data: RecordData, _ classBits: UInt16, _ timeToLive: TimeToLive,
        _ compressesServiceTargets: Bool, _ buffer: inout [UInt8], _ end: inout Int,
        _ names: inout NameCompression
    ) -> Bool {
        var bytes = buffer.mutableSpan
        names.write(name, into: &bytes, at: &end, compresses: true)
        var fields = UInt64(data.type.rawValue) << 48
        if case .opt(let options) = data {
            fields |= UInt64(options.udpPayloadSize) << 32
            fields |= UInt64(options.extendedResponseCode) << 24 | UInt64(options.version) << 16
            fields |= UInt64(options.flags)
        } else {
            fields |= UInt64(classBits) << 32 | UInt64(timeToLive.rawValue)
        }
        bytes.put(fields, at: &end)
        var lengthOffset = end
        end += 2
        let dataStart = end
        bytes.put(data, at: &end, &names, compressesServiceTargets)
        guard let dataLength = UInt16(exactly: end - dataStart) else { return false }
        bytes.put(dataLength, at: &lengthOffset)
        return true
    }

    private static func write(
        _ header: MessageHeader, _ counts: MessageCounts, _ buffer: inout [UInt8]
    ) {
        var at = 0
        var bytes = buffer.mutableSpan
        bytes.put(header.id, at: &at)
        bytes.put(header.flags, at: &at)
        bytes.put(counts.questions, at: &at)
        bytes.put(counts.answers, at: &at)
        bytes.put(counts.authorities, at: &at)
        bytes.put(counts.additionals, at: &at)
    }
}

// Part by part out of a span: a record as a whole would be copied, with all that it refers to.
extension MessageEncoder {
    fileprivate mutating func append(_ questions: [Question]) throws(MessageEncodingError) {
        let questions = questions.span
        for index in questions.indices {
            guard append(questions[index]) else {
                throw .limitExceeded(limit: limit, section: .question, index: index)
            }
        }
    }

    fileprivate mutating func append(
        _ records: [ResourceRecord], to section: MessageSection
    ) throws(MessageEncodingError) {
        let records = records.span
        for index in records.indices {
            guard
                append(
                    records[index].name, records[index].data, records[index].recordClass,
                    records[index].timeToLive, records[index].cacheFlush, to: section)
            else {
                throw .limitExceeded(limit: limit, section: section, index: index)
            }
        }
    }
}
