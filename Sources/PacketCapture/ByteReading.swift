/// The order of the bytes in a number.
enum ByteOrder: Hashable, Sendable {
    case bigEndian
    case littleEndian
}

// Callers have checked the bounds of the whole structure before they read its fields; an offset
// beyond the end is our own mistake and traps in the subscript.
extension Span<UInt8> {
    @inline(__always)
    func uint16(at offset: Int, _ order: ByteOrder = .bigEndian) -> UInt16 {
        let value = UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
        return order == .bigEndian ? value : value.byteSwapped
    }

    @inline(__always)
    func uint32(at offset: Int, _ order: ByteOrder = .bigEndian) -> UInt32 {
        let value =
            UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16
            | UInt32(self[offset + 2]) << 8 | UInt32(self[offset + 3])
        return order == .bigEndian ? value : value.byteSwapped
    }

    @inline(__always)
    func uint64(at offset: Int, _ order: ByteOrder = .bigEndian) -> UInt64 {
        let value =
            UInt64(uint32(at: offset)) << 32 | UInt64(uint32(at: offset + 4))
        return order == .bigEndian ? value : value.byteSwapped
    }
}
