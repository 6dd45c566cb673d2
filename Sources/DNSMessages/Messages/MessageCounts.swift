/// How many items a message's header promises for each section (RFC 1035 §4.1.1).
public struct MessageCounts: Hashable, Sendable {
    /// QDCOUNT.
    public var questions: UInt16
    /// ANCOUNT.
    public var answers: UInt16
    /// NSCOUNT.
    public var authorities: UInt16
    /// ARCOUNT.
    public var additionals: UInt16

    /// Counts for the four sections.
    public init(
        questions: UInt16 = 0, answers: UInt16 = 0, authorities: UInt16 = 0,
        additionals: UInt16 = 0
    ) {
        self.questions = questions
        self.answers = answers
        self.authorities = authorities
        self.additionals = additionals
    }

    /// The count of one section.
    public internal(set) subscript(section: MessageSection) -> Int {
        get {
            switch section {
            case .question: Int(questions)
            case .answer: Int(answers)
            case .authority: Int(authorities)
            case .additional: Int(additionals)
            }
        }
        set {
            let count = UInt16(truncatingIfNeeded: newValue)
            switch section {
            case .question: questions = count
            case .answer: answers = count
            case .authority: authorities = count
            case .additional: additionals = count
            }
        }
    }

    /// Adds one to the count of a section.
    mutating func increase(_ section: MessageSection) { self[section] += 1 }

    /// All questions and records together.
    public var total: Int {
        Int(questions) + Int(answers) + Int(authorities) + Int(additionals)
    }

    /// The fewest bytes that so many items can take behind the header: 5 a question, 11 a record.
    var leastByteCount: Int {
        5 * Int(questions) + 11 * (Int(answers) + Int(authorities) + Int(additionals))
    }
}
