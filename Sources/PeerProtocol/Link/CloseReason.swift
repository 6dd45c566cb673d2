import NetworkPrimitives

/// Why a side closes a connection, as the other side is told by the frame `goAway`.
public struct CloseReason: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt8

    /// The reason with that number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The application left the session.
    public static let left = CloseReason(rawValue: 1)
    /// There is another connection between the same two peers, which stays.
    public static let duplicate = CloseReason(rawValue: 2)
    /// Two devices have the same key and number and are both alive.
    public static let cloned = CloseReason(rawValue: 3)
    /// It was decided not to trust the other side.
    public static let notTrusted = CloseReason(rawValue: 4)
    /// All invitations came to nothing.
    public static let refused = CloseReason(rawValue: 5)
    /// The other side broke a rule of the protocol.
    public static let violation = CloseReason(rawValue: 6)
    /// The session has as many peers as it can have.
    public static let full = CloseReason(rawValue: 7)
    /// For too long nobody invited and nobody decided.
    public static let timedOut = CloseReason(rawValue: 8)
}

/// The payload of a frame `goAway`: the reason, and a text for the log.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 1 | reason |
/// | 1 | n | UTF-8, 255 bytes at most |
package struct GoAway: Hashable, Sendable {
    /// The most bytes of text.
    package static let maximumText = 255

    /// Why.
    package let reason: CloseReason
    /// More about it, for the log.
    package let text: String

    /// For a reason; a text that is too long is cut between two characters.
    package init(_ reason: CloseReason, text: String = "") {
        self.reason = reason
        self.text = text.wholeCharacters(upToUTF8Count: Self.maximumText)
    }

    /// From the payload that the other side sent.
    package init(decoding payload: [UInt8]) throws(FrameError) {
        guard let reason = payload.first else { throw .cutShort }
        guard payload.count <= 1 + Self.maximumText,
            let text = String(validating: payload.dropFirst(), as: UTF8.self)
        else { throw .invalidField(.goAway) }
        self.init(CloseReason(rawValue: reason), text: text)
    }

    /// The frame as it is sent.
    package var frame: Frame {
        Frame(.goAway, flags: .critical, payload: [reason.rawValue] + Array(text.utf8))
    }
}

extension TrustStanding {
    /// The frame that tells it to the other side.
    package var frame: Frame { Frame(.trust, payload: [rawValue]) }

    /// From the payload that the other side sent.
    package init(decoding payload: [UInt8]) throws(FrameError) {
        guard payload.count == 1, let standing = TrustStanding(rawValue: payload[0]) else {
            throw .invalidField(.trust)
        }
        self = standing
    }
}
