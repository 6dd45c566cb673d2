/// Why a handshake or a cipher does not go on.
///
/// What failed is dead afterwards: there is no second attempt with less.
package enum NoiseError: Error, Hashable, Sendable {
    /// A part of a handshake message that is encrypted.
    package enum Part: Hashable, Sendable {
        case staticKey
        case payload
    }

    /// The pattern sends a static key, or needs one that is known before, and none was given.
    case missingStaticKey(of: HandshakeRole)
    /// The pattern mixes in another number of pre-shared keys than were given.
    case preSharedKeyCount(needed: Int, given: Int)
    /// It is the other side's turn, or all messages of the handshake were sent.
    case outOfTurn
    /// Messages of the handshake are still to come.
    case handshakeIncomplete
    /// A message would have, or has, more than the 65,535 bytes that are allowed (Noise §3).
    case messageTooLong(bytes: Int)
    /// A message ends before what it must carry.
    case messageTooShort(bytes: Int)
    /// A part of a handshake message was not made by one who holds the keys and saw the same
    /// messages, prologue and pre-shared key; or it was changed on its way.
    case handshakeNotAuthentic(Part)
    /// A message of the transport was changed, is missing, repeated or not in order.
    case messageNotAuthentic
    /// The other side sent a key with which the secret shared is zero whatever one's own key is.
    case secretIsZero(HandshakeToken)
    /// The other side shows one's own static key, which the caller refuses.
    case ownStaticKey
    /// All 2^64 − 1 messages of a key were sent (Noise §5.1).
    case nonceExhausted
    /// The handshake or the cipher failed before.
    case failedBefore
}

extension NoiseError: CustomStringConvertible {
    /// The reason as a sentence.
    package var description: String {
        switch self {
        case .missingStaticKey(.initiator): "the pattern needs the initiator's static key"
        case .missingStaticKey(.responder): "the pattern needs the responder's static key"
        case .preSharedKeyCount(let needed, let given):
            "the pattern mixes in \(needed) pre-shared keys, and \(given) were given"
        case .outOfTurn: "it is not this side's turn to send or to read a handshake message"
        case .handshakeIncomplete: "messages of the handshake are still to come"
        case .messageTooLong(let bytes):
            "a message of \(bytes) bytes is over the \(NoiseLimits.messageSize) that are allowed"
        case .messageTooShort(let bytes):
            "a message of \(bytes) bytes ends before what it must carry"
        case .handshakeNotAuthentic(.staticKey):
            "the static key in the handshake can't be decrypted: "
                + "the sides differ in what they said before, or it was changed on its way"
        case .handshakeNotAuthentic(.payload):
            "a handshake message is not authentic: the sides differ in the pre-shared key or in "
                + "what they said before, or it was changed on its way"
        case .messageNotAuthentic:
            "a message is not authentic: it was changed, is missing, repeated or not in order"
        case .secretIsZero: "the other side sent a key with which every shared secret is zero"
        case .ownStaticKey: "the other side shows this side's own static key"
        case .nonceExhausted: "all messages of this key were sent"
        case .failedBefore: "the handshake or the cipher failed before"
        }
    }
}

/// The limits of Noise.
package enum NoiseLimits {
    /// Bytes of a message, of the handshake or the transport (Noise §3).
    package static let messageSize = 65_535

    /// Bytes that a transport message carries at most.
    package static let plaintextSize = 65_535 - 16

    /// Bytes of a pre-shared key (Noise §9.2).
    package static let preSharedKeySize = 32
}
