/// A value of a property list and where it stands.
package struct PropertyListValue: Hashable, Sendable {
    /// What it is.
    package var content: Content
    /// Where its element begins.
    package var position: SourcePosition

    /// What an element holds.
    package indirect enum Content: Hashable, Sendable {
        /// Keys and values in the order of the file; a key may be there more than once.
        case dictionary([PropertyListEntry])
        /// Values in order.
        case array([PropertyListValue])
        /// A text.
        case string(String)
        /// A whole number.
        case integer(Int64)
        /// Any other number, as written.
        case real(Double)
        /// True or false.
        case boolean(Bool)
        /// A time in UTC, as written: `2026-12-03T04:00:00Z`.
        case date(String)
        /// Bytes, from base 64.
        case data([UInt8])
    }

    /// The element's name: `array`, or `true`.
    package var typeName: String {
        switch content {
        case .dictionary: "dict"
        case .array: "array"
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .boolean(let value): value ? "true" : "false"
        case .date: "date"
        case .data: "data"
        }
    }
}

/// A key of a dictionary and its value.
package struct PropertyListEntry: Hashable, Sendable {
    /// The key.
    package var key: String
    /// Where its element begins.
    package var position: SourcePosition
    /// What stands under it.
    package var value: PropertyListValue
}

/// A property list in XML, read without the system's help.
package enum PropertyList {
    /// The most bytes that are read: an `Info.plist` has a few thousand.
    package static let maximumBytes = 4 << 20
    /// How deep dictionaries and arrays may be nested.
    package static let maximumDepth = 64
    /// The most elements.
    package static let maximumElements = 100_000

    /// Reads a whole file.
    package static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        try PropertyListEncoding.check(bytes)
        var reader = PropertyListReader(bytes)
        return try reader.document()
    }
}

/// Why bytes are no property list that can be read: what, where, and what to do.
package struct PropertyListError: Error, Hashable, Sendable {
    /// The kinds of it.
    package enum Code: String, Hashable, Sendable {
        case empty
        case tooLarge = "too-large"
        case tooDeep = "too-deep"
        case tooManyElements = "too-many-elements"
        case binary
        case encoding
        case entity
        case internalSubset = "internal-subset"
        case syntax
        case value
    }

    /// Which kind.
    package var code: Code
    /// What is wrong, in a sentence without its full stop.
    package var what: String
    /// Where.
    package var position: SourcePosition
    /// What to do about it.
    package var fix: String

    package init(
        _ code: Code, _ what: String, at position: SourcePosition,
        fix: String = "'plutil -lint' on a Mac shows what Apple's reader makes of it"
    ) {
        self.code = code
        self.what = what
        self.position = position
        self.fix = fix
    }
}
