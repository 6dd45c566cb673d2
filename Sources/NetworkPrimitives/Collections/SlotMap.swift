/// A reference into a `SlotMap`: a slot and the generation of what is in it.
///
/// It may be kept for as long as one likes: once its element is removed it refers to nothing,
/// whatever uses the slot by then. Four billion removals from one slot would be needed to
/// mislead it.
public struct SlotHandle<Element>: Hashable, Comparable, Sendable {
    /// The slot, for tables that are kept beside the map.
    public let index: Int32
    /// Odd while the slot is in use.
    @usableFromInline let generation: UInt32

    @inlinable
    init(index: Int32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// A handle that refers to nothing, in any map.
    @inlinable
    public static var none: SlotHandle { SlotHandle(index: 0, generation: 0) }

    /// By slot, then by age.
    @inlinable
    public static func < (left: SlotHandle, right: SlotHandle) -> Bool {
        (left.index, left.generation) < (right.index, right.generation)
    }
}

/// Elements that are referred to by handles; slots are used again, handles are not.
///
/// Public and inlinable for the reason that `TimerQueue` gives.
public struct SlotMap<Element: Sendable>: Sendable {
    @usableFromInline var elements: [Element] = []
    @usableFromInline var generations: [UInt32] = []
    @usableFromInline var free: [Int32] = []
    /// What an empty slot holds, so that removal releases what the element held. In an array of
    /// one, so that the map is as small as its tables.
    @usableFromInline let vacant: [Element]

    /// An empty map; `vacant` fills slots that are not in use.
    @inlinable
    public init(vacant: Element) {
        self.vacant = [vacant]
    }

    /// How many elements there are.
    @inlinable
    public var count: Int { elements.count - free.count }

    /// Whether there is none.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// Whether the element that the handle was made for is still there.
    @inlinable
    public func contains(_ handle: SlotHandle<Element>) -> Bool {
        Int(handle.index) < generations.count
            && generations[Int(handle.index)] == handle.generation
    }

    /// The element, which must be there: a handle that was kept is checked first.
    @inlinable
    public subscript(handle: SlotHandle<Element>) -> Element {
        _read {
            precondition(contains(handle), "a handle to an element that is gone")
            yield elements[Int(handle.index)]
        }
        _modify {
            precondition(contains(handle), "a handle to an element that is gone")
            yield &elements[Int(handle.index)]
        }
    }

    /// What is in a slot now; the slot must be in use. For slots that stand in other tables only
    /// for as long as their elements are in this one.
    @inlinable
    public subscript(slot: Int32) -> Element {
        _read {
            precondition(generations[Int(slot)] & 1 == 1, "a slot that is not in use")
            yield elements[Int(slot)]
        }
        _modify {
            precondition(generations[Int(slot)] & 1 == 1, "a slot that is not in use")
            yield &elements[Int(slot)]
        }
    }

    /// The handle of what is in a slot now; the slot must be in use.
    @inlinable
    public func handle(at index: Int32) -> SlotHandle<Element> {
        precondition(generations[Int(index)] & 1 == 1, "a slot that is not in use")
        return SlotHandle(index: index, generation: generations[Int(index)])
    }

    /// How many slots there are, those included that are not in use.
    @inlinable
    public var slotCount: Int { elements.count }

    /// The handle of what is in a slot now; nil if the slot is not in use.
    @inlinable
    public func handleIfUsed(at index: Int32) -> SlotHandle<Element>? {
        generations[Int(index)] & 1 == 1 ? handle(at: index) : nil
    }

    /// Puts in an element.
    @inlinable
    public mutating func insert(_ element: Element) -> SlotHandle<Element> {
        if let index = free.popLast() {
            elements[Int(index)] = element
            generations[Int(index)] &+= 1
            return SlotHandle(index: index, generation: generations[Int(index)])
        }
        elements.append(element)
        generations.append(1)
        return SlotHandle(index: Int32(elements.count - 1), generation: 1)
    }

    /// Takes out an element, which must be there.
    @inlinable
    @discardableResult
    public mutating func remove(_ handle: SlotHandle<Element>) -> Element {
        precondition(contains(handle), "a handle to an element that is gone")
        let element = elements[Int(handle.index)]
        elements[Int(handle.index)] = vacant[0]
        generations[Int(handle.index)] &+= 1
        free.append(handle.index)
        return element
    }

    /// All handles, in order of their slots.
    @inlinable
    public var handles: [SlotHandle<Element>] {
        var handles: [SlotHandle<Element>] = []
        handles.reserveCapacity(count)
        for (index, generation) in generations.enumerated() where generation & 1 == 1 {
            handles.append(SlotHandle(index: Int32(index), generation: generation))
        }
        return handles
    }
}
