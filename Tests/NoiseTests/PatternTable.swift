@testable import Noise

extension HandshakePattern {
    /// The pattern of a name such as `XXpsk0+psk3`; nil if the table does not have it.
    static func named(_ name: String) -> HandshakePattern? {
        var base = name
        var modifiers: [Substring] = []
        if let start = name.firstIndex(of: "p") {
            base = String(name[..<start])
            modifiers = name[start...].split(separator: "+")
        }
        guard let text = table[base] else { return nil }
        var premessages: [[HandshakeToken]] = [[], []]
        var messages: [[HandshakeToken]] = []
        for line in text.split(separator: "/") {
            let words = line.split { $0 == " " || $0 == "," }
            let tokens = words.dropFirst().compactMap { tokenNames[String($0)] }
            guard tokens.count == words.count - 1 else { return nil }
            switch words[0] {
            case "i": premessages[0] = tokens
            case "r": premessages[1] = tokens
            default: messages.append(tokens)
            }
        }
        for modifier in modifiers {
            guard modifier.hasPrefix("psk"), let place = Int(modifier.dropFirst(3)),
                place <= messages.count
            else { return nil }
            if place == 0 { messages[0].insert(.psk, at: 0) } else { messages[place - 1] += [.psk] }
        }
        return HandshakePattern(
            name: name, initiatorPreMessage: premessages[0], responderPreMessage: premessages[1],
            messages: messages)
    }

    private static let tokenNames: [String: HandshakeToken] = [
        "e": .e, "s": .s, "ee": .ee, "es": .es, "se": .se, "ss": .ss,
    ]

    /// Noise §7.4, §7.5 and §18.1. `i` and `r` are pre-messages, `>` and `<` messages.
    private static let table: [String: String] = [
        "N": "r s/> e, es", "K": "i s/r s/> e, es, ss", "X": "r s/> e, es, s, ss",
        "NN": "> e/< e, ee", "NK": "r s/> e, es/< e, ee", "NX": "> e/< e, ee, s, es",
        "KN": "i s/> e/< e, ee, se", "KK": "i s/r s/> e, es, ss/< e, ee, se",
        "KX": "i s/> e/< e, ee, se, s, es", "XN": "> e/< e, ee/> s, se",
        "XK": "r s/> e, es/< e, ee/> s, se", "XX": "> e/< e, ee, s, es/> s, se",
        "IN": "> e, s/< e, ee, se", "IK": "r s/> e, es, s, ss/< e, ee, se",
        "IX": "> e, s/< e, ee, se, s, es",
        "NK1": "r s/> e/< e, ee, es", "NX1": "> e/< e, ee, s/> es",
        "X1N": "> e/< e, ee/> s/< se", "X1K": "r s/> e, es/< e, ee/> s/< se",
        "XK1": "r s/> e/< e, ee, es/> s, se", "X1K1": "r s/> e/< e, ee, es/> s/< se",
        "X1X": "> e/< e, ee, s, es/> s/< se", "XX1": "> e/< e, ee, s/> es, s, se",
        "X1X1": "> e/< e, ee, s/> es, s/< se",
        "K1N": "i s/> e/< e, ee/> se", "K1K": "i s/r s/> e, es/< e, ee/> se",
        "KK1": "i s/r s/> e/< e, ee, se, es", "K1K1": "i s/r s/> e/< e, ee, es/> se",
        "K1X": "i s/> e/< e, ee, s, es/> se", "KX1": "i s/> e/< e, ee, se, s/> es",
        "K1X1": "i s/> e/< e, ee, s/> se, es",
        "I1N": "> e, s/< e, ee/> se", "I1K": "r s/> e, es, s/< e, ee/> se",
        "IK1": "r s/> e, s/< e, ee, se, es", "I1K1": "r s/> e, s/< e, ee, es/> se",
        "I1X": "> e, s/< e, ee, s, es/> se", "IX1": "> e, s/< e, ee, se, s/> es",
        "I1X1": "> e, s/< e, ee, s/> se, es",
    ]
}
