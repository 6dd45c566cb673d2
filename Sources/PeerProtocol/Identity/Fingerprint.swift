import CryptoPrimitives

/// What persons compare and write down of a device key: SHA-256 over a label and the key.
///
/// The label and the text form are the same for ever, because people keep fingerprints.
public struct Fingerprint: Hashable, Sendable {
    /// What is hashed before the key, in ASCII.
    public static let label = "vicinity device key fingerprint"

    /// The digest, 32 bytes.
    public let bytes: [UInt8]

    /// Of a key.
    public init(of key: DeviceKey) {
        var hash = SHA256()
        hash.update(Array(Self.label.utf8).span)
        hash.update(key.bytes.span)
        bytes = hash.finish()
    }

    /// From its text; small letters, spaces and hyphens anywhere are allowed.
    ///
    /// - Throws: `FingerprintError` if it isn't a whole fingerprint.
    public init(_ text: String) throws(FingerprintError) {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        var digits = 0
        for (offset, byte) in text.utf8.enumerated() where !Base32.isSeparator(byte) {
            guard let value = Base32.value(of: byte) else {
                throw .invalidCharacter(offset: offset)
            }
            digits += 1
            guard digits <= Self.digitCount else { continue }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= (1 << UInt32(bitCount)) - 1
            }
        }
        guard digits == Self.digitCount else { throw .wrongLength(digits: digits) }
        // 52 digits have four bits more than 32 bytes.
        guard bits == 0 else { throw .invalidEnd }
        self.bytes = bytes
    }

    /// 256 bits, five in a digit.
    private static let digitCount = 52
    private static let groupLength = 4
}

extension Fingerprint: CustomStringConvertible {
    /// 13 groups of four digits of base32 (RFC 4648 §6), joined by hyphens.
    public var description: String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        var digits = 0
        for byte in bytes + [0] {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5, digits < Self.digitCount {
                bitCount -= 5
                if digits > 0, digits % Self.groupLength == 0 { text.append(UInt8(ascii: "-")) }
                text.append(Base32.digit(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)) & 31))
                digits += 1
            }
            bits &= (1 << UInt32(bitCount)) - 1
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Why a text is no fingerprint.
public enum FingerprintError: Error, Hashable, Sendable {
    /// Neither a digit of base32 nor a separator, at that byte.
    case invalidCharacter(offset: Int)
    /// A fingerprint has 52 digits.
    case wrongLength(digits: Int)
    /// The last digit can only be A or Q: the others would need more than 256 bits.
    case invalidEnd
}

/// The alphabet of base32 (RFC 4648 §6).
private enum Base32 {
    static func digit(_ value: UInt8) -> UInt8 {
        value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26
    }

    static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): byte - UInt8(ascii: "2") + 26
        default: nil
        }
    }

    static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }
}
