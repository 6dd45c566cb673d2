import NetworkPrimitives

extension RecordData {
    /// The data's bytes as on the wire, all names in it uncompressed (RFC 6762 §8.2).
    package var uncompressedBytes: [UInt8] {
        switch self {
        case .a(let address): address.bytes
        case .aaaa(let address): address.bytes
        case .ptr(let name), .cname(let name): name.wireBytes + [0]
        case .srv(let location):
            location.priority.bigEndianBytes + location.weight.bigEndianBytes
                + location.port.bigEndianBytes + location.target.wireBytes + [0]
        case .txt(let strings): strings.byteCount == 0 ? [0] : strings.wireBytes
        case .nsec(let next): next.nextName.wireBytes + [0] + next.bitmap
        case .hinfo(let information):
            [UInt8(truncatingIfNeeded: information.processor.count)] + information.processor
                + [UInt8(truncatingIfNeeded: information.operatingSystem.count)]
                + information.operatingSystem
        case .opt(let options):
            options.options.flatMap {
                $0.code.bigEndianBytes
                    + UInt16(truncatingIfNeeded: $0.bytes.count).bigEndianBytes + $0.bytes
            }
        case .unknown(_, let bytes): bytes
        }
    }
}

extension UInt16 {
    fileprivate var bigEndianBytes: [UInt8] {
        [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)]
    }
}
