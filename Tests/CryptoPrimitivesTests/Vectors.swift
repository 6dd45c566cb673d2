import CryptoPrimitives
import LinuxNetworking
import NetworkPrimitives
import TestSupport
import Testing

/// The vectors of `Fixtures/Crypto` and, where it is there, of `VICINITY_SHARED/vectors`.
enum Vectors {
    /// The path of a larger file.
    static func shared(_ name: String) throws -> String {
        let folder = try #require(ProjectFiles.shared)
        return "\(folder)/vectors/\(name)"
    }

    /// The cases of a file of Wycheproof.
    static func wycheproof(_ name: String) throws -> [JSONValue] {
        let path = try shared("wycheproof/\(name)")
        let bytes = try SystemFile.read(path, limit: 1 << 20)
        let file = try #require(JSONValue(bytes))
        let groups = try #require(file["testGroups"])
        return groups.elements.flatMap {
            $0["tests"]?.elements ?? []
        }
    }

    /// The records of a file of lines `NAME = value`, with blank lines between records.
    static func records(_ fixture: String) throws -> [[String: String]] {
        try records(path: ProjectFiles.fixture(fixture))
    }

    /// The same, of a file anywhere.
    static func records(path: String) throws -> [[String: String]] {
        let text = String(decoding: try SystemFile.read(path, limit: 1 << 20), as: UTF8.self)
        var records: [[String: String]] = [[:]]
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0.isNewline }) {
            let parts = line.split(separator: "=", maxSplits: 1).map {
                $0.filter { $0 != " " }
            }
            if line.isEmpty { records.append([:]) }
            guard let name = parts.first, !line.hasPrefix("#"), !line.hasPrefix("[") else {
                continue
            }
            records[records.count - 1][name] = parts.count == 2 ? parts[1] : ""
        }
        return records.filter { !$0.isEmpty }
    }
}

extension JSONValue {
    /// The bytes of a member in hexadecimal digits.
    func bytes(_ key: String) throws -> [UInt8] {
        let digits = try #require(self[key]?.text)
        return try #require(Hexadecimal.bytes(digits))
    }

    /// What a case is called in a report.
    var label: String { "case \(self["tcId"]?.integer ?? -1)" }

    /// Whether the operation is said to work.
    var isValid: Bool { self["result"]?.text == "valid" }
}

extension [String: String] {
    /// The bytes of a line in hexadecimal digits.
    func bytes(_ name: String) throws -> [UInt8] {
        let digits = try #require(self[name])
        return try #require(Hexadecimal.bytes(digits))
    }
}

/// The bytes that digits spell.
func bytes(_ digits: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(digits)) }

extension SecretBytes {
    /// From a generator with a seed.
    init(using generator: inout SeededGenerator) {
        self.init { bytes in
            for index in bytes.indices {
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
        }
    }
}

/// A key of 32 bytes.
func secretKey(_ bytes: [UInt8]) throws -> SecretKey {
    guard let key = SecretKey(copying: bytes.span) else { throw WrongLength(count: bytes.count) }
    return key
}

/// A nonce of 12 bytes.
func nonce(_ bytes: [UInt8]) throws -> ChaCha20.Nonce {
    guard let nonce = ChaCha20.Nonce(bytes.span) else { throw WrongLength(count: bytes.count) }
    return nonce
}

/// A tag of 16 bytes.
func authenticationTag(_ bytes: [UInt8]) throws -> AuthenticationTag {
    guard let tag = AuthenticationTag(bytes.span) else { throw WrongLength(count: bytes.count) }
    return tag
}

/// A public key of 32 bytes.
func publicKey(_ bytes: [UInt8]) throws -> X25519PublicKey {
    guard let key = X25519PublicKey(bytes.span) else { throw WrongLength(count: bytes.count) }
    return key
}

/// A value of a vector has another length than its kind has.
struct WrongLength: Error {
    let count: Int
}

extension [UInt8] {
    /// What a span lends.
    init(copying bytes: Span<UInt8>) {
        self = bytes.indices.map { bytes[$0] }
    }
}
