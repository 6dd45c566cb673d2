import DNSMessages
import NetworkPrimitives

/// The questions that run on a link: who subscribes to them, and when they are asked
/// (RFC 6762 §5, §7).
///
/// It reads the cache and never changes it; what is to be done comes out as effects.
struct Querier: Sendable {
    var questions = SlotMap(vacant: ActiveQuestion(question: Question(.root, .any)))
    /// The questions about a name, oldest first. For look-up only.
    private var questionsByName: [HashedName: [QuestionHandle]] = [:]
    var timers = TimerQueue<QuestionHandle>()
    /// What refreshes ask for with the next packet.
    var refreshed: [QuestionHandle] = []
    /// Questions that are asked at the same moment share their random delay and so a packet.
    var batch: (created: Instant, due: Instant)?
    /// What was asked within the last second, as it was sent: it comes back to us.
    private var recentQueries = RecentQueries()
    var effects = Queue<QuerierEffect>()

    var isEmpty: Bool { questions.isEmpty }
    var count: Int { questions.count }
    var timerCount: Int { timers.count }

    mutating func nextEffect() -> QuerierEffect? { effects.popFirst() }

    mutating func noteSent(_ query: [UInt8], at now: Instant) { recentQueries.add(query, at: now) }

    /// Whether a query is one that was sent a moment ago.
    func wasSent(_ query: Span<UInt8>, at now: Instant) -> Bool {
        recentQueries.contains(query, at: now)
    }

    // MARK: Look-up

    func handles(named name: HashedName) -> [QuestionHandle] { questionsByName[name] ?? [] }

    /// That very question; the QU bit does not matter.
    func handle(of question: Question) -> QuestionHandle? {
        handles(named: HashedName(question.name)).first {
            questions[$0].question.type == question.type
                && questions[$0].question.recordClass == question.recordClass
        }
    }

    /// Whether a running question asks for the record; an NSEC answers every question about its
    /// name.
    func isAskedFor(_ record: ResourceRecord, _ name: HashedName) -> Bool {
        handles(named: name).contains { record.type == .nsec || questions[$0].matches(record) }
    }

    /// Whether the record answers a query that was sent a short time ago (RFC 6762 §6, M6-19).
    func isSolicited(_ record: ResourceRecord, _ name: HashedName, at now: Instant) -> Bool {
        handles(named: name).contains {
            guard let sent = questions[$0].lastSent,
                sent.duration(to: now) <= Timing.answerWindow
            else { return false }
            return questions[$0].matches(record) || questions[$0].isNegativeResponse(record)
        }
    }

    /// Whether the record answers a question that runs.
    func isAnswer(_ record: ResourceRecord) -> Bool {
        handles(named: HashedName(record.name)).contains {
            questions[$0].matches(record) || questions[$0].isNegativeResponse(record)
        }
    }

    // MARK: Subscribers

    /// Lets `query` have the answers to a question, those in the cache at once.
    mutating func subscribe(
        _ query: QueryID, to question: Question, reading cache: RecordCache, asksForUnicast: Bool,
        on interface: InterfaceIndex, _ context: inout Context
    ) {
        let name = HashedName(question.name)
        let handle = self.handle(of: question) ?? add(question)
        let isNew = questions[handle].subscribers.isEmpty
        questions[handle].subscribers.append(query)
        cache.forEach(named: name) { deliver($0.record, to: [query], of: handle, on: interface) }
        if isNew {
            // One that only reconfirms a record begins its series as a new one does.
            questions[handle].asksForUnicast = asksForUnicast
            questions[handle].due = min(questions[handle].due, firstQueryTime(&context))
            endSeriesIfAnswered(handle, reading: cache)
            schedule(handle)
            effects.append(.interestChanged(name))
        } else if questions[handle].isIncomplete {
            effects.append(.answer(query, .incomplete(interface)))
        }
    }

    private mutating func add(_ question: Question) -> QuestionHandle {
        var active = ActiveQuestion(question: question)
        active.question.prefersUnicast = false
        let handle = questions.insert(active)
        questionsByName[HashedName(question.name), default: []].append(handle)
        return handle
    }

    mutating func unsubscribe(_ query: QueryID, from question: Question) {
        guard let handle = handle(of: question) else { return }
        questions[handle].subscribers.removeAll { $0 == query }
        removeIfUnwanted(handle)
    }

    /// Ends a query on this link alone: its answers here are withdrawn.
    mutating func withdraw(
        _ query: QueryID, from question: Question, reading cache: RecordCache,
        on interface: InterfaceIndex
    ) {
        cache.forEach(named: HashedName(question.name)) { entry in
            guard question.matches(entry.record) else { return }
            effects.append(.answer(query, .removed(entry.record, interface)))
        }
        unsubscribe(query, from: question)
    }

