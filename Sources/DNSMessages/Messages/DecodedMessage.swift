/// What was read from the bytes of a message, and what was not.
public struct DecodedMessage: Sendable {
    /// The message, without what was skipped. Its names and strings share their bytes.
    public let message: Message
    /// The counts as the header has them.
    public let counts: MessageCounts
    /// Records among the skipped ones whose owner and fixed fields could be read, in order;
    /// only ever there after `Message.inspect(_:)`, to be shown and not to be used.
    public let refused: [RefusedRecord]
    /// What could not be read or must not be used, in order.
    public let skipped: [SkippedItem]
    /// The number of bytes after the last counted record; 0 where reading stopped early.
    public let trailingByteCount: Int
    /// Why `Message.decode(_:)` would refuse the message as a whole; only ever there after
    /// `Message.inspect(_:)`.
    public let rejectionReason: MessageDecodingError?
    /// The message's bytes, and behind them the names that were expanded.
    let bytes: [UInt8]

    /// The place of one question or record in the bytes.
    public struct Position: Hashable, Sendable {
        /// The section it stands in.
        public let section: MessageSection
        /// Its first byte, counted from the message's first.
        public let offset: Int
        /// RDLENGTH as written; 0 for a question.
        public let dataLength: Int
    }

    /// A record that was skipped for what it says.
    public struct RefusedRecord: Hashable, Sendable {
        /// The section it stands in.
        public let section: MessageSection
        /// Its first byte, counted from the message's first.
        public let offset: Int
        /// Its owner.
        public let name: DomainName
        /// Its type.
        public let type: RecordType
        /// Its class as written, the top bit included.
        public let classBits: UInt16
        /// Its time to live as written.
        public let timeToLive: UInt32
        /// Its data as written.
        public let data: [UInt8]
    }

    /// Where each kept question and record was, in their order on the wire: found again each
    /// time, so that it costs nothing where it is not asked for.
    public var positions: [Position] {
        var positions: [Position] = []
        var left = skipped[...]
        var offset = 12
        for section in MessageSection.allCases {
            for index in 0..<counts[section] {
                let isSkipped = left.first?.section == section && left.first?.index == index
                if isSkipped, left.removeFirst().endsReading { return positions }
                guard let position = position(of: section, at: &offset) else { return positions }
                if !isSkipped { positions.append(position) }
            }
        }
        return positions
    }

    /// The place of the item at `offset`, which is moved behind it; `nil` if it has no end.
    private func position(of section: MessageSection, at offset: inout Int) -> Position? {
        let bytes = bytes.span
        let start = offset
        guard let nameEnd = NameDecompression.endOfName(bytes, at: start, limit: bytes.count)
        else { return nil }
        if section == .question {
            offset = nameEnd + 4
            return Position(section: section, offset: start, dataLength: 0)
        }
        let fields = RecordFields(bytes, at: nameEnd)
        offset = fields.dataEnd
        return Position(section: section, offset: start, dataLength: Int(fields.dataLength))
    }
}

/// A question or record that a decoder left out.
public struct SkippedItem: Hashable, Sendable {
    /// The section it stands in.
    public let section: MessageSection
    /// Which one it is in its section, from 0, skipped ones counted.
    public let index: Int
    /// Its first byte, counted from the message's first.
    public let offset: Int
    /// Why.
    public let reason: Reason
    /// Whether its end can't be known, so that nothing behind it was read either.
    public let endsReading: Bool

    /// Why a question or record was left out.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// A compression pointer that does not point back to before its own name, or points into
        /// the header (RFC 1035 §4.1.4).
        case pointerNotBackwards
        /// More than 128 pointers in one name.
        case tooManyPointers
        /// A name of more than 255 bytes before its zero (RFC 6762 appendix C).
        case nameTooLong
        /// A label or pointer that runs past the end of the message.
        case nameCut
        /// A label whose top bits are 01 or 10.
        case labelType
        /// A name in the data that runs beyond RDLENGTH.
        case nameLeavesData
        /// RDLENGTH points past the end of the message.
        case dataCut
        /// The fixed fields run past the end of the message.
        case fieldsCut
        /// The header counts it, but the message ends before it.
        case missing
        /// RDLENGTH is not one that the type can have.
        case dataLength
        /// Bytes are left in the data behind its last field.
        case dataLeftOver
        /// A string in the data runs beyond RDLENGTH.
        case stringCut
        /// An NSEC bitmap without blocks, or with blocks that are empty, over 32 bytes, cut, or
        /// out of order (RFC 4034 §4.1.2).
        case typeBitmap
        /// An OPT record whose owner is not the root (RFC 6891 §6.1.2).
        case optionsOwner
        /// An OPT record outside the additional section (RFC 6891 §6.1.1).
        case optionsSection
        /// Options that don't add up to RDLENGTH (RFC 6891 §6.1.2).
        case optionsLength
        /// A type that can only be asked for, or 0.
        case queryType
        /// A class other than IN.
        case recordClass
        /// A time to live with its top bit set (RFC 2181 §8).
        case timeToLive
    }
}

extension SkippedItem.Reason: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .pointerNotBackwards: "name: pointer does not point backwards"
        case .tooManyPointers: "name: more than 128 pointers"
        case .nameTooLong: "name: longer than 255 bytes"
        case .nameCut: "name: runs past the end of the message"
        case .labelType: "name: label type that is not in use"
        case .nameLeavesData: "name in the data runs beyond RDLENGTH"
        case .dataCut: "RDLENGTH points past the end of the message"
        case .fieldsCut: "cut short by the end of the message"
        case .missing: "counted in the header, but the message ends before it"
        case .dataLength: "RDLENGTH does not fit the type"
        case .dataLeftOver: "bytes are left in the data"
        case .stringCut: "string in the data runs beyond RDLENGTH"
        case .typeBitmap: "type bitmap is not well formed"
        case .optionsOwner: "OPT: owner is not the root"
        case .optionsSection: "OPT: not in the additional section"
        case .optionsLength: "OPT: options do not add up to RDLENGTH"
        case .queryType: "type can only be asked for"
        case .recordClass: "class is not IN"
        case .timeToLive: "time to live has its top bit set"
        }
    }
}

/// What decoding a datagram came to: a value that all who receive it can share.
package typealias DecodingResult = Result<DecodedMessage, MessageDecodingError>

extension DecodingResult {
    /// Decodes a payload as `Message.decode(_:)` does.
    package init(_ payload: Span<UInt8>) {
        do throws(MessageDecodingError) {
            self = .success(try Message.decode(payload))
        } catch {
            self = .failure(error)
        }
    }
}
