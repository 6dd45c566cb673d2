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
        let labels = name.storage.span.extracting(name.range)
        // The longest suffix that stands already: the whole name, or else what is behind one
        // label more.
        var at = 0
        while at < labels.count {
            let lengthAndFirst = labels.word(at: at)
            let next = at &+ 1 &+ Int(lengthAndFirst >> 8)
            // The suffix's length, and of its first label the length and the two ends. So a name
            // that is being written is not found in itself.
            let key =
                UInt32(truncatingIfNeeded: labels.count &- at) << 24
                | UInt32(lengthAndFirst) << 8 | UInt32(labels[next &- 1])
            let bucket = Self.bucket(key)
            // Through a span, here and below: subscripting the array itself copies it as a whole.
            let last = Int(buckets.span[bucket])
            if compresses, last > 0, let target = find(key, last, labels, at, in: bytes.span) {
                bytes.copy(labels, from: 0, to: at, at: end)
                end &+= at
                return bytes.put(0xC000 | UInt16(truncatingIfNeeded: target), at: &end)
            }
            remember(key, bucket, last, at: end &+ at)
            at = next
        }
        bytes.copy(labels, from: 0, to: at, at: end)
        end &+= at
        bytes.put(0 as UInt8, at: &end)
    }

    @inline(__always)
    private mutating func remember(_ key: UInt32, _ bucket: Int, _ last: Int, at offset: Int) {
        // RFC 1035 §4.1.4: a pointer's offset has 14 bits.
        guard offset <= 0x3FFF else { return }
        let entry = Entry(offset: offset, key: key, previous: last)
        if count < Self.firstCount { first[count] = entry } else { more.append(entry) }
        count &+= 1
        buckets[bucket] = UInt16(truncatingIfNeeded: count)
    }

    @inline(__always)
    private mutating func entry(_ index: Int) -> Entry {
        index < Self.firstCount ? first.span[index] : more[index &- Self.firstCount]
    }

    /// Where the suffix that begins at `start` stands; `nil` if it stands nowhere. `last` is the
    /// last entry of its bucket, plus one.
    @inline(__always)
    private mutating func find(
        _ key: UInt32, _ last: Int, _ labels: Span<UInt8>, _ start: Int, in bytes: Span<UInt8>
    ) -> Int? {
        var candidate = last
        while candidate > 0 {
            let entry = entry(candidate &- 1)
            if entry.key == key, Self.stands(labels, start, at: entry.offset, in: bytes) {
                return entry.offset
            }
            candidate = entry.previous
        }
        return nil
    }

    /// Whether the labels from `start` on are those written there, which take as many bytes in
    /// all.
    @inline(__always)
    private static func stands(
        _ labels: Span<UInt8>, _ start: Int, at offset: Int, in bytes: Span<UInt8>
    ) -> Bool {
        var place = offset
        var at = start
        while true {
            let length = labels.count &- at
            let common = bytes.common(with: labels, from: at, length: length, at: place)
            if common == length { return true }
            // There may be a pointer where a label would begin: one of our own, so backwards.
            place &+= common
            guard bytes[place] >= 0xC0 else { return false }
            let end = at &+ common
            while at < end { at &+= 1 &+ Int(labels[at]) }
            guard at == end else { return false }
            place = Int(bytes.word(at: place) & 0x3FFF)
        }
    }

    /// All parts reach the upper bits of the product (Fibonacci hashing).
    @inline(__always)
    private static func bucket(_ key: UInt32) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B1) >> 26)
    }
}
