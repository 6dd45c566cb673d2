import DNSMessages
import NetworkPrimitives

/// The questions that run on a link: who subscribes to them, and when they are asked
/// (RFC 6762 §5.2, §5.4, §7).
///
/// It reads the cache and never changes it; what is to be done comes out as effects of the link
/// and as names of which the cache is to know that questions about them came or went. Questions
/// are referred to by their slots; all tables change together.
struct Querier: Sendable {
    var questions = SlotMap(vacant: ActiveQuestion(Question(.root, .any)))
    /// The questions about each name.
    private var names = SlotGroups()
    private var timers = DeadlineQueue()
    /// Questions that are asked at the same moment share their random delay and so a packet.
    private var batch: (created: Instant, due: Instant)?
    /// What was asked within the last second, by the hash of its bytes, which is keyed: it comes
    /// back to us, and from the same address other programs of this host speak as well.
    private var recentQueries = RecentTable<Int, Void>(lifetime: Timing.minimumQueryInterval)
    /// Names about which questions came or went.
    private var changedNames = Queue<HashedName>()
    private var effects = Queue<Link.Effect>()

    var isEmpty: Bool { questions.isEmpty }
    var count: Int { questions.count }
    var timerCount: Int { timers.count }
    var deadline: Instant { timers.earliest }

    mutating func nextEffect() -> Link.Effect? { effects.popFirst() }
    mutating func nextChangedName() -> HashedName? { changedNames.popFirst() }

    mutating func noteSent(_ query: [UInt8], at now: Instant) {
        recentQueries.insert((), for: Self.hash(query.span), at: now)
    }

    /// Whether a query is one that was sent a moment ago.
    func wasSent(_ query: Span<UInt8>, at now: Instant) -> Bool {
        recentQueries.value(for: Self.hash(query), at: now) != nil
    }

    /// Not inlined: its loop would have the caller keep a copy of all that a link holds.
    @inline(never)
    private static func hash(_ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        for index in bytes.indices { hasher.combine(bytes[index]) }
        return hasher.finalize()
    }

    // MARK: Look-up

    /// The questions about a name, oldest first.
    func slots(named name: HashedName) -> SlotGroups.Slots {
        names.slots(from: first(named: name))
    }

    private func first(named name: HashedName) -> Int32? {
        names.first(hash: name.hash) { questions[$0].question.name == name.name }
    }

    /// That very question; the QU bit does not matter.
    func slot(of question: Question, _ name: HashedName) -> Int32? {
        slots(named: name).first {
            questions[$0].question.type == question.type
                && questions[$0].question.recordClass == question.recordClass
        }
    }

    subscript(question: Question) -> ActiveQuestion? {
        slot(of: question, HashedName(question.name)).map { questions[$0] }
    }

    func asks(about name: HashedName) -> Bool { first(named: name) != nil }

    /// Whether a running question asks for the record; an NSEC answers every question about its
    /// name.
    func isAskedFor(_ record: ResourceRecord, _ name: HashedName) -> Bool {
        slots(named: name).contains { record.type == .nsec || questions[$0].matches(record) }
    }

    func isSolicited(_ record: ResourceRecord, _ name: HashedName, at now: Instant) -> Bool {
        slots(named: name).contains { questions[$0].isSolicited(record, at: now) }
    }

    func isAnswer(_ record: ResourceRecord) -> Bool {
        slots(named: HashedName(record.name)).contains { questions[$0].isAnswered(by: record) }
    }

    // MARK: Subscribers

    /// Lets `query` have the answers to a question, those in the cache at once.
    mutating func subscribe(
        _ query: QueryID, to question: Question, reading cache: RecordCache, asksForUnicast: Bool,
        on interface: InterfaceIndex, _ context: inout Context
    ) {
        let name = HashedName(question.name)
        let slot = self.slot(of: question, name) ?? add(question, name)
        let isNew = questions[slot].subscribers.isEmpty
        questions[slot].subscribers.append(query)
        cache.forEach(named: name) { entry in
            if let change = change(entry.record, of: slot, on: interface) {
                effects.append(.answer(query, change))
            }
        }
        if isNew {
            // One that only reconfirms a record begins its series as a new one does.
            questions[slot].asksForUnicast = asksForUnicast
            questions[slot].due = min(questions[slot].due, firstQueryTime(&context))
            endSeriesIfAnswered(slot, name, reading: cache)
            changedNames.append(name)
            settle(slot)
        } else if questions[slot].isIncomplete {
            effects.append(.answer(query, .incomplete(interface)))
        }
    }

