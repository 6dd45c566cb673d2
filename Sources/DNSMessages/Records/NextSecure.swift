/// The data of an NSEC record: which types a name has (RFC 4034 §4, RFC 6762 §6.1).
public struct NextSecure: Hashable, Sendable {
    /// The type bitmap as on the wire: blocks of number, length, and 1 to 32 bytes.
    public let bitmap: [UInt8]
    /// The next name; in multicast DNS the owner's own, and ignored on receipt.
    public let nextName: DomainName

    /// Data whose bitmap is known to be framed well.
    package init(nextName: DomainName, uncheckedBitmap: [UInt8]) {
        self.nextName = nextName
        bitmap = uncheckedBitmap
    }

    /// Says that these types exist and no others. Pseudo-types and NSEC itself are left out
    /// (RFC 4034 §4.1.2, RFC 6762 §6.1).
    public init(nextName: DomainName, types: some Sequence<RecordType>) {
        self.nextName = nextName
        var blocks: [UInt8: [UInt8]] = [:]
        for type in types
        where type != .nsec && type != .opt && !type.isQueryOnly {
            let block = UInt8(type.rawValue >> 8)
            let byte = Int(type.rawValue & 0xFF) / 8
            var bits = blocks[block] ?? []
            if bits.count <= byte { bits += [UInt8](repeating: 0, count: byte + 1 - bits.count) }
            bits[byte] |= 0x80 >> UInt8(type.rawValue & 7)
            blocks[block] = bits
        }
        bitmap = blocks.sorted { $0.key < $1.key }
            .flatMap { [$0.key, UInt8($0.value.count)] + $0.value }
    }

    /// Whether the bitmap has that type's bit; bits that are not there read as zero.
    public func contains(_ type: RecordType) -> Bool {
        let block = UInt8(type.rawValue >> 8)
        let byte = Int(type.rawValue & 0xFF) / 8
        var at = 0
        while at + 1 < bitmap.count {
            let length = Int(bitmap[at + 1])
            if bitmap[at] == block {
                guard byte < length, at + 2 + byte < bitmap.count else { return false }
                return bitmap[at + 2 + byte] & (0x80 >> UInt8(type.rawValue & 7)) != 0
            }
            at += 2 + length
        }
        return false
    }

    /// The types whose bits are set, in rising order.
    public var types: [RecordType] {
        var types: [RecordType] = []
        var at = 0
        while at + 1 < bitmap.count {
            let end = min(at + 2 + Int(bitmap[at + 1]), bitmap.count)
            for (index, byte) in bitmap[at + 2..<end].enumerated() {
                for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
                    let number = UInt16(bitmap[at]) << 8 | UInt16(index * 8 + bit)
                    types.append(RecordType(rawValue: number))
                }
            }
            at = end
        }
        return types
    }
}
