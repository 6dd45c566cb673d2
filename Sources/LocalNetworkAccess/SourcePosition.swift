/// A place in a text, as editors count it.
public struct SourcePosition: Hashable, Sendable, Comparable {
    /// The line, from 1.
    public var line: Int
    /// The character of the line, from 1.
    public var column: Int

    /// The first character of a text.
    public static let start = SourcePosition(line: 1, column: 1)

    /// A place.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension SourcePosition: CustomStringConvertible {
    /// `12:3`.
    public var description: String { "\(line):\(column)" }
}