    mutating func removeIfUnwanted(_ handle: QuestionHandle) {
        guard questions[handle].subscribers.isEmpty, questions[handle].reconfirmsUntil == nil
        else { return }
        let name = HashedName(questions.remove(handle).question.name)
        questionsByName[name]?.removeAll { $0 == handle }
        if questionsByName[name]?.isEmpty ?? false { questionsByName[name] = nil }
        effects.append(.interestChanged(name))
    }

    /// Two queries or more until then, whatever runs already (RFC 6762 §10.4, M10-22).
    mutating func reconfirm(
        _ record: ResourceRecord, until end: Instant, _ context: inout Context
    ) {
        let question = Question(record.name, record.type, recordClass: record.recordClass)
        let handle = self.handle(of: question) ?? add(question)
        questions[handle].reconfirmsUntil = end
        questions[handle].interval = Timing.initialQueryInterval
        let delay = context.generator.duration(in: Timing.firstQueryDelay)
        questions[handle].due = context.now.advanced(by: delay)
        schedule(handle)
        effects.append(.interestChanged(HashedName(record.name)))
    }

    // MARK: Answers

    /// Passes on what the cache did.
    mutating func process(
        _ effect: CacheEffect, reading cache: RecordCache, on interface: InterfaceIndex,
        _ context: inout Context
    ) {
        switch effect {
        case .added(let record):
            for handle in handles(of: record) {
                deliver(record, to: questions[handle].subscribers, of: handle, on: interface)
                endSeries(handle, with: record)
            }
        case .renewed(let record):
            for handle in handles(of: record) {
                endReconfirmation(handle, reading: cache)
                if questions.contains(handle) { endSeries(handle, with: record) }
            }
        case .removed(let record):
            for handle in handles(of: record) {
                withdrawAnswer(record, of: handle, on: interface)
                resume(handle, after: record, reading: cache, &context)
            }
        case .evicted(let record):
            for handle in handles(of: record) {
                withdrawAnswer(record, of: handle, on: interface)
                noteLackOfRoom(handle, for: record, on: interface)
            }
        case .refused(let record):
            for handle in handles(of: record) {
                noteLackOfRoom(handle, for: record, on: interface)
            }
        case .refreshDue(let record):
            refreshed += handles(of: record).filter { questions[$0].matches(record) }
        case .superseded:
            break
        }
    }

    private func handles(of record: ResourceRecord) -> [QuestionHandle] {
        handles(named: HashedName(record.name))
    }

    private mutating func deliver(
        _ record: ResourceRecord, to subscribers: [QueryID], of handle: QuestionHandle,
        on interface: InterfaceIndex
    ) {
        let change: AnswerChange
        if questions[handle].matches(record) {
            change = .added(record, interface)
        } else if questions[handle].isNegativeResponse(record) {
            // The owner's word that there is nothing (RFC 6762 §6.1, M6-27, M12-3).
            change = .absent(questions[handle].question.type, interface)
        } else {
            return
        }
        for query in subscribers { effects.append(.answer(query, change)) }
    }

    private mutating func withdrawAnswer(
        _ record: ResourceRecord, of handle: QuestionHandle, on interface: InterfaceIndex
    ) {
        guard questions[handle].matches(record) else { return }
        for query in questions[handle].subscribers {
            effects.append(.answer(query, .removed(record, interface)))
        }
    }

    /// An answer found no room: reported to the subscribers, once until all fit again.
    private mutating func noteLackOfRoom(
        _ handle: QuestionHandle, for record: ResourceRecord, on interface: InterfaceIndex
    ) {
        guard questions[handle].matches(record) else { return }
        questions[handle].lacksRoom = true
        guard !questions[handle].isIncomplete else { return }
        questions[handle].isIncomplete = true
        for query in questions[handle].subscribers {
            effects.append(.answer(query, .incomplete(interface)))
        }
    }

    /// Once all records that a question reconfirms were received, it has done its work; it asks
    /// twice or more before it is given up (RFC 6762 §10.4, M10-22).
    private mutating func endReconfirmation(
        _ handle: QuestionHandle, reading cache: RecordCache
    ) {
        guard questions[handle].reconfirmsUntil != nil else { return }
        var isOpen = false
        cache.forEach(named: HashedName(questions[handle].question.name)) {
            isOpen = isOpen || $0.needsReconfirmation && questions[handle].matches($0.record)
        }
        guard !isOpen else { return }
        questions[handle].reconfirmsUntil = nil
        removeIfUnwanted(handle)
    }
}

/// What the querier wants done.
enum QuerierEffect: Sendable {
    /// News for the starter of a query.
    case answer(QueryID, AnswerChange)
    /// Multicast this query.
    case transmit([UInt8], AddressFamily)
    /// Questions about the name came or went.
    case interestChanged(HashedName)
}
