/// The slots of a `SlotMap` grouped by a key that several may share, each group in the order of
/// insertion: a hash table of rings.
///
/// The keys stay where the slots are; a slot is in one group at most.
public struct SlotGroups: Sendable {
    @usableFromInline
    struct Link: Sendable {
        @usableFromInline var next: Int32
        @usableFromInline var previous: Int32
        /// In the first of a group: how many it has.
        @usableFromInline var count: Int32 = 1
    }

    @usableFromInline var heads = HashIndex()
    @usableFromInline var links: [Link] = []

    /// No groups.
    public init() {}

    /// The first slot of the group whose key has that hash and `matches`.
    @inlinable
    public func first(hash: Int, matches: (Int32) -> Bool) -> Int32? {
        heads.find(hash: hash, matches: matches)
    }

    /// How many slots the group has that begins with `first`; none where that is nil.
    @inlinable
    public func count(from first: Int32?) -> Int { first.map { Int(links[Int($0)].count) } ?? 0 }

    /// The slots of the group that begins with `first`, in order or the last one first; none
    /// where that is nil. They are as they were at the call: the groups may change on the way.
    @inlinable
    public func slots(from first: Int32?, lastFirst isReversed: Bool = false) -> Slots {
        guard let first else { return Slots(links: [], at: -1, left: 0, isReversed: false) }
        let link = links[Int(first)]
        return Slots(
            links: links, at: isReversed ? link.previous : first, left: link.count,
            isReversed: isReversed)
    }

    /// The slots of a group.
    public struct Slots: Sequence, IteratorProtocol, Sendable {
        @usableFromInline let links: [Link]
        @usableFromInline var at: Int32
        @usableFromInline var left: Int32
        @usableFromInline let isReversed: Bool

        @inlinable
        init(links: [Link], at: Int32, left: Int32, isReversed: Bool) {
            self.links = links
            self.at = at
            self.left = left
            self.isReversed = isReversed
        }

        /// The next slot; `nil` after the last.
        @inlinable
        public mutating func next() -> Int32? {
            guard left > 0 else { return nil }
            left -= 1
            let slot = at
            at = isReversed ? links[Int(slot)].previous : links[Int(slot)].next
            return slot
        }
    }

    /// Adds a slot that is in no group behind all others of the group that begins with `first`;
    /// where that is nil, as the first one of its key.
    public mutating func insert(_ slot: Int32, after first: Int32?, hash: Int) {
        while links.count <= Int(slot) { links.append(Link(next: -1, previous: -1)) }
        guard let first else {
            links[Int(slot)] = Link(next: slot, previous: slot)
            heads.insert(slot, hash: hash)
            return
        }
        let last = links[Int(first)].previous
        links[Int(slot)] = Link(next: first, previous: last)
        links[Int(last)].next = slot
        links[Int(first)].previous = slot
        links[Int(first)].count += 1
    }

    /// Takes a slot out of the group that begins with `first`.
    public mutating func remove(_ slot: Int32, from first: Int32, hash: Int) {
        let link = links[Int(slot)]
        if slot != first {
            links[Int(first)].count -= 1
        } else if link.next != slot {
            links[Int(link.next)].count = link.count - 1
            heads.replace(slot, with: link.next, hash: hash)
        } else {
            heads.remove(slot, hash: hash)
        }
        links[Int(link.previous)].next = link.next
        links[Int(link.next)].previous = link.previous
    }
}
