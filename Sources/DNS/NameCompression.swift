/// Remembers where names were written in a message, to point to them instead of writing them
/// again (RFC 1035 §4.1.4, RFC 6762 §18.14).
///
/// Names are matched byte for byte, so that each keeps the case it has. A pointer holds 14 bits:
/// what begins beyond 0x3FFF is not remembered. Entries leave in the reverse of their order of
/// coming when a record is rolled back.
struct NameCompression {
    private struct Entry {
        var offset: UInt16
        /// What tells most suffixes apart without looking at them.
        var key: UInt16
        /// The entry before it in its bucket, plus one.
        var previous: UInt16
    }

    private static let bucketCount = 64

    private var entries: [Entry] = []
    /// The last entry of each bucket, plus one.
    private var buckets = InlineArray<64, UInt16>(repeating: 0)

    init() {
        entries.reserveCapacity(32)
    }

    /// What `rollBack(to:)` needs.
    var mark: Int { entries.count }

    /// Forgets all names that were written after `mark` was taken.
    mutating func rollBack(to mark: Int) {
        while entries.count > mark {
            let entry = entries.removeLast()
            buckets[Int(entry.key) % Self.bucketCount] = entry.previous
        }
    }

    /// Writes a name, its tail as a pointer where that is possible and `compresses` says so; its
    /// labels can be pointed to from then on.
    mutating func write(_ name: DomainName, into bytes: inout [UInt8], compresses: Bool) {
        let storage = name.storage.span
        var at = Int(name.start)
        let end = at + Int(name.length)
        while at < end {
            let key = Self.key(storage, at: at, end: end)
            if compresses, let offset = find(storage, at, end, key, in: bytes.span) {
                bytes.append(0xC0 | UInt8(truncatingIfNeeded: offset >> 8))
                bytes.append(UInt8(truncatingIfNeeded: offset))
                return
            }
            remember(key, at: bytes.count)
            let labelEnd = at + 1 + Int(storage[at])
            while at < labelEnd {
                bytes.append(storage[at])
                at += 1
            }
        }
        bytes.append(0)
    }

    private mutating func remember(_ key: UInt16, at offset: Int) {
        // RFC 1035 §4.1.4: a pointer's offset has 14 bits.
        guard offset <= 0x3FFF else { return }
        let bucket = Int(key) % Self.bucketCount
        entries.append(Entry(offset: UInt16(offset), key: key, previous: buckets[bucket]))
        buckets[bucket] = UInt16(entries.count)
    }

    /// Where the suffix stands that begins at `start`.
    private func find(
        _ name: Span<UInt8>, _ start: Int, _ end: Int, _ key: UInt16, in written: Span<UInt8>
    ) -> UInt16? {
        var candidate = Int(buckets[Int(key) % Self.bucketCount])
        while candidate > 0 {
            let entry = entries[candidate - 1]
            if entry.key == key, Self.stands(name, start, end, at: Int(entry.offset), in: written) {
                return entry.offset
            }
            candidate = Int(entry.previous)
        }
        return nil
    }

    /// Whether exactly these labels were written at `offset`.
    private static func stands(
        _ name: Span<UInt8>, _ start: Int, _ end: Int, at offset: Int, in written: Span<UInt8>
    ) -> Bool {
        var at = start
        var position = offset
        // The name that is being written is in the table already, but has no end yet.
        while position < written.count {
            var length = written[position]
            while length >= 0xC0 {
                position = Int(length & 0x3F) << 8 | Int(written[position + 1])
                length = written[position]
            }
            if length == 0 { return at == end }
            let labelEnd = at + 1 + Int(length)
            guard at < end, labelEnd <= end else { return false }
            while at < labelEnd {
                if name[at] != written[position] { return false }
                at += 1
                position += 1
            }
        }
        return false
    }

    /// Made of the suffix's length and a few bytes of its first label.
    @inline(__always)
    private static func key(_ name: Span<UInt8>, at start: Int, end: Int) -> UInt16 {
        let length = Int(name[start])
        let first = UInt16(name[start + 1])
        let middle = UInt16(name[start + 1 + length / 2])
        let last = UInt16(name[start + length])
        let counts = UInt16(truncatingIfNeeded: (end - start) &* 64 &+ length)
        return counts ^ (first &* 31) ^ (middle &* 7 &+ last) &* 257
    }
}
