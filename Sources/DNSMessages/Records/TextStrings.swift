/// The data of a TXT record: strings of up to 255 bytes, raw (RFC 1035 §3.3.14).
public struct TextStrings: Hashable, Sendable {
    /// The record's data: each string behind its length byte.
    public let wireBytes: [UInt8]

    /// Strings that are known to be framed well.
    package init(unchecked wireBytes: [UInt8]) {
        self.wireBytes = wireBytes
    }

    /// Reads framed strings; `nil` if a length byte points past the end.
    public init?(wireBytes: [UInt8]) {
        var at = 0
        while at < wireBytes.count { at += 1 + Int(wireBytes[at]) }
        guard at == wireBytes.count else { return nil }
        self.wireBytes = wireBytes
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
        wireBytes = bytes.isEmpty ? [0] : bytes
    }

    /// No strings, as it is sent: one zero byte.
    public static let empty = TextStrings(unchecked: [0])

    /// The strings in order, empty ones too.
    public var strings: [[UInt8]] {
        var strings: [[UInt8]] = []
        var at = 0
        while at < wireBytes.count {
            let end = min(at + 1 + Int(wireBytes[at]), wireBytes.count)
            strings.append(Array(wireBytes[at + 1..<end]))
            at = end
        }
        return strings
    }
}
