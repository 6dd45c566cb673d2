/// Where a stored `TrustStore` is damaged, and how.
public struct TrustStoreDamage: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The first line is not that of a trust store.
        case notATrustStore
        /// Written by a newer version, which says so in the first line.
        case newerVersion
        /// The file ends before its last line does.
        case cutShort
        /// Another kind of line belongs here.
        case unexpectedLine
        /// The value of the line can't be read.
        case invalidValue
        /// The keys are not in their order, or one is there twice.
        case keysOutOfOrder
        /// More names, peers or keys than are kept.
        case tooMany
        /// All lines can be read, but they are not those that were written.
        case wrongChecksum
        /// There is more behind the last line.
        case trailingBytes
    }

    /// The line, from 1.
    public let line: Int
    /// Where the line begins: bytes from the start of the file.
    public let offset: Int
    /// What is wrong.
    public let reason: Reason

    /// A damage at a line.
    public init(line: Int, offset: Int, reason: Reason) {
        self.line = line
        self.offset = offset
        self.reason = reason
    }
}

/// Reads the lines of a stored `TrustStore`, which are described there.
struct TrustStoreReader {
    private let bytes: [UInt8]
    /// Where the line begins that is to be read next.
    private var position = 0
    private var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func store() throws(TrustStoreDamage) -> TrustStore {
        try readHeader()
        var store = TrustStore()
        while let key = try readKey() {
            guard store.entries.count < TrustStore.maximumEntries else {
                throw damage(.tooMany)
            }
            guard store.append(try readEntry(key)) else { throw damage(.keysOutOfOrder) }
        }
        try readChecksum()
        return store
    }

    private func damage(_ reason: TrustStoreDamage.Reason) -> TrustStoreDamage {
        TrustStoreDamage(line: line, offset: position, reason: reason)
    }

    // MARK: Lines

    /// The line at the position, without its end, if it is whole.
    private func currentLine() -> ArraySlice<UInt8>? {
        guard position < bytes.count,
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return bytes[position..<end]
    }

    private mutating func advance(over text: ArraySlice<UInt8>) {
        position = text.endIndex + 1
        line += 1
    }

    /// The value of the current line if it begins with that word; nil if with another.
    private func value(of word: String) throws(TrustStoreDamage) -> ArraySlice<UInt8>? {
        guard let text = currentLine() else { throw damage(.cutShort) }
        let prefix = Array("\(word) ".utf8)
        return text.starts(with: prefix) ? text.dropFirst(prefix.count) : nil
    }

    private mutating func require<Value>(
        _ word: String, _ parse: (ArraySlice<UInt8>) -> Value?
    ) throws(TrustStoreDamage) -> Value {
        guard let text = try value(of: word) else { throw damage(.unexpectedLine) }
        guard let value = parse(text) else { throw damage(.invalidValue) }
        advance(over: text)
        return value
    }

    /// As many lines with that word as follow each other.
    private mutating func readAll<Value: Equatable>(
        _ word: String, limit: Int, _ parse: (ArraySlice<UInt8>) -> Value?
    ) throws(TrustStoreDamage) -> [Value] {
        var values: [Value] = []
        while try value(of: word) != nil {
            guard values.count < limit else { throw damage(.tooMany) }
            let place = damage(.invalidValue)
            let value = try require(word, parse)
            guard !values.contains(value) else { throw place }
            values.append(value)
        }
        return values
    }

    // MARK: Parts

    private mutating func readHeader() throws(TrustStoreDamage) {
        let header = Array(TrustStore.header.utf8)
        guard let text = currentLine() else {
            throw damage(header.starts(with: bytes) ? .cutShort : .notATrustStore)
        }
        guard text.elementsEqual(header) else {
            let isOurs = text.starts(with: header.dropLast())
            throw damage(isOurs ? .newerVersion : .notATrustStore)
        }
        advance(over: text)
    }

    /// Nil where the checksum's line comes instead.
    private mutating func readKey() throws(TrustStoreDamage) -> DeviceKey? {
        if try value(of: "sha256") != nil { return nil }
        return try require("key") { digits in
            let text = String(decoding: digits, as: UTF8.self)
            // Only as it was written: lower case, no spaces.
            return DeviceKey(text).flatMap { $0.description == text ? $0 : nil }
        }
    }

    private mutating func readEntry(_ key: DeviceKey) throws(TrustStoreDamage) -> TrustEntry {
        let level = try require("level") { word in
            TrustLevel.allCases.first { word.elementsEqual($0.word.utf8) }
        }
        let basis = try require("by") { word in
            TrustBasis.allCases.first { word.elementsEqual($0.word.utf8) }
        }
        let seen = try require("seen") { Self.times($0) }
        var entry = TrustEntry(key: key, level: level, basis: basis, at: seen.first)
        entry.lastSeen = seen.last
        entry.ids = try readAll("id", limit: TrustEntry.maximumIDs) {
            PeerID(String(decoding: $0, as: UTF8.self))
        }
        entry.names = try readAll("name", limit: TrustEntry.maximumNames) { EscapedName.name($0) }
        return entry
    }

    private mutating func readChecksum() throws(TrustStoreDamage) {
        let expected = DeviceKey.text(ofDigest: Array(bytes[..<position]))
        guard let digits = try value(of: "sha256") else { throw damage(.unexpectedLine) }
        guard digits.elementsEqual(expected.utf8) else { throw damage(.wrongChecksum) }
        advance(over: digits)
        guard position == bytes.count else { throw damage(.trailingBytes) }
    }

    /// Two numbers of seconds, the second not before the first.
    private static func times(_ text: ArraySlice<UInt8>) -> (first: Int64, last: Int64)? {
        let parts = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 2, let first = seconds(parts[0]), let last = seconds(parts[1]),
            first <= last
        else { return nil }
        return (first, last)
    }

    private static func seconds(_ digits: ArraySlice<UInt8>) -> Int64? {
        let text = String(decoding: digits, as: UTF8.self)
        return Int64(text).flatMap { String($0) == text ? $0 : nil }
    }
}
