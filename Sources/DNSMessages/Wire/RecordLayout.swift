/// Where the names are in the data of a type that is kept as bytes.
///
/// A decoder expands such names, so that the bytes mean the same in another message; an encoder
/// compresses them again where RFC 6762 §18.14 lists the type, and in no other (RFC 3597 §4).
struct RecordLayout {
    /// Bytes before the first name.
    let prefix: Int
    /// Character strings between those bytes and the first name.
    let strings: Int
    let names: Int
    /// Bytes after the last name; `nil` for any number.
    let suffix: Int?
    /// Whether an encoder may compress the names.
    let compresses: Bool

    private init(
        prefix: Int = 0, strings: Int = 0, names: Int = 1, suffix: Int? = 0, compresses: Bool
    ) {
        self.prefix = prefix
        self.strings = strings
        self.names = names
        self.suffix = suffix
        self.compresses = compresses
    }

    /// The layout of a type's data; `nil` where the type has no names or is not known.
    init?(_ type: RecordType) {
        switch type.rawValue {
        case 2, 39: self.init(compresses: true)  // NS, DNAME
        case 6: self.init(names: 2, suffix: 20, compresses: true)  // SOA
        case 15, 18, 21, 36: self.init(prefix: 2, compresses: true)  // MX, AFSDB, RT, KX
        case 17: self.init(names: 2, compresses: true)  // RP
        case 26: self.init(prefix: 2, names: 2, compresses: true)  // PX
        // Not in the list of RFC 6762, but others compress them (RFC 3597 §4).
        case 3, 4, 7, 8, 9: self.init(compresses: false)  // MD, MF, MB, MG, MR
        case 14: self.init(names: 2, compresses: false)  // MINFO
        case 24: self.init(prefix: 18, suffix: nil, compresses: false)  // SIG
        case 30: self.init(suffix: nil, compresses: false)  // NXT
        case 35: self.init(prefix: 4, strings: 3, compresses: false)  // NAPTR
        default: return nil
        }
    }

    /// Where each name ends, its zero included, in data with uncompressed names; `nil` if the
    /// data does not have this layout. For layouts without strings.
    func nameEnds(in data: [UInt8]) -> [Int]? {
        var ends: [Int] = []
        var at = prefix
        for _ in 0..<names {
            let start = at
            while at < data.count, data[at] != 0 {
                guard data[at] < 0x40 else { return nil }
                at += 1 + Int(data[at])
            }
            guard at < data.count, at - start <= 255 else { return nil }
            at += 1
            ends.append(at)
        }
        guard suffix == nil || data.count - at == suffix else { return nil }
        return ends
    }
}
