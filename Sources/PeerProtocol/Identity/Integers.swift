import NetworkPrimitives

extension UInt64 {
    /// The eight bytes, the highest first.
    var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) }
    }

    /// The number that eight bytes are, the highest first; nil if there are not eight.
    init?(bigEndian bytes: Span<UInt8>) {
        guard bytes.count == 8 else { return nil }
        var number: UInt64 = 0
        for index in bytes.indices { number = number << 8 | UInt64(bytes[index]) }
        self = number
    }

    /// From exactly 16 hexadecimal digits of lower case.
    init?(fixedHexadecimal text: some StringProtocol) {
        guard text.utf8.count == 16, let bytes = Hexadecimal.bytes(text),
            Hexadecimal.text(bytes) == text
        else { return nil }
        self.init(bigEndian: bytes.span)
    }
}
