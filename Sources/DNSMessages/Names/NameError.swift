/// Why text or labels make no domain name.
public enum NameError: Error, Hashable, Sendable {
    /// Nothing stands between two dots, or at the front, at that byte of the text.
    case emptyLabel(position: Int)
    /// A label has more than 63 bytes (RFC 1035 §2.3.4).
    case labelTooLong(label: String, bytes: Int)
    /// The name takes more than 255 bytes before its final zero (RFC 6762 appendix C).
    case nameTooLong(bytes: Int)
    /// A backslash at that byte is followed neither by three digits up to 255 nor by a character.
    case badEscape(position: Int)
}

extension NameError: CustomStringConvertible {
    /// The reason as a sentence with what to do.
    public var description: String {
        switch self {
        case .emptyLabel(let position):
            "the name has an empty label at byte \(position): write one dot between labels, "
                + "and \\. for a dot inside a label"
        case .labelTooLong(let label, let bytes):
            "the label '\(label)' has \(bytes) bytes: a label has at most 63"
        case .nameTooLong(let bytes):
            "the name has \(bytes) bytes: a name has at most 255"
        case .badEscape(let position):
            "the backslash at byte \(position) escapes nothing: write \\\\ for a backslash, "
                + "\\. for a dot, \\DDD for a byte from 000 to 255"
        }
    }
}
