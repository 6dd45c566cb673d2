/// Why a whole message is refused. Nothing smaller is an error: a record that can't be read is
/// skipped and listed in `DecodedMessage.skipped`.
public enum MessageDecodingError: Error, Hashable, Sendable {
    /// Fewer bytes than a header has.
    case tooShort(byteCount: Int)
    /// OPCODE is not 0: nothing that multicast DNS knows (RFC 6762 §18.3).
    case operationCode(MessageHeader, MessageCounts)
    /// RCODE is not 0 (RFC 6762 §18.11).
    case responseCode(MessageHeader, MessageCounts)
    /// The header promises more than so many bytes can hold.
    case countsExceedData(MessageHeader, MessageCounts)
    /// More than one OPT pseudo-record (RFC 6891 §6.1.1).
    case secondOptions(MessageHeader, MessageCounts, offset: Int)

    /// The header, if there was one.
    public var header: MessageHeader? {
        switch self {
        case .tooShort: nil
        case .operationCode(let header, _), .responseCode(let header, _),
            .countsExceedData(let header, _), .secondOptions(let header, _, _):
            header
        }
    }

    /// The counts in the header, if there was one.
    public var counts: MessageCounts? {
        switch self {
        case .tooShort: nil
        case .operationCode(_, let counts), .responseCode(_, let counts),
            .countsExceedData(_, let counts), .secondOptions(_, let counts, _):
            counts
        }
    }
}

extension MessageDecodingError: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .tooShort(let byteCount):
            "\(byteCount) bytes: a message has at least 12"
        case .operationCode(let header, _):
            "operation code \(header.operationCode): multicast DNS has only 0"
        case .responseCode(let header, _):
            "response code \(header.responseCode): multicast DNS has only 0"
        case .countsExceedData(_, let counts):
            "the header promises \(counts.total) questions and records, more than fit the message"
        case .secondOptions(_, _, let offset):
            "a second OPT record at byte \(offset): a message has at most one"
        }
    }
}
