/// Why a message can't be written.
public enum MessageEncodingError: Error, Hashable, Sendable {
    /// It takes more bytes than it may: this question or record is the first that does not fit.
    case limitExceeded(limit: Int, section: MessageSection, index: Int)
}

extension MessageEncodingError: CustomStringConvertible {
    /// The reason as a sentence with what to do.
    public var description: String {
        switch self {
        case .limitExceeded(let limit, let section, let index):
            "the message takes more than \(limit) bytes: item \(index + 1) of the "
                + "\(section) section no longer fits, send it in another message"
        }
    }
}
