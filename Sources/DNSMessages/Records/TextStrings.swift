/// The data of a TXT record: strings of up to 255 bytes, raw (RFC 1035 §3.3.14).
///
/// Strings of a decoded message share their bytes with all else in it.
public struct TextStrings: Sendable {
    /// The record's data, each string behind its length byte, is `count` bytes from `start`.
    let storage: [UInt8]
    private let start: UInt32
    private let count: UInt32

    /// Strings that are known to be framed well.
    package init(unchecked wireBytes: [UInt8]) {
        self.init(storage: wireBytes, start: 0, count: wireBytes.count)
    }

    /// Strings that are known to be framed well, inside bytes that they share.
    @inline(__always)
    init(storage: [UInt8], start: Int, count: Int) {
        self.storage = storage
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    /// Reads framed strings; `nil` if a length byte points past the end.
    public init?(wireBytes: [UInt8]) {
        var at = 0
        while at < wireBytes.count { at += 1 + Int(wireBytes[at]) }
        guard at == wireBytes.count else { return nil }
        self.init(unchecked: wireBytes)
    }

    /// Frames the strings; `nil` if one has over 255 bytes or all together over 65,535.
    /// None at all is written as one empty string (RFC 6763 §6.1).
    public init?(_ strings: some Sequence<[UInt8]>) {
        var bytes: [UInt8] = []
        for string in strings {
            guard string.count <= 255 else { return nil }
            bytes.append(UInt8(string.count))
            bytes.append(contentsOf: string)
        }
        guard bytes.count <= 65_535 else { return nil }
        self.init(unchecked: bytes.isEmpty ? [0] : bytes)
    }

    /// No strings, as it is sent: one zero byte.
    public static let empty = TextStrings(unchecked: [0])

    /// Where the data is in `storage`.
    @inline(__always)
    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }

    /// The number of bytes of the record's data.
    public var byteCount: Int { Int(count) }

    /// The record's data: each string behind its length byte.
    public var wireBytes: [UInt8] {
        byteCount == storage.count ? storage : Array(storage[range])
    }

    /// The strings with bytes of their own, so that they keep no message alive.
    package var compacted: TextStrings { TextStrings(unchecked: wireBytes) }

    /// The strings in order, empty ones too.
    public var strings: [[UInt8]] {
        var strings: [[UInt8]] = []
        var at = range.lowerBound
        while at < range.upperBound {
            let end = min(at + 1 + Int(storage[at]), range.upperBound)
            strings.append(Array(storage[at + 1..<end]))
            at = end
        }
        return strings
    }
}

extension TextStrings: Hashable {
    /// Byte for byte.
    public static func == (left: TextStrings, right: TextStrings) -> Bool {
        left.byteCount == right.byteCount
            && left.storage.span.holds(
                right.storage.span, from: right.range.lowerBound, length: right.byteCount,
                at: left.range.lowerBound)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        storage.span.hash(range, into: &hasher)
    }
}
