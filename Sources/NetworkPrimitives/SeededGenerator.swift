/// A random number generator whose whole sequence follows from its seed.
///
/// The engines draw every random delay from one of these, so that a run can be repeated.
/// Not for keys.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// A generator that starts from `seed`; equal seeds give equal sequences.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 random bits (the SplitMix64 sequence).
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A generator of its own, for a part that must not disturb this one's sequence.
    public mutating func split() -> SeededGenerator {
        SeededGenerator(seed: next())
    }

    /// A duration drawn uniformly from `range`, to the nanosecond.
    public mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        let lower = range.lowerBound.wholeNanoseconds
        let upper = range.upperBound.wholeNanoseconds
        return .nanoseconds(Int64.random(in: lower...upper, using: &self))
    }

    // MARK: Draws of Int

    // The standard library draws an `Int` with as many bits as it has: equal seeds would give
    // other runs on processors of 32 bits.

    /// An integer drawn uniformly from `range`, the same one whatever the width of `Int`.
    package mutating func integer(in range: ClosedRange<Int>) -> Int {
        Int(Int64.random(in: Int64(range.lowerBound)...Int64(range.upperBound), using: &self))
    }

    /// An integer drawn uniformly from `range`, which is not empty, the same one whatever the
    /// width of `Int`.
    package mutating func integer(in range: Range<Int>) -> Int {
        Int(Int64.random(in: Int64(range.lowerBound)..<Int64(range.upperBound), using: &self))
    }

    /// An element drawn uniformly; `nil` if there is none.
    package mutating func element<Elements: RandomAccessCollection>(
        of elements: Elements
    ) -> Elements.Element? {
        guard !elements.isEmpty else { return nil }
        let distance = integer(in: 0..<elements.count)
        return elements[elements.index(elements.startIndex, offsetBy: distance)]
    }

    /// The elements in an order drawn uniformly.
    package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var elements = elements
        for place in elements.indices.dropLast() {
            elements.swapAt(place, integer(in: place..<elements.count))
        }
        return elements
    }
}
