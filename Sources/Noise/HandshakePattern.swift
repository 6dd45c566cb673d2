/// Which messages a handshake has, and what each of them carries (Noise §7), as data.
///
/// Two patterns are offered: in both, each side shows its static key under encryption, and both
/// keys are proven when the third message is read.
package struct HandshakePattern: Sendable {
    /// The name as the protocol's name has it, with its modifiers: `XXpsk3` (Noise §8).
    package let name: String

    /// Keys that are known before the first message (Noise §7.1).
    let initiatorPreMessage: [HandshakeToken]
    let responderPreMessage: [HandshakeToken]

    /// The tokens of each message. The initiator sends the first, and then they take turns.
    let messages: [[HandshakeToken]]

    init(
        name: String, initiatorPreMessage: [HandshakeToken] = [],
        responderPreMessage: [HandshakeToken] = [], messages: [[HandshakeToken]]
    ) {
        self.name = name
        self.initiatorPreMessage = initiatorPreMessage
        self.responderPreMessage = responderPreMessage
        self.messages = messages
    }
}

extension HandshakePattern {
    /// Neither side knows the other's static key (Noise §7.5).
    package static var xx: HandshakePattern {
        HandshakePattern(name: "XX", messages: [[.e], [.e, .ee, .s, .es], [.s, .se]])
    }

    /// The same between two that share a secret of 128 bits or more (Noise §9.4): a short one
    /// could be guessed by whoever answers once.
    package static var xxPSK3: HandshakePattern {
        HandshakePattern(name: "XXpsk3", messages: [[.e], [.e, .ee, .s, .es], [.s, .se, .psk]])
    }

    /// How many pre-shared keys the handshake mixes in.
    package var preSharedKeyCount: Int {
        messages.reduce(0) { count, tokens in
            count + tokens.reduce(0) { $1 == .psk ? $0 + 1 : $0 }
        }
    }

    /// The name that both sides hash first (Noise §8).
    var protocolName: String { "Noise_" + name + "_25519_ChaChaPoly_SHA256" }

    /// Whether a side sends its static key, or the other side knows it before.
    func usesStaticKey(of role: HandshakeRole) -> Bool {
        if preMessage(of: role).contains(.s) { return true }
        return messages.indices.contains { sender(of: $0) == role && messages[$0].contains(.s) }
    }

    func preMessage(of role: HandshakeRole) -> [HandshakeToken] {
        role == .initiator ? initiatorPreMessage : responderPreMessage
    }

    func sender(of message: Int) -> HandshakeRole {
        message.isMultiple(of: 2) ? .initiator : .responder
    }
}

/// Who sends the first message.
package enum HandshakeRole: Sendable {
    case initiator
    case responder

    /// The other side.
    package var peer: HandshakeRole { self == .initiator ? .responder : .initiator }
}

/// A part of a handshake message, by its name in Noise §7.1: a key that is sent, or a secret that
/// both sides mix in.
package enum HandshakeToken: Sendable {
    /// The ephemeral and the static public key of the sender.
    case e, s
    /// The secret shared between two keys: the first letter is the initiator's.
    case ee, es, se, ss
    /// The pre-shared key.
    case psk
}
