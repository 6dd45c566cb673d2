/// How many items a message's header promises for each section (RFC 1035 §4.1.1).
public struct MessageCounts: Hashable, Sendable {
    /// Sixteen bits for each section, the first one's at the bottom.
    private var bits: UInt64

    /// QDCOUNT.
    public var questions: UInt16 {
        get { UInt16(truncatingIfNeeded: self[.question]) }
        set { self[.question] = Int(newValue) }
    }
    /// ANCOUNT.
    public var answers: UInt16 {
        get { UInt16(truncatingIfNeeded: self[.answer]) }
        set { self[.answer] = Int(newValue) }
    }
    /// NSCOUNT.
    public var authorities: UInt16 {
        get { UInt16(truncatingIfNeeded: self[.authority]) }
        set { self[.authority] = Int(newValue) }
    }
    /// ARCOUNT.
    public var additionals: UInt16 {
        get { UInt16(truncatingIfNeeded: self[.additional]) }
        set { self[.additional] = Int(newValue) }
    }

    /// Counts for the four sections.
    public init(
        questions: UInt16 = 0, answers: UInt16 = 0, authorities: UInt16 = 0,
        additionals: UInt16 = 0
    ) {
        bits =
            UInt64(questions) | UInt64(answers) << 16 | UInt64(authorities) << 32
            | UInt64(additionals) << 48
    }

    /// The count of one section.
    public internal(set) subscript(section: MessageSection) -> Int {
        @inline(__always) get { Int(bits &>> Self.shift(section) & 0xFFFF) }
        @inline(__always) set {
            bits &= ~(0xFFFF &<< Self.shift(section))
            bits |= UInt64(UInt16(truncatingIfNeeded: newValue)) &<< Self.shift(section)
        }
    }

    @inline(__always)
    private static func shift(_ section: MessageSection) -> UInt64 {
        UInt64(truncatingIfNeeded: 16 &* section.rawValue)
    }

    /// Adds one to the count of a section.
    @inline(__always)
    mutating func increase(_ section: MessageSection) { self[section] += 1 }

    /// All questions and records together.
    @inline(__always)
    public var total: Int {
        Int(questions) + Int(answers) + Int(authorities) + Int(additionals)
    }

    /// The fewest bytes that so many items can take behind the header: 5 a question, 11 a record.
    @inline(__always)
    var leastByteCount: Int {
        5 * Int(questions) + 11 * (Int(answers) + Int(authorities) + Int(additionals))
    }
}
