import NetworkPrimitives

/// What a person calls a peer: 1 to 63 bytes of UTF-8, which may change at any time.
///
/// A name is never identity: two peers may have the same one, and whoever likes may take it.
/// Names are equal if they are canonically equivalent, so that one letter written in two ways
/// does not make two names.
public struct PeerName: Hashable, Sendable {
    /// The most bytes of a name.
    public static let maximumBytes = 63

    /// The name as it was given.
    public let text: String

    /// A name of 1 to 63 bytes.
    ///
    /// - Throws: `PeerNameError`, which says which rule the text breaks.
    public init(_ text: String) throws(PeerNameError) {
        let count = text.utf8.count
        guard count > 0 else { throw .empty }
        guard count <= Self.maximumBytes else { throw .tooLong(bytes: count) }
        self.text = text
    }

    /// A name from bytes that a peer sent.
    ///
    /// - Throws: `PeerNameError`, which says which rule they break.
    public init(utf8 bytes: [UInt8]) throws(PeerNameError) {
        guard bytes.count <= Self.maximumBytes else { throw .tooLong(bytes: bytes.count) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        try self.init(text)
    }

    /// The longest start of `text` that fits, cut between two characters as a person sees them.
    ///
    /// - Throws: `PeerNameError` if there is no text, or its first character alone is too long.
    public init(cutting text: String) throws(PeerNameError) {
        let kept = text.wholeCharacters(upToUTF8Count: Self.maximumBytes)
        guard !kept.isEmpty || text.isEmpty else { throw .tooLong(bytes: text.utf8.count) }
        try self.init(kept)
    }
}

extension PeerName: CustomStringConvertible {
    /// The name as it was given.
    public var description: String { text }
}

/// Why a text is no name of a peer.
public enum PeerNameError: Error, Hashable, Sendable {
    /// A name has at least one byte.
    case empty
    /// A name has at most 63 bytes of UTF-8.
    case tooLong(bytes: Int)
    /// The bytes are not UTF-8.
    case notUTF8
}

extension PeerNameError: CustomStringConvertible {
    /// The rule that was broken, as a sentence.
    public var description: String {
        switch self {
        case .empty: "A peer's name is empty; it must have 1 to 63 bytes."
        case .tooLong(let bytes): "A peer's name has \(bytes) bytes of UTF-8; 63 are allowed."
        case .notUTF8: "A peer's name is not UTF-8."
        }
    }
}
