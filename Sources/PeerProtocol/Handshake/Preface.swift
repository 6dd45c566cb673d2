/// A range of protocol versions that a side speaks.
public struct VersionRange: Hashable, Sendable {
    /// The lowest, at least 1.
    public let lowest: UInt8
    /// The highest.
    public let highest: UInt8

    /// Nil if the lowest is zero or above the highest.
    public init?(_ lowest: UInt8, _ highest: UInt8) {
        guard lowest >= 1, lowest <= highest else { return nil }
        self.lowest = lowest
        self.highest = highest
    }

    private init(only version: UInt8) {
        lowest = version
        highest = version
    }

    /// What this implementation speaks.
    public static let supported = VersionRange(only: 1)

    /// The highest version of both; nil if there is none.
    public func highestCommon(with other: VersionRange) -> UInt8? {
        let version = min(highest, other.highest)
        return version >= max(lowest, other.lowest) ? version : nil
    }
}

extension VersionRange: CustomStringConvertible {
    /// `1` or `1-3`.
    public var description: String {
        lowest == highest ? "\(lowest)" : "\(lowest)-\(highest)"
    }
}

/// Whether a session is encrypted. It is authenticated in any case.
public enum EncryptionPreference: UInt8, Hashable, Sendable, CaseIterable {
    /// Encrypted: clear text only if both sides ask for it, and this one does not.
    case optional = 0
    /// Encrypted.
    case required = 1
    /// In clear, provided that the other side asks for it too.
    case none = 2
}

/// The algorithms of a handshake and of the records after it.
package struct CipherSuite: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Noise with 25519, ChaChaPoly and SHA256.
    package static let curve25519ChaChaPolySHA256 = CipherSuite(rawValue: 1)
}

/// Which end of a connection a side is.
package enum ConnectionRole: UInt8, Hashable, Sendable {
    /// It dialled.
    case initiator = 0
    /// It was dialled.
    case responder = 1

    /// The other end.
    package var other: ConnectionRole { self == .initiator ? .responder : .initiator }
}

/// What each side says in clear before the handshake, whose prologue it becomes: so whoever
/// changes a byte of it breaks the handshake.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | `VICINITY` |
/// | 8 | 2 | how many bytes follow, 7 to 256, big-endian |
/// | 10 | 1 | role: 0 initiator, 1 responder |
/// | 11 | 1 | lowest version, at least 1 |
/// | 12 | 1 | highest version |
/// | 13 | 1 | encryption: 0 optional, 1 required, 2 none |
/// | 14 | 1 | flags: bit 0 a shared secret is wanted; others 0, not looked at |
/// | 15 | 1 | how many suites follow, 1 to 16 |
/// | 16 | n | suites, the best first |
/// | | | what later versions add, not looked at |
package struct Preface: Hashable, Sendable {
    /// Bytes before the part whose length they say.
    package static let headerSize = 10
    /// The most bytes of a preface.
    package static let maximumSize = headerSize + 256
    /// The most suites.
    package static let maximumSuites = 16

    private static let magic = Array("VICINITY".utf8)
    private static let fixedSize = 6
    private static let secretFlag: UInt8 = 1

    /// Which end sent it.
    package let role: ConnectionRole
    /// The versions it speaks.
    package let versions: VersionRange
    /// Whether it wants encryption.
    package let encryption: EncryptionPreference
    /// Whether it wants proof of a shared secret.
    package let wantsSecret: Bool
    /// The suites it knows, the best first.
    package let suites: [CipherSuite]
    /// The bytes as they were sent.
    package let bytes: [UInt8]

    /// A preface of this side.
    package init(
        role: ConnectionRole, encryption: EncryptionPreference, wantsSecret: Bool,
        versions: VersionRange = .supported,
        suites: [CipherSuite] = [.curve25519ChaChaPolySHA256]
    ) {
        self.role = role
        self.versions = versions
        self.encryption = encryption
        self.wantsSecret = wantsSecret
        self.suites = Array(suites.prefix(Self.maximumSuites))
        let count = Self.fixedSize + self.suites.count
        bytes =
            Self.magic + [0, UInt8(count), role.rawValue, versions.lowest, versions.highest]
            + [encryption.rawValue, wantsSecret ? Self.secretFlag : 0, UInt8(self.suites.count)]
            + self.suites.map { $0.rawValue }
    }

    /// The preface that `received` begins with; nil as long as it isn't whole.
    ///
    /// - Throws: `PrefaceError` as soon as it is clear that it will be none.
    package init?(startOf received: [UInt8]) throws(PrefaceError) {
        guard received.prefix(Self.magic.count).elementsEqual(Self.magic.prefix(received.count))
        else { throw .notOurProtocol }
        guard received.count >= Self.headerSize else { return nil }
        let count = Int(received[8]) << 8 | Int(received[9])
        guard count > Self.fixedSize, Self.headerSize + count <= Self.maximumSize else {
            throw .invalidLength(count)
        }
        guard received.count >= Self.headerSize + count else { return nil }
        try self.init(whole: Array(received.prefix(Self.headerSize + count)))
    }

    private init(whole bytes: [UInt8]) throws(PrefaceError) {
        guard let role = ConnectionRole(rawValue: bytes[10]) else { throw .invalidRole(bytes[10]) }
        guard let versions = VersionRange(bytes[11], bytes[12]) else { throw .invalidVersions }
        guard let encryption = EncryptionPreference(rawValue: bytes[13]) else {
            throw .invalidEncryption(bytes[13])
        }
        let count = Int(bytes[15])
        guard (1...Self.maximumSuites).contains(count), bytes.count >= 16 + count else {
            throw .invalidSuites
        }
        self.role = role
        self.versions = versions
        self.encryption = encryption
        wantsSecret = bytes[14] & Self.secretFlag != 0
        suites = bytes[16..<(16 + count)].map { CipherSuite(rawValue: $0) }
        self.bytes = bytes
    }
}

/// Why what a connection begins with is no preface.
package enum PrefaceError: Error, Hashable, Sendable {
    /// The first bytes are others: something else was dialled, or dialled us.
    case notOurProtocol
    /// A preface says that so many bytes follow its header.
    case invalidLength(Int)
    /// Neither of the two roles.
    case invalidRole(UInt8)
    /// Version 0, or the lowest above the highest.
    case invalidVersions
    /// None of the three preferences.
    case invalidEncryption(UInt8)
    /// No suites, too many, or fewer than it says.
    case invalidSuites
}
