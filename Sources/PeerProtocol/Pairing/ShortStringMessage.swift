/// What the two sides of a short-string comparison send each other.
///
/// | first byte | what follows | sent by |
/// | --- | --- | --- |
/// | 1 request | nothing | the responder, to have the initiator begin |
/// | 2 commitment | 32 bytes: SHA-256 over a label, the handshake's hash and nonce A | initiator |
/// | 3 nonce | 32 bytes: nonce B | responder |
/// | 4 reveal | 32 bytes: nonce A | initiator |
/// | 5 answer | one byte: 1 the persons saw the same, 0 they did not | both |
package enum ShortStringMessage: Hashable, Sendable {
    /// The responder's person wants to compare.
    case request
    /// Fixes nonce A before nonce B is known.
    case commitment([UInt8])
    /// Nonce B.
    case nonce([UInt8])
    /// Nonce A.
    case reveal([UInt8])
    /// What the sender's person said.
    case answer(Bool)

    /// Bytes of a nonce and of a commitment.
    package static let valueSize = 32

    /// The message as it is sent.
    package var bytes: [UInt8] {
        switch self {
        case .request: [1]
        case .commitment(let value): [2] + value
        case .nonce(let value): [3] + value
        case .reveal(let value): [4] + value
        case .answer(let isSame): [5, isSame ? 1 : 0]
        }
    }

    /// Nil for anything but a whole message.
    package init?(_ bytes: [UInt8]) {
        guard let type = bytes.first else { return nil }
        let value = Array(bytes.dropFirst())
        switch type {
        case 1 where value.isEmpty: self = .request
        case 2 where value.count == Self.valueSize: self = .commitment(value)
        case 3 where value.count == Self.valueSize: self = .nonce(value)
        case 4 where value.count == Self.valueSize: self = .reveal(value)
        case 5 where value == [0] || value == [1]: self = .answer(value == [1])
        default: return nil
        }
    }
}
