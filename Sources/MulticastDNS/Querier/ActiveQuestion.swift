import DNSMessages
import NetworkPrimitives

/// A question that runs on a link: who wants it and when it is asked next (RFC 6762 §5.2).
struct ActiveQuestion: Sendable {
    var question: Question
    var subscribers: [QueryID] = []
    /// When it is asked next; `.never` while a unique answer serves (RFC 6762 §5.2).
    var due = Instant.never
    /// The time of the timer that counts for this question.
    var timer = Instant.never
    /// The gap after the next query.
    var gap = Timing.initialQueryInterval
    var lastSent: Instant?
    /// The families over which another host has asked the same since (RFC 6762 §7.3).
    var heardOver: FamilySet = []
    /// When a unicast answer was last asked for (RFC 6762 §6).
    var lastAskedForUnicast: Instant?
    /// Whether the next query asks for unicast: the first after the link came up
    /// (RFC 6762 §5.4).
    var asksForUnicast = false
    /// Kept without a subscriber until then, to make sure of a record (RFC 6762 §10.4).
    var keptUntil: Instant?
    var isLive = true

    /// The next gap: twice the last, up to an hour (RFC 6762 §5.2).
    mutating func lengthenGap() {
        // (M5-5)
        gap = min(gap * 2, Timing.maximumQueryInterval)
    }
}

/// The questions that run on a link, found by name.
struct QuestionTable: Sendable {
    private var questions: [ActiveQuestion] = []
    private var free: [Int] = []
    /// For look-up only, never walked.
    private var slotsByName: [DomainName: [Int]] = [:]

    subscript(slot: Int) -> ActiveQuestion {
        get { questions[slot] }
        _modify { yield &questions[slot] }
    }

    var isEmpty: Bool { slotsByName.isEmpty }
    var count: Int { questions.count - free.count }

    /// All slots in use, in order of their numbers.
    var liveSlots: [Int] { questions.indices.filter { questions[$0].isLive } }

    /// The slots of all questions about a name, oldest first.
    func slots(named name: DomainName) -> [Int] { slotsByName[name] ?? [] }

    /// The slot of that very question; the QU bit doesn't matter.
    func slot(of question: Question) -> Int? {
        slots(named: question.name).first {
            questions[$0].question.type == question.type
                && questions[$0].question.recordClass == question.recordClass
        }
    }

    mutating func add(_ question: ActiveQuestion) -> Int {
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            questions[slot] = question
        } else {
            slot = questions.count
            questions.append(question)
        }
        slotsByName[question.question.name, default: []].append(slot)
        return slot
    }

    mutating func remove(_ slot: Int) {
        let name = questions[slot].question.name
        slotsByName[name]?.removeAll { $0 == slot }
        if slotsByName[name]?.isEmpty ?? false { slotsByName[name] = nil }
        questions[slot] = ActiveQuestion(question: Question(.root, .any))
        questions[slot].isLive = false
        free.append(slot)
    }
}
