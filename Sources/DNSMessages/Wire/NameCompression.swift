/// Remembers where names were written in a message, to point to them instead of writing them
/// again (RFC 1035 §4.1.4, RFC 6762 §18.14).
///
/// Names are matched byte for byte, so that each keeps the case it has. A pointer holds 14 bits:
/// what begins beyond 0x3FFF is not remembered. Entries leave in the reverse of their order of
/// coming when a record is rolled back.
struct NameCompression {
    /// A suffix that stands somewhere in the message: in one word, which is loaded at once.
    ///
    /// There are fewer than 8192 of them, since each has two bytes or more of the 0x3FFF that a
    /// pointer reaches.
    private struct Entry {
        private let bits: UInt64

        @inline(__always)
        init(offset: Int, key: UInt32, previous: Int) {
            bits =
                UInt64(truncatingIfNeeded: offset) & 0x3FFF
                | (UInt64(truncatingIfNeeded: previous) & 0x3FFF) << 14 | UInt64(key) << 32
        }

        var offset: Int { Int(truncatingIfNeeded: bits & 0x3FFF) }
        /// The entry before it in its bucket, plus one.
        var previous: Int { Int(truncatingIfNeeded: bits >> 14 & 0x3FFF) }
        /// What tells most suffixes apart without looking at them.
        var key: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
    }

    private static let bucketCount = 64
    private static let firstCount = 48

    /// The first entries, which are all in nearly every message, without an allocation.
    private var first = InlineArray<48, Entry>(repeating: Entry(offset: 0, key: 0, previous: 0))
    /// Those behind.
    private var more: [Entry] = []
    private var count = 0
    /// The last entry of each bucket, plus one.
    private var buckets = InlineArray<64, UInt16>(repeating: 0)

    /// What `rollBack(to:)` needs.
    var mark: Int { count }

    /// Forgets all names that were written after `mark` was taken.
    mutating func rollBack(to mark: Int) {
        while count > mark {
            count -= 1
            let entry = entry(count)
            buckets[Self.bucket(entry.key)] = UInt16(truncatingIfNeeded: entry.previous)
        }
        if more.count > max(0, count - Self.firstCount) {
            more.removeLast(more.count - max(0, count - Self.firstCount))
        }
    }

    /// Writes a name, its tail as a pointer where that is possible and `compresses` says so; its
    /// labels can be pointed to from then on. There must be room for the whole name.
    mutating func write(
        _ name: DomainName, into bytes: inout MutableSpan<UInt8>, at end: inout Int,
        compresses: Bool
    ) {
        let storage = name.storage.span
        let start = Int(name.start)
        let nameEnd = start + Int(name.length)
        let offset = end
        // The longest suffix that stands already: the whole name, or else what is behind one
        // label more.
        var at = start
        var target: Int?
        while at < nameEnd {
            let key = Self.key(storage, at: at, end: nameEnd)
            if compresses {
                target = find(storage, at, nameEnd, key, in: bytes.span)
                if target != nil { break }
            }
            remember(key, at: offset + at - start)
            at += 1 + Int(storage[at])
        }
        bytes.copy(storage, from: start, to: at, at: end)
        end += at - start
        if let target {
            bytes.put(0xC000 | UInt16(truncatingIfNeeded: target), at: &end)
        } else {
            bytes[end] = 0
            end += 1
        }
    }

    @inline(__always)
    private mutating func remember(_ key: UInt32, at offset: Int) {
        // RFC 1035 §4.1.4: a pointer's offset has 14 bits.
        guard offset <= 0x3FFF else { return }
        let bucket = Self.bucket(key)
        let entry = Entry(offset: offset, key: key, previous: Int(buckets[bucket]))
        if count < Self.firstCount { first[count] = entry } else { more.append(entry) }
        count += 1
        buckets[bucket] = UInt16(truncatingIfNeeded: count)
    }

    @inline(__always)
    private mutating func entry(_ index: Int) -> Entry {
        // Through a span: subscripting the array itself copies it as a whole.
        index < Self.firstCount ? first.span[index] : more[index - Self.firstCount]
    }

    /// Where the suffix that begins at `start` stands; `nil` if it stands nowhere.
    @inline(__always)
    private mutating func find(
        _ name: Span<UInt8>, _ start: Int, _ end: Int, _ key: UInt32, in bytes: Span<UInt8>
    ) -> Int? {
        var candidate = Int(buckets.span[Self.bucket(key)])
        while candidate > 0 {
            let entry = entry(candidate - 1)
            if entry.key == key, Self.stands(name, start, end, at: entry.offset, in: bytes) {
                return entry.offset
            }
            candidate = entry.previous
        }
        return nil
    }

    /// Whether these labels are those written there, which take as many bytes in all.
    @inline(__always)
    private static func stands(
        _ name: Span<UInt8>, _ start: Int, _ end: Int, at offset: Int, in bytes: Span<UInt8>
    ) -> Bool {
        var at = start
        var place = offset
        while !bytes.holds(name, from: at, length: end - at, at: place) {
            // There may be a pointer in between: one of our own, so backwards.
            repeat {
                guard at < end else { return false }
                let length = 1 + Int(name[at])
                guard bytes.holds(name, from: at, length: length, at: place) else { return false }
                at += length
                place += length
            } while bytes[place] < 0xC0
            place = Int(bytes.word(at: place) & 0x3FFF)
        }
        return true
    }

    /// The suffix's length, and of its first label the length and the two ends. So a name that is
    /// being written is not found in itself.
    @inline(__always)
    private static func key(_ name: Span<UInt8>, at start: Int, end: Int) -> UInt32 {
        let length = name[start]
        let ends = UInt32(name[start + 1]) << 8 | UInt32(name[start + Int(length)])
        return UInt32(truncatingIfNeeded: end - start) << 24 | UInt32(length) << 16 | ends
    }

    /// All parts reach the upper bits of the product (Fibonacci hashing).
    @inline(__always)
    private static func bucket(_ key: UInt32) -> Int { Int((key &* 0x9E37_79B1) >> 26) }
}
