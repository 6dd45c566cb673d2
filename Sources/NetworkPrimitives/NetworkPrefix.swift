/// An address together with the length of its subnet's prefix.
public struct NetworkPrefix: Hashable, Sendable, Comparable {
    /// The whole address, host part included.
    public var address: IPAddress
    /// The number of leading bits that name the subnet: 0 to 32 or 0 to 128.
    public var length: Int

    /// A prefix; `length` is brought into the family's range.
    public init(_ address: IPAddress, length: Int) {
        self.address = address
        self.length = min(max(length, 0), address.family == .ipv4 ? 32 : 128)
    }

    /// Whether `other` lies in the same subnet; never true across families.
    public func contains(_ other: IPAddress) -> Bool {
        switch (address, other) {
        case (.v4(let mine), .v4(let theirs)):
            return length == 0 || (mine.rawValue ^ theirs.rawValue) >> UInt32(32 - length) == 0
        case (.v6(let mine), .v6(let theirs)):
            return length == 0 || (mine.rawValue ^ theirs.rawValue) >> UInt128(128 - length) == 0
        default:
            return false
        }
    }

    public static func < (left: NetworkPrefix, right: NetworkPrefix) -> Bool {
        (left.address, left.length) < (right.address, right.length)
    }
}

extension NetworkPrefix: CustomStringConvertible {
    /// Address and length, `192.0.2.1/24`.
    public var description: String { "\(address)/\(length)" }
}
