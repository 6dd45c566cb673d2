/// How long a record may be kept, in seconds: 31 bits (RFC 2181 §8).
public struct TimeToLive: RawRepresentable, Hashable, Sendable, Comparable {
    /// Seconds.
    public let rawValue: UInt32

    /// That many seconds, at most 2^31 - 1.
    public init(rawValue: UInt32) {
        self.rawValue = min(rawValue, 0x7FFF_FFFF)
    }

    /// That many seconds.
    public static func seconds(_ seconds: UInt32) -> TimeToLive { TimeToLive(rawValue: seconds) }

    /// Zero: the record is about to go (RFC 6762 §10.1).
    public static let goodbye = TimeToLive(rawValue: 0)
    /// 120 s, for records that have a host's name as owner or in their data (RFC 6762 §10).
    public static let host = TimeToLive(rawValue: 120)
    /// 75 minutes, for all other records (RFC 6762 §10).
    public static let standard = TimeToLive(rawValue: 4500)

    /// The time as a duration.
    public var duration: Duration { .seconds(Int64(rawValue)) }

    public static func < (left: TimeToLive, right: TimeToLive) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension TimeToLive: CustomStringConvertible {
    /// The seconds in decimal.
    public var description: String { String(rawValue) }
}
