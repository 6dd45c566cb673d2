import NetworkPrimitives

extension Message {
    /// The message's bytes, names compressed (RFC 6762 §18.14).
    ///
    /// `limit` is for header and records; by default what fits an Ethernet frame over IPv4
    /// (RFC 6762 §17).
    ///
    /// - Throws: `MessageEncodingError` if it takes more than `limit` bytes.
    public func encoded(limit: Int = 1472) throws(MessageEncodingError) -> [UInt8] {
        var encoder = MessageEncoder(header: header, limit: limit)
        for (index, question) in questions.enumerated() where !encoder.append(question) {
            throw .limitExceeded(limit: limit, section: .question, index: index)
        }
        try encoder.append(answers, to: .answer)
        try encoder.append(authorities, to: .authority)
        try encoder.append(additionals, to: .additional)
        return encoder.finish()
    }
}

/// Writes a message item by item up to a limit of bytes.
///
/// An item that does not fit leaves no trace: bytes and compression table are as before, so no
/// later name points to what was taken back.
package struct MessageEncoder {
    /// Id and flags; may be changed until `finish()`.
    package var header: MessageHeader
    /// How many bytes it may have; may be raised for what was set aside.
    package var limit: Int
    private let compressesServiceTargets: Bool
    private var bytes: [UInt8] = []
    private var names = NameCompression()
    private var counts = InlineArray<4, UInt16>(repeating: 0)
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
        bytes.reserveCapacity(min(limit, 1472))
        for _ in 0..<12 { bytes.append(0) }
    }

    /// The bytes written so far, the header's among them.
    package var byteCount: Int { bytes.count }
    /// Whether nothing has been appended yet.
    package var isEmpty: Bool { bytes.count == 12 }

    /// The number of items in a section.
    package func count(of section: MessageSection) -> Int { Int(counts[section.rawValue]) }

    /// Appends a question; false if it did not fit.
    package mutating func append(_ question: Question) -> Bool {
        let mark = begin(.question)
        write(question.name, compresses: true)
        append(question.type.rawValue)
        append(question.recordClass.rawValue | (question.prefersUnicast ? 0x8000 : 0))
        return commit(mark)
    }

    /// Appends a record; false if it did not fit. Sections come in their order.
    package mutating func append(_ record: ResourceRecord, to section: MessageSection) -> Bool {
        append(
            record, timeToLive: record.timeToLive, cacheFlush: record.cacheFlush, to: section)
    }

    /// Appends a record with another time to live and cache-flush bit than its own; false if it
    /// did not fit. An OPT record has neither.
    package mutating func append(
        _ record: ResourceRecord, timeToLive: TimeToLive, cacheFlush: Bool,
        to section: MessageSection
    ) -> Bool {
        let mark = begin(section)
        write(record.name, compresses: true)
        append(record.type.rawValue)
        if case .opt(let options) = record.data {
            append(options.udpPayloadSize)
            bytes.append(options.extendedResponseCode)
            bytes.append(options.version)
            append(options.flags)
        } else {
            append(record.recordClass.rawValue | (cacheFlush ? 0x8000 : 0))
            append(UInt16(truncatingIfNeeded: timeToLive.rawValue >> 16))
            append(UInt16(truncatingIfNeeded: timeToLive.rawValue))
        }
        append(UInt16(0))
        let dataStart = bytes.count
        write(record.data)
        guard let dataLength = UInt16(exactly: bytes.count - dataStart) else {
            rollBack(to: mark)
            return false
        }
        patch(dataLength, at: dataStart - 2)
        return commit(mark)
    }

    /// The message's bytes; flags and counts are filled in.
    package mutating func finish() -> [UInt8] {
        patch(header.id, at: 0)
        patch(header.flags, at: 2)
        for index in 0..<4 { patch(counts[index], at: 4 + 2 * index) }
        return bytes
    }

    // MARK: Roll-back

    private struct Mark {
        let byteCount: Int
        let names: Int
        let section: MessageSection
    }

    private mutating func begin(_ section: MessageSection) -> Mark {
        precondition(section >= self.section, "sections are written in their order")
        defer { self.section = section }
        return Mark(byteCount: bytes.count, names: names.mark, section: self.section)
    }

    private mutating func commit(_ mark: Mark) -> Bool {
        guard bytes.count <= limit, counts[section.rawValue] < .max else {
            rollBack(to: mark)
            return false
        }
        counts[section.rawValue] += 1
        return true
    }

    private mutating func rollBack(to mark: Mark) {
        bytes.removeLast(bytes.count - mark.byteCount)
        names.rollBack(to: mark.names)
        section = mark.section
    }

    // MARK: Writing

    private mutating func write(_ data: RecordData) {
        switch data {
        case .a(let address):
            append(UInt16(truncatingIfNeeded: address.rawValue >> 16))
            append(UInt16(truncatingIfNeeded: address.rawValue))
        case .aaaa(let address):
            var rest = address.rawValue
            for _ in 0..<16 {
                bytes.append(UInt8(truncatingIfNeeded: rest >> 120))
                rest <<= 8
            }
        case .ptr(let name), .cname(let name): write(name, compresses: true)
        case .srv(let location):
            append(location.priority)
            append(location.weight)
            append(location.port)
            write(location.target, compresses: compressesServiceTargets)
        case .txt(let strings):
            // RFC 6763 §6.1: never without bytes.
            if strings.wireBytes.isEmpty { bytes.append(0) }
            bytes.append(contentsOf: strings.wireBytes)
        case .nsec(let next):
            write(next.nextName, compresses: true)
            // A bitmap has at least one block (RFC 6762 §6.1).
            bytes.append(contentsOf: next.bitmap.isEmpty ? [0, 1, 0] : next.bitmap)
        case .hinfo(let information):
            append(string: information.processor)
            append(string: information.operatingSystem)
        case .opt(let options):
            for option in options.options {
                append(option.code)
                append(UInt16(truncatingIfNeeded: option.bytes.count))
                bytes.append(contentsOf: option.bytes)
            }
        case .unknown(let type, let data): write(data, of: type)
        }
    }

    /// Data kept as bytes: its names are compressed where the type allows it.
    private mutating func write(_ data: [UInt8], of type: RecordType) {
        guard let layout = RecordLayout(type), layout.compresses,
            let ends = layout.nameEnds(in: data)
        else {
            bytes.append(contentsOf: data)
            return
        }
        var at = layout.prefix
        bytes.append(contentsOf: data[..<at])
        for end in ends {
            write(DomainName(storage: Array(data[at..<end - 1])), compresses: true)
            at = end
        }
        bytes.append(contentsOf: data[at...])
    }

    private mutating func write(_ name: DomainName, compresses: Bool) {
        names.write(name, into: &bytes, compresses: compresses)
    }

    private mutating func append(string: [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: string.count))
        bytes.append(contentsOf: string)
    }

    @inline(__always)
    private mutating func append(_ word: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: word >> 8))
        bytes.append(UInt8(truncatingIfNeeded: word))
    }

    private mutating func patch(_ word: UInt16, at offset: Int) {
        bytes[offset] = UInt8(truncatingIfNeeded: word >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: word)
    }
}

extension MessageEncoder {
    fileprivate mutating func append(
        _ records: [ResourceRecord], to section: MessageSection
    ) throws(MessageEncodingError) {
        for (index, record) in records.enumerated() where !append(record, to: section) {
            throw .limitExceeded(limit: limit, section: section, index: index)
        }
    }
}
