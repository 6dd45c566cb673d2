/// A whole domain name: up to 255 bytes of labels before the final zero.
///
/// Kept uncompressed in wire form, the case as given; a name and its suffixes, and all names of
/// a decoded message, can share their bytes. Names compare and hash without regard to the case
/// of ASCII letters and byte for byte otherwise (RFC 6762 §16).
public struct DomainName: Sendable {
    /// Length-prefixed labels without the final zero; this name is `length` bytes from `start`.
    let storage: [UInt8]
    let start: UInt32
    let length: UInt8

    init(storage: [UInt8]) {
        self.storage = storage
        start = 0
        length = UInt8(storage.count)
    }

    /// A name inside bytes that it shares with others.
    @inline(__always)
    init(storage: [UInt8], start: UInt32, length: UInt8) {
        self.storage = storage
        self.start = start
        self.length = length
    }

    private var end: Int { Int(start) + Int(length) }
    /// Where the name is in `storage`.
    @inline(__always)
    var range: Range<Int> { Int(start)..<end }

    /// The root, a name without labels.
    public static let root = DomainName(storage: [])
    /// `local`, the domain of multicast DNS (RFC 6762 §3).
    public static let local = DomainName(storage: [5] + Array("local".utf8))

    /// A name of these labels, first label first.
    ///
    /// - Throws: `NameError.nameTooLong` if they take more than 255 bytes.
    public init(labels: some Sequence<Label>) throws(NameError) {
        var storage: [UInt8] = []
        for label in labels {
            storage.append(UInt8(label.bytes.count))
            storage.append(contentsOf: label.bytes)
        }
        guard storage.count <= 255 else { throw .nameTooLong(bytes: storage.count) }
        self.init(storage: storage)
    }

    /// Reads the text form: labels joined by dots, `\.`, `\\` and `\DDD` inside a label, a final
    /// dot allowed, `.` for the root.
    ///
    /// - Throws: `NameError`.
    public init(_ text: String) throws(NameError) {
        self.init(storage: try NameText.parse(text))
    }

    /// The number of bytes on the wire without the final zero, uncompressed.
    public var byteCount: Int { Int(length) }
    /// Whether it is the root.
    public var isRoot: Bool { length == 0 }

    /// The labels, first label first.
    public var labels: Labels { Labels(name: self) }
    /// The number of labels; the root has none.
    public var labelCount: Int {
        var count = 0
        var at = Int(start)
        while at < end {
            at += 1 + Int(storage[at])
            count += 1
        }
        return count
    }
    /// The first label; `nil` for the root.
    public var firstLabel: Label? { labels.first { _ in true } }

    /// The name without its first label; `nil` for the root.
    public var parent: DomainName? {
        guard !isRoot else { return nil }
        let taken = 1 + storage[Int(start)]
        return DomainName(
            storage: storage, start: start + UInt32(taken), length: length - taken)
    }

    /// The name with `label` in front.
    ///
    /// - Throws: `NameError.nameTooLong` if it takes more than 255 bytes then.
    public func prepending(_ label: Label) throws(NameError) -> DomainName {
        let bytes = [UInt8(label.bytes.count)] + label.bytes + slice
        guard bytes.count <= 255 else { throw .nameTooLong(bytes: bytes.count) }
        return DomainName(storage: bytes)
    }

    /// The labels of this name followed by those of `suffix`.
    ///
    /// - Throws: `NameError.nameTooLong` if it takes more than 255 bytes then.
    public func appending(_ suffix: DomainName) throws(NameError) -> DomainName {
        let bytes = Array(slice + suffix.slice)
        guard bytes.count <= 255 else { throw .nameTooLong(bytes: bytes.count) }
        return DomainName(storage: bytes)
    }

    /// Whether this name is `parent` or lies below it.
    public func isSubdomain(of parent: DomainName) -> Bool {
        var candidate = self
        while candidate.byteCount > parent.byteCount {
            candidate = candidate.parent ?? .root
        }
        return candidate == parent
    }

    /// The labels' bytes in wire form without the final zero.
    public var wireBytes: [UInt8] { length == storage.count ? storage : Array(slice) }

    /// The same without a copy.
    var slice: ArraySlice<UInt8> { storage[Int(start)..<end] }

    /// The name with bytes of its own, so that it keeps no other names alive: a name out of a
    /// decoded message shares its bytes with all names of that message.
    package var compacted: DomainName {
        length == storage.count ? self : DomainName(storage: Array(slice))
    }

    /// The labels of a name, first label first.
    public struct Labels: Sequence, IteratorProtocol, Sendable {
        private let storage: [UInt8]
        private var at: Int
        private let nameEnd: Int

        init(name: DomainName) {
            storage = name.storage
            at = Int(name.start)
            nameEnd = name.end
        }

        /// The next label; `nil` after the last.
        public mutating func next() -> Label? {
            guard at < nameEnd else { return nil }
            let end = at + 1 + Int(storage[at])
            defer { at = end }
            return Label(unchecked: storage[at + 1..<end])
        }
    }
}

// Length bytes are below 64 and so never look like letters: the wire form is folded as a whole.
extension DomainName: Hashable {
    /// Equal but for the case of ASCII letters.
    public static func == (left: DomainName, right: DomainName) -> Bool {
        let count = left.byteCount
        guard count == right.byteCount else { return false }
        let mine = left.storage.span
        let theirs = right.storage.span
        let from = Int(left.start)
        let to = Int(right.start)
        // Eight bytes at a time; the last eight may have been compared in part before.
        var index = 0
        while index + 8 <= count {
            guard mine.foldedRun(at: from + index) == theirs.foldedRun(at: to + index) else {
                return false
            }
            index += 8
            if index < count, index + 8 > count { index = count - 8 }
        }
        while index < count {
            if foldedCase(mine[from + index]) != foldedCase(theirs[to + index]) { return false }
            index += 1
        }
        return true
    }

    public func hash(into hasher: inout Hasher) {
        let bytes = storage.span
        var index = Int(start)
        // Eight folded bytes at a time: the hasher is keyed, so a peer can't choose collisions.
        while index + 8 <= end {
            hasher.combine(bytes.foldedRun(at: index))
            index += 8
        }
        var rest: UInt64 = 0
        while index < end {
            rest = rest << 8 | UInt64(foldedCase(bytes[index]))
            index += 1
        }
        // Of the rest seven bytes are in use: the eighth says how many there are in all.
        hasher.combine(rest | UInt64(length) << 56)
    }
}

extension DomainName: Comparable {
    /// An order by folded bytes; for stable output, not the order of RFC 4034.
    public static func < (left: DomainName, right: DomainName) -> Bool {
        left.slice.lexicographicallyPrecedes(right.slice) { foldedCase($0) < foldedCase($1) }
    }
}

extension DomainName: CustomStringConvertible {
    /// The text form: `My\.Printer._ipp._tcp.local`, `.` for the root.
    public var description: String { NameText.text(of: self) }

    /// Appends the text form to `bytes`, for output that must not make a string of each name.
    package func appendText(to bytes: inout [UInt8]) { NameText.append(self, to: &bytes) }

    /// Appends the text form to `text`, which has room for 255 bytes, if nothing in the name
    /// has to be escaped and all of it is ASCII; false, and nothing appended, for other names.
    package func appendPlainText(to text: inout OutputSpan<UInt8>) -> Bool {
        NameText.appendPlain(self, to: &text)
    }
}