    private mutating func add(_ question: Question, _ name: HashedName) -> Int32 {
        var question = question
        question.prefersUnicast = false
        let head = first(named: name)
        let slot = questions.insert(ActiveQuestion(question)).index
        names.insert(slot, after: head, hash: name.hash)
        return slot
    }

    /// Ends a query on this link: its answers here are removed.
    mutating func unsubscribe(
        _ query: QueryID, from question: Question, reading cache: RecordCache,
        on interface: InterfaceIndex
    ) {
        let name = HashedName(question.name)
        guard let slot = slot(of: question, name), questions[slot].subscribers.contains(query)
        else { return }
        cache.forEach(named: name) { entry in
            guard question.matches(entry.record) else { return }
            effects.append(.answer(query, .removed(entry.record, interface)))
        }
        questions[slot].subscribers.removeAll { $0 == query }
        settle(slot)
    }

    /// Two queries or more until then, whatever runs already (RFC 6762 §10.4, M10-22).
    mutating func reconfirm(
        _ record: ResourceRecord, _ name: HashedName, until end: Instant,
        _ context: inout Context
    ) {
        let question = Question(record.name, record.type, recordClass: record.recordClass)
        let slot = self.slot(of: question, name) ?? add(question, name)
        questions[slot].reconfirmsUntil = end
        let delay = context.generator.duration(in: Timing.firstQueryDelay)
        questions[slot].restart(at: context.now.advanced(by: delay))
        changedNames.append(name)
        settle(slot)
    }

    /// The end of every change of a question: sets its timer, or removes it if nobody wants it any
    /// more.
    mutating func settle(_ slot: Int32) {
        guard !questions[slot].isWanted else {
            timers.set(slot, to: questions[slot].nextDue)
            return
        }
        timers.set(slot, to: .never)
        let name = HashedName(questions[slot].question.name)
        names.remove(slot, from: first(named: name) ?? slot, hash: name.hash)
        questions.remove(questions.handle(at: slot))
        changedNames.append(name)
    }

    // MARK: Answers

    /// Passes on what the cache did.
    mutating func process(
        _ change: CacheChange, reading cache: RecordCache, on interface: InterfaceIndex,
        _ context: inout Context
    ) {
        let record = change.record
        for slot in slots(named: change.name) {
            let isAnswer = questions[slot].matches(record)
            switch change.kind {
            case .added:
                report(self.change(record, of: slot, on: interface), of: slot)
                questions[slot].endSeries(with: record)
            case .renewed:
                questions[slot].endSeries(with: record)
                endReconfirmation(slot, change.name, reading: cache)
            case .removed:
                if isAnswer { report(.removed(record, interface), of: slot) }
                resume(slot, after: change, reading: cache, &context)
            case .evicted where isAnswer:
                report(.removed(record, interface), of: slot)
                if questions[slot].noteLackOfRoom() { report(.incomplete(interface), of: slot) }
            case .refused where isAnswer:
                if questions[slot].noteLackOfRoom() { report(.incomplete(interface), of: slot) }
            case .refreshDue where isAnswer: questions[slot].refreshDue = context.now
            case .evicted, .refused, .refreshDue, .superseded: continue
            }
            settle(slot)
        }
    }

    /// What a record of the question's name is to its subscribers; nil if it is no answer.
    private func change(
        _ record: ResourceRecord, of slot: Int32, on interface: InterfaceIndex
    ) -> AnswerChange? {
        if questions[slot].matches(record) { return .added(record, interface) }
        // The owner's word that there is nothing (RFC 6762 §6.1, M6-27, M12-3).
        guard questions[slot].isNegativeResponse(record) else { return nil }
        return .absent(questions[slot].question.type, interface)
    }

    private mutating func report(_ change: AnswerChange?, of slot: Int32) {
        guard let change else { return }
        for query in questions[slot].subscribers { effects.append(.answer(query, change)) }
    }

