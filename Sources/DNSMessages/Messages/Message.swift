/// The four sections of a message, in their order.
public enum MessageSection: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// What is asked.
    case question
    /// Answers, or in a query what is known already.
    case answer
    /// Authority; in a probe the records that are proposed (RFC 6762 §8.2).
    case authority
    /// What is likely to be asked for next.
    case additional

    public static func < (left: MessageSection, right: MessageSection) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A DNS message.
public struct Message: Hashable, Sendable {
    /// Id and flags.
    public var header: MessageHeader
    /// What is asked.
    public var questions: [Question]
    /// Answers, or in a query what is known already.
    public var answers: [ResourceRecord]
    /// Authority; in a probe the records that are proposed.
    public var authorities: [ResourceRecord]
    /// Additional records.
    public var additionals: [ResourceRecord]

    /// A message of these sections.
    public init(
        header: MessageHeader = .query, questions: [Question] = [],
        answers: [ResourceRecord] = [], authorities: [ResourceRecord] = [],
        additionals: [ResourceRecord] = []
    ) {
        self.header = header
        self.questions = questions
        self.answers = answers
        self.authorities = authorities
        self.additionals = additionals
    }

    /// The records of a section; none for the question section.
    public func records(in section: MessageSection) -> [ResourceRecord] {
        switch section {
        case .question: []
        case .answer: answers
        case .authority: authorities
        case .additional: additionals
        }
    }
}
