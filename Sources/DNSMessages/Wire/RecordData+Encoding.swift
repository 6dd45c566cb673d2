import NetworkPrimitives

extension RecordData {
    /// No fewer bytes than the data takes, nothing compressed.
    var mostBytes: Int {
        switch self {
        case .a, .aaaa: 16
        case .ptr, .cname, .srv: 6 + 256
        case .txt(let strings): strings.byteCount + 1
        case .nsec(let next): 256 + next.bitmap.count + 3
        case .hinfo: 2 * 256
        case .opt(let options): options.options.reduce(0) { $0 + 4 + $1.bytes.count }
        case .unknown(_, let bytes): bytes.count
        }
    }
}

extension MutableSpan<UInt8> {
    /// Writes bytes as they are.
    @inline(__always)
    mutating func put(_ bytes: Span<UInt8>, at end: inout Int) {
        copy(bytes, from: 0, to: bytes.count, at: end)
        end += bytes.count
    }

    /// Writes a length byte and a string.
    mutating func put(string: [UInt8], at end: inout Int) {
        self[end] = UInt8(truncatingIfNeeded: string.count)
        end += 1
        put(string.span, at: &end)
    }

    /// Writes a record's data, its names compressed where RFC 6762 §18.14 has it so.
    mutating func put(
        _ data: RecordData, at end: inout Int, _ names: inout NameCompression,
        _ compressesServiceTargets: Bool
    ) {
        switch data {
        case .a(let address): put(address.rawValue, at: &end)
        case .aaaa(let address):
            put(UInt64(truncatingIfNeeded: address.rawValue >> 64), at: &end)
            put(UInt64(truncatingIfNeeded: address.rawValue), at: &end)
        case .ptr(let name), .cname(let name):
            names.write(name, into: &self, at: &end, compresses: true)
        case .srv(let location):
            put(location.priority, at: &end)
            put(location.weight, at: &end)
            put(location.port, at: &end)
            names.write(
                location.target, into: &self, at: &end, compresses: compressesServiceTargets)
        case .txt(let strings):
            put(strings.storage.span.extracting(strings.range), at: &end)
            // RFC 6763 §6.1: never without bytes (S6-3).
            if strings.byteCount == 0 { put(string: [], at: &end) }
        case .nsec(let next):
            names.write(next.nextName, into: &self, at: &end, compresses: true)
            put(next.bitmap.span, at: &end)
            // A bitmap has at least one block (RFC 6762 §6.1).
            if next.bitmap.isEmpty { put([0, 1, 0].span, at: &end) }
        case .hinfo(let information):
            put(string: information.processor, at: &end)
            put(string: information.operatingSystem, at: &end)
        case .opt(let options):
            for option in options.options {
                put(option.code, at: &end)
                put(UInt16(truncatingIfNeeded: option.bytes.count), at: &end)
                put(option.bytes.span, at: &end)
            }
        case .unknown(let type, let data): put(data, of: type, at: &end, &names)
        }
    }

    /// Writes data kept as bytes: its names are compressed where the type allows it.
    private mutating func put(
        _ data: [UInt8], of type: RecordType, at end: inout Int, _ names: inout NameCompression
    ) {
        // RFC 6762 §18.14 (M18-38).
        guard let layout = RecordLayout(type), layout.compresses,
            let nameEnds = layout.nameEnds(in: data)
        else { return put(data.span, at: &end) }
        var at = layout.prefix
        put(data.span.extracting(..<at), at: &end)
        for nameEnd in nameEnds {
            let name = DomainName(
                storage: data, start: UInt32(at), length: UInt8(nameEnd - 1 - at))
            names.write(name, into: &self, at: &end, compresses: true)
            at = nameEnd
        }
        put(data.span.extracting(at...), at: &end)
    }
}
