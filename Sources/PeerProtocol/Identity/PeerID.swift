import NetworkPrimitives

/// Which of the peers that share a device key: 64 bits, drawn at random for each local peer and
/// kept when it is archived.
public struct PeerID: RawRepresentable, Hashable, Sendable, Comparable {
    /// The number.
    public let rawValue: UInt64

    /// The peer with that number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A new one.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = generator.next()
    }

    /// From its text: 16 hexadecimal digits.
    public init?(_ text: String) {
        guard let number = UInt64(fixedHexadecimal: text) else { return nil }
        rawValue = number
    }

    public static func < (left: PeerID, right: PeerID) -> Bool { left.rawValue < right.rawValue }
}

extension PeerID: CustomStringConvertible {
    /// 16 hexadecimal digits.
    public var description: String { Hexadecimal.text(rawValue.bigEndianBytes) }
}

/// Which run of a peer: 64 bits, drawn at random each time the peer starts and never stored.
///
/// The same peer under another number was restarted, or its device was copied.
public struct RunNumber: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// The run with that number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A new one.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = generator.next()
    }
}

extension RunNumber: CustomStringConvertible {
    /// 16 hexadecimal digits.
    public var description: String { Hexadecimal.text(rawValue.bigEndianBytes) }
}
