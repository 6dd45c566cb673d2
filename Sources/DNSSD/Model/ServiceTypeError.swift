/// Why text is no service type: which rule it breaks, and where.
public enum ServiceTypeError: Error, Hashable, Sendable {
    /// The first label has no underscore in front (RFC 6763 §7).
    case missingUnderscore(String)
    /// There is no second label (RFC 6763 §7).
    case missingTransport(String)
    /// What follows the name is neither `_tcp` nor `_udp` (RFC 6763 §7).
    case unknownTransport(String)
    /// Nothing follows the underscore (RFC 6335 §5.1).
    case emptyName
    /// The name has more than 15 characters (RFC 6335 §5.1).
    case tooLong(name: String, bytes: Int)
    /// That character, counted in bytes from 1, is no letter, digit or hyphen (RFC 6335 §5.1).
    case badCharacter(Character, name: String, position: Int)
    /// The name begins with a hyphen (RFC 6335 §5.1).
    case hyphenAtStart(String)
    /// The name ends with a hyphen (RFC 6335 §5.1).
    case hyphenAtEnd(String)
    /// The hyphen at that place, counted from 1, follows another (RFC 6335 §5.1).
    case adjacentHyphens(String, position: Int)
    /// There is no letter in the name (RFC 6335 §5.1).
    case noLetter(String)
}

extension ServiceTypeError: CustomStringConvertible {
    /// The rule that is broken, where, and what to write instead.
    public var description: String {
        switch self {
        case .missingUnderscore(let label):
            "the service type must begin with an underscore: "
                + "write '_\(Self.shown(label))._tcp', not '\(Self.shown(label))' (RFC 6763 §7)"
        case .missingTransport(let text):
            "the service type '\(Self.shown(text))' lacks its transport: write "
                + "'\(Self.shown(text))._tcp' or '\(Self.shown(text))._udp' (RFC 6763 §7)"
        case .unknownTransport(let text):
            "the transport '\(Self.shown(text))' is not possible: "
                + "it is '_tcp' for TCP and '_udp' for all others (RFC 6763 §7)"
        case .emptyName:
            "the service name is empty: it needs at least one letter (RFC 6335 §5.1)"
        case .tooLong(let name, let bytes):
            "the service name '\(Self.shown(name))' has \(bytes) characters: "
                + "at most 15 are allowed (RFC 6335 §5.1)"
        case .badCharacter(let character, let name, let position):
            "the character '\(Self.shown(String(character)))' at place \(position) of the "
                + "service name '\(Self.shown(name))' is not allowed: "
                + "only letters, digits and hyphens are (RFC 6335 §5.1)"
        case .hyphenAtStart(let name):
            "the service name '\(name)' begins with a hyphen: "
                + "a letter or digit must come first (RFC 6335 §5.1)"
        case .hyphenAtEnd(let name):
            "the service name '\(name)' ends with a hyphen: "
                + "a letter or digit must come last (RFC 6335 §5.1)"
        case .adjacentHyphens(let name, let position):
            "the service name '\(name)' has two hyphens in a row at place \(position - 1): "
                + "hyphens must stand alone (RFC 6335 §5.1)"
        case .noLetter(let name):
            "the service name '\(name)' has no letter: "
                + "at least one is needed (RFC 6335 §5.1)"
        }
    }

    /// The text with control characters made visible: it may be shown on a terminal.
    private static func shown(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
