import CryptoPrimitives

/// The stored form of a `TrustStore`: lines of text, and SHA-256 over them at the end.
///
/// ```
/// vicinity trust 1
/// key 64 hexadecimal digits
/// level trusted|pinned|blocked
/// by first-use|person|fingerprint|short-string|secret
/// seen FIRST LAST
/// id 16 hexadecimal digits      (0 to 16 times, the latest last)
/// name TEXT                     (0 to 8 times, the latest last)
/// sha256 64 hexadecimal digits
/// ```
///
/// The lines from `key` on repeat for each key, in the order of the keys. There is one form for
/// each store: what is read and written again is the same.
extension TrustStore {
    /// The first line of every file of this version.
    static let header = "vicinity trust 1"

    /// The bytes to store.
    public func encoded() -> [UInt8] {
        var text = "\(Self.header)\n"
        for entry in entries {
            text += "key \(entry.key)\nlevel \(entry.level.word)\nby \(entry.basis.word)\n"
            text += "seen \(entry.firstSeen) \(entry.lastSeen)\n"
            for id in entry.ids { text += "id \(id)\n" }
            for name in entry.names { text += "name \(EscapedName.text(name))\n" }
        }
        let bytes = Array(text.utf8)
        return bytes + Array("sha256 \(DeviceKey.text(ofDigest: bytes))\n".utf8)
    }

    /// The store that was written as `bytes`.
    ///
    /// - Throws: `TrustStoreDamage`, which says where and what. The file must be left as it is
    ///   then: written anew, it would have forgotten whom the user trusts and blocks.
    public init(decoding bytes: [UInt8]) throws(TrustStoreDamage) {
        var reader = TrustStoreReader(bytes)
        self = try reader.store()
    }
}

extension DeviceKey {
    /// SHA-256 of some bytes as hexadecimal digits.
    static func text(ofDigest bytes: [UInt8]) -> String {
        // A digest has as many bytes as a key and is written as one.
        DeviceKey(SHA256.hash(bytes.span)).map { $0.description } ?? ""
    }
}

extension TrustLevel {
    var word: String {
        switch self {
        case .trusted: "trusted"
        case .pinned: "pinned"
        case .blocked: "blocked"
        }
    }
}

extension TrustBasis {
    var word: String {
        switch self {
        case .firstUse: "first-use"
        case .person: "person"
        case .fingerprint: "fingerprint"
        case .shortString: "short-string"
        case .secret: "secret"
        }
    }
}

/// A name on a line: control characters and the backslash as `\` and two hexadecimal digits.
enum EscapedName {
    static func text(_ name: PeerName) -> String {
        var bytes: [UInt8] = []
        for byte in name.text.utf8 {
            if isEscaped(byte) {
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(contentsOf: [digit(byte >> 4), digit(byte & 15)])
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nil for anything but the text that the other function makes of some name.
    static func name(_ text: ArraySlice<UInt8>) -> PeerName? {
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            var byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                if isEscaped(byte) { return nil }
                bytes.append(byte)
                continue
            }
            guard text.endIndex - index >= 2, let high = value(text[index]),
                let low = value(text[index + 1])
            else { return nil }
            byte = high << 4 | low
            guard isEscaped(byte) else { return nil }
            bytes.append(byte)
            index += 2
        }
        return try? PeerName(utf8: bytes)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\")
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
