import CryptoPrimitives

/// Two persons compare six digits, and a man in the middle has one chance in a million.
///
/// The digits follow from the handshake's hash and two nonces. The initiator commits to its nonce
/// before it sees the responder's, and the responder's nonce is fixed before it sees the
/// initiator's: so who sits between them must fix both of its nonces without knowing what either
/// side will show, and can't try many.
///
/// States: `idle`, then for the initiator `committed`, for the responder `requested` (if its
/// person began) and `answered`; `comparing` when both nonces are known; at the end `finished`.
/// There is one comparison on a connection, with no clock: it ends with the connection at the
/// latest. Whatever is out of turn ends it.
package struct ShortStringComparison: Sendable {
    /// What came of the last input.
    package enum Effect: Hashable, Sendable {
        /// To be sent to the other side.
        case send(ShortStringMessage)
        /// Both nonces are known: to be shown to the person, who is asked whether the other
        /// person sees the same.
        case compare(ShortString)
        /// Both persons said yes: the other's key is stored as verified.
        case verified
        /// The comparison is over and nothing is stored.
        case failed(ShortStringFailure)
    }

    private enum State {
        case idle
        case requested
        case committed
        case answered(commitment: [UInt8])
        case comparing(ours: Bool?, theirs: Bool?)
        case finished
    }

    private let role: ConnectionRole
    private let handshakeHash: [UInt8]
    private let nonce: [UInt8]
    private var state = State.idle

    /// A comparison that has not begun.
    ///
    /// - Parameters:
    ///   - handshakeHash: The hash of the finished handshake, 32 bytes.
    ///   - nonce: 32 bytes from the system's generator, used for this comparison only.
    /// - Returns: Nil if the hash or the nonce has another length.
    package init?(role: ConnectionRole, handshakeHash: [UInt8], nonce: [UInt8]) {
        guard handshakeHash.count == SHA256.digestSize,
            nonce.count == ShortStringMessage.valueSize
        else { return nil }
        self.role = role
        self.handshakeHash = handshakeHash
        self.nonce = nonce
    }

    /// Whether it is over.
    package var isFinished: Bool {
        if case .finished = state { return true }
        return false
    }

    /// This side's person wants to compare. Nothing happens if it has begun already.
    package mutating func begin() -> [Effect] {
        guard case .idle = state else { return [] }
        switch role {
        case .initiator: return commit()
        case .responder:
            state = .requested
            return [.send(.request)]
        }
    }

    /// A message came from the other side.
    package mutating func receive(_ message: ShortStringMessage) -> [Effect] {
        switch (state, message) {
        case (.finished, _): return []
        case (.idle, .request) where role == .initiator:
            return commit()
        // The request crossed the commitment.
        case (.committed, .request) where role == .initiator: return []
        case (.idle, .commitment(let value)) where role == .responder,
            (.requested, .commitment(let value)) where role == .responder:
            state = .answered(commitment: value)
            return [.send(.nonce(nonce))]
        case (.committed, .nonce(let theirs)):
            return [.send(.reveal(nonce))] + show(initiator: nonce, responder: theirs)
        case (.answered(let commitment), .reveal(let theirs)):
            guard commitment == self.commitment(to: theirs) else { return fail(.wrongReveal) }
            return show(initiator: theirs, responder: nonce)
        case (.comparing(let ours, nil), .answer(let isSame)):
            return settle(ours: ours, theirs: isSame)
        default: return fail(.outOfTurn)
        }
    }

    /// This side's person says whether the other one sees the same digits.
    package mutating func answer(_ isSame: Bool) -> [Effect] {
        guard case .comparing(nil, let theirs) = state else { return [] }
        return [.send(.answer(isSame))] + settle(ours: isSame, theirs: theirs)
    }

    /// The connection was closed.
    package mutating func close() -> [Effect] {
        switch state {
        case .idle, .finished: return []
        default: return fail(.closed)
        }
    }

    // MARK: Steps

    private mutating func commit() -> [Effect] {
        state = .committed
        return [.send(.commitment(commitment(to: nonce)))]
    }

    private mutating func show(initiator: [UInt8], responder: [UInt8]) -> [Effect] {
        state = .comparing(ours: nil, theirs: nil)
        return [.compare(digits(initiator, responder))]
    }

    private mutating func settle(ours: Bool?, theirs: Bool?) -> [Effect] {
        if ours == false { return fail(.refusedHere) }
        if theirs == false { return fail(.refusedThere) }
        guard ours == true, theirs == true else {
            state = .comparing(ours: ours, theirs: theirs)
            return []
        }
        state = .finished
        return [.verified]
    }

    private mutating func fail(_ reason: ShortStringFailure) -> [Effect] {
        state = .finished
        return [.failed(reason)]
    }

    // MARK: Values

    private func commitment(to nonce: [UInt8]) -> [UInt8] {
        SHA256.hash((Self.commitmentLabel + handshakeHash + nonce).span)
    }

    /// HKDF with the handshake's hash as salt; the first eight bytes as a number, modulo one
    /// million. That makes a part in 10¹³ of difference between two numbers.
    private func digits(_ initiator: [UInt8], _ responder: [UInt8]) -> ShortString {
        let input = initiator + responder
        let key = HKDF.extract(salt: handshakeHash.span, inputKeyMaterial: input.span)
        let code = key.withBytes { HMAC.code(of: Self.firstBlock.span, key: $0) }
        let number = code.withBytes { UInt64(bigEndian: $0.extracting(0..<8)) }
        return ShortString(number: UInt32((number ?? 0) % 1_000_000))
    }

    private static let commitmentLabel = Array("vicinity short string commitment".utf8)
    /// The label and the counter 1: HKDF's first block of output (RFC 5869 §2.3).
    private static let firstBlock = Array("vicinity short string".utf8) + [1]
}

/// Why a comparison came to nothing.
package enum ShortStringFailure: Hashable, Sendable {
    /// The other side's nonce is not the one that it committed to: somebody is in between.
    case wrongReveal
    /// A message at the wrong moment.
    case outOfTurn
    /// This side's person saw other digits.
    case refusedHere
    /// The other side's person did.
    case refusedThere
    /// The connection was closed before both had answered.
    case closed
}