    /// Once all records that a question reconfirms were received, it has done its work; it asks
    /// twice or more before it is given up (RFC 6762 §10.4, M10-22).
    private mutating func endReconfirmation(
        _ slot: Int32, _ name: HashedName, reading cache: RecordCache
    ) {
        guard questions[slot].reconfirmsUntil != nil else { return }
        var isOpen = false
        cache.forEach(named: name) {
            isOpen = isOpen || $0.needsReconfirmation && questions[slot].matches($0.record)
        }
        if !isOpen { questions[slot].reconfirmsUntil = nil }
    }

    /// An answer is gone: a series that it had ended begins anew, and one that runs is joined by
    /// a single query, lest a forged goodbye hide a record until the next.
    private mutating func resume(
        _ slot: Int32, after change: CacheChange, reading cache: RecordCache,
        _ context: inout Context
    ) {
        guard !questions[slot].subscribers.isEmpty else { return }
        if questions[slot].due == .never {
            questions[slot].restart(at: firstQueryTime(&context))
            endSeriesIfAnswered(slot, change.name, reading: cache)
        }
        guard questions[slot].matches(change.record) else { return }
        let confirmation = max(firstQueryTime(&context), questions[slot].earliestQuery)
        questions[slot].confirmationDue = min(questions[slot].confirmationDue, confirmation)
    }

    /// As `endSeries` for whatever the cache has of the name; what is being reconfirmed is no
    /// answer (M5-17, M7-5).
    private mutating func endSeriesIfAnswered(
        _ slot: Int32, _ name: HashedName, reading cache: RecordCache
    ) {
        cache.forEach(named: name) {
            if !$0.needsReconfirmation { questions[slot].endSeries(with: $0.record) }
        }
    }

    // MARK: Time

    /// A random 20 to 120 ms from now (RFC 6762 §5.2), one draw for all questions of a moment.
    private mutating func firstQueryTime(_ context: inout Context) -> Instant {
        if let batch, batch.created == context.now { return batch.due }
        let delay = context.generator.duration(in: Timing.firstQueryDelay)
        let due = context.now.advanced(by: delay)
        batch = (context.now, due)
        return due
    }

    /// Begins all series anew: the link has come up, or the machine slept (RFC 6762 §5.4,
    /// M5-22).
    mutating func restart(_ context: inout Context) {
        for handle in questions.handles {
            questions[handle].asksForUnicast = context.configuration.mayAskForUnicast
            questions[handle].restart(at: firstQueryTime(&context))
            settle(handle.index)
        }
    }

    /// Asks what is due, all in as few packets as it takes.
    mutating func advance(
        reading cache: RecordCache, on interface: ActiveInterface, _ context: inout Context
    ) {
        var asked: [Int32] = []
        while let slot = timers.popDue(by: context.now) {
            if questions[slot].mayBeAsked(at: context.now) {
                asked.append(slot)
            } else {
                settle(slot)
            }
        }
        guard !asked.isEmpty else { return }
        for (bytes, family) in queries(asked, reading: cache, on: interface, context) {
            noteSent(bytes, at: context.now)
            effects.append(.transmit(interface.multicast(bytes, family)))
        }
        for slot in asked {
            questions[slot].noteSent(at: context.now)
            settle(slot)
        }
    }

    /// Another host asks the same, with no more known answers than ours would have: our own query
    /// is needless, if it is to come soon (RFC 6762 §7.3, M7-14).
    mutating func observe(
        _ question: Question, _ name: HashedName, known: [ResourceRecord],
        _ family: AddressFamily, reading cache: RecordCache, _ families: FamilySet,
        _ context: inout Context
    ) {
        guard let slot = slot(of: question, name),
            questions[slot].mayBeDuplicated(at: context.now),
            known.allSatisfy({ record in
                !questions[slot].matches(record)
                    || cache.entry(of: record)?.isKnownAnswer(at: context.now) ?? false
            }),
            questions[slot].noteDuplicate(family, of: families, at: context.now)
        else { return }
        context.statistics.suppressedByDuplicateQuestion += 1
        settle(slot)
    }
}
