/// The class of a record: 15 bits, since multicast DNS uses the top one (RFC 6762 §22).
public struct RecordClass: RawRepresentable, Hashable, Sendable, Comparable {
    /// The number on the wire without the top bit.
    public let rawValue: UInt16

    /// The class with that number; the top bit is left out.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue & 0x7FFF
    }

    /// The Internet.
    public static let internet = RecordClass(rawValue: 1)
    /// Asks for every class; never a record's own class.
    public static let any = RecordClass(rawValue: 255)

    public static func < (left: RecordClass, right: RecordClass) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension RecordClass: CustomStringConvertible {
    /// `IN`, `ANY`, or `CLASS123` (RFC 3597 §5).
    public var description: String {
        switch self {
        case .internet: "IN"
        case .any: "ANY"
        default: "CLASS\(rawValue)"
        }
    }
}
