/// Remembers where names were written in a message, to point to them instead of writing them
/// again (RFC 1035 §4.1.4, RFC 6762 §18.14).
///
/// Names are matched byte for byte, so that each keeps the case it has. A pointer holds 14 bits:
/// what begins beyond 0x3FFF is not remembered. Entries leave in the reverse of their order of
/// coming when a record is rolled back.
struct NameCompression {
    /// A suffix that stands somewhere in the message.
    private struct Entry {
        var offset: UInt16
        /// What tells most suffixes apart without looking at them.
        var key: UInt16
        /// The entry before it in its bucket, plus one.
        var previous: UInt16
        /// The entry that the pointer behind the labels leads to, plus one; 0 for the end.
        var next: UInt16 = 0
        /// The bytes of labels at `offset`, up to the pointer or the end.
        var length: UInt8 = 0
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
            buckets[Int(entry.key) % Self.bucketCount] = entry.previous
        }
        if more.count > max(0, count - Self.firstCount) {
            more.removeLast(more.count - max(0, count - Self.firstCount))
        }
    }

    @inline(__always)
    private mutating func entry(_ index: Int) -> Entry {
        // Through a span: subscripting the array itself copies it as a whole.
        index < Self.firstCount ? first.span[index] : more[index - Self.firstCount]
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
        let mark = count
        var at = start
        var target = 0
        // The longest suffixes, which stand nowhere yet.
        while at < nameEnd {
            let key = Self.key(storage, at: at, end: nameEnd)
            target = compresses ? find(storage, at, nameEnd, key, before: mark, in: bytes) : 0
            if target > 0 { break }
            remember(key, at: end + at - start)
            at += 1 + Int(storage[at])
        }
        let length = at - start
        bytes.copy(storage, from: start, to: at, at: end)
        for index in mark..<count {
            link(index, to: target, labelsEnd: end + length)
        }
        end += length
        if target > 0 {
            bytes.put(0xC000 | entry(target - 1).offset, at: &end)
        } else {
            bytes[end] = 0
            end += 1
        }
    }

    private mutating func remember(_ key: UInt16, at offset: Int) {
        // RFC 1035 §4.1.4: a pointer's offset has 14 bits.
        guard offset <= 0x3FFF else { return }
        let bucket = Int(key) % Self.bucketCount
        let entry = Entry(
            offset: UInt16(truncatingIfNeeded: offset), key: key, previous: buckets[bucket])
        if count < Self.firstCount { first[count] = entry } else { more.append(entry) }
        count += 1
        buckets[bucket] = UInt16(truncatingIfNeeded: count)
    }

    /// Completes an entry whose name is written now.
    @inline(__always)
    private mutating func link(_ index: Int, to target: Int, labelsEnd: Int) {
        var entry = entry(index)
        entry.next = UInt16(truncatingIfNeeded: target)
        entry.length = UInt8(truncatingIfNeeded: labelsEnd - Int(entry.offset))
        if index < Self.firstCount {
            first[index] = entry
        } else {
            more[index - Self.firstCount] = entry
        }
    }

    /// The entry of the suffix that begins at `start`, plus one; 0 if it stands nowhere. Of the
    /// entries only those up to `mark` count: the name of the others is not written yet.
    private mutating func find(
        _ name: Span<UInt8>, _ start: Int, _ end: Int, _ key: UInt16, before mark: Int,
        in bytes: borrowing MutableSpan<UInt8>
    ) -> Int {
        var candidate = Int(buckets[Int(key) % Self.bucketCount])
        while candidate > 0 {
            let entry = entry(candidate - 1)
            if entry.key == key, candidate <= mark, stands(name, start, end, entry, in: bytes) {
                return candidate
            }
            candidate = Int(entry.previous)
        }
        return 0
    }

    /// Whether exactly these labels were written there.
    @inline(__always)
    private mutating func stands(
        _ name: Span<UInt8>, _ start: Int, _ end: Int, _ first: Entry,
        in bytes: borrowing MutableSpan<UInt8>
    ) -> Bool {
        var entry = first
        var at = start
        while true {
            let length = Int(entry.length)
            guard at + length <= end,
                bytes.span.holds(name, from: at, length: length, at: Int(entry.offset))
            else { return false }
            at += length
            if entry.next == 0 { return at == end }
            entry = self.entry(Int(entry.next) - 1)
        }
    }

    /// Made of the suffix's length and the two ends of its first label.
    @inline(__always)
    private static func key(_ name: Span<UInt8>, at start: Int, end: Int) -> UInt16 {
        let length = name[start]
        let first = UInt16(name[start + 1])
        let last = UInt16(name[start + Int(length)])
        return UInt16(truncatingIfNeeded: end - start) &* 37 ^ first &* 5 ^ last << 8
    }
}
