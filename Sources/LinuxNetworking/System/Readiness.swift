/// What an open file is ready for.
package struct Readiness: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the end.
    package static let readable = Readiness(rawValue: 1)
    /// There is room to write.
    package static let writable = Readiness(rawValue: 2)
    /// An error waits, or the other end is gone; reported unasked.
    package static let failed = Readiness(rawValue: 4)
}
