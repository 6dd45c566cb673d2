package import CryptoPrimitives
import NetworkPrimitives

/// The public key of a device: what trust goes by.
///
/// A key counts as a peer's only if a handshake proved it. Equal if the bytes are equal.
public struct DeviceKey: Hashable, Sendable, Comparable {
    /// Bytes of a key.
    public static let size = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Nil if there are not 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// From its text: 64 hexadecimal digits, lower case.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 2 * Self.size, let bytes = Hexadecimal.bytes(text) else {
            return nil
        }
        self.init(bytes)
    }

    /// The key of a static key pair of Noise.
    package init(_ key: X25519PublicKey) { bytes = key.bytes }

    /// What a person compares: see `Fingerprint`.
    public var fingerprint: Fingerprint { Fingerprint(of: self) }

    /// In the order of the bytes, for tie-breaks.
    public static func < (left: DeviceKey, right: DeviceKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension DeviceKey: CustomStringConvertible {
    /// 64 hexadecimal digits.
    public var description: String { Hexadecimal.text(bytes) }
}
