/// Six digits that both persons compare.
public struct ShortString: Hashable, Sendable {
    /// The number, below one million.
    public let number: UInt32

    init(number: UInt32) { self.number = number }
}

extension ShortString: CustomStringConvertible {
    /// Two groups of three digits, `042 137`.
    public var description: String {
        let digits = String(number + 1_000_000).dropFirst()
        return "\(digits.prefix(3)) \(digits.suffix(3))"
    }
}
