/// The kernel's number of a network interface.
public struct InterfaceIndex: RawRepresentable, Hashable, Sendable, Comparable {
    /// The kernel's number; zero stands for no interface.
    public var rawValue: UInt32

    /// The interface with that number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static func < (left: InterfaceIndex, right: InterfaceIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension InterfaceIndex: CustomStringConvertible {
    /// The number in decimal.
    public var description: String { String(rawValue) }
}
