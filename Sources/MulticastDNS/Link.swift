import DNSMessages
import NetworkPrimitives

/// One interface on which multicast DNS runs, over either family or both.
///
/// Cache, questions and own records are a link's own (RFC 6762 §3, §14); both families of an
/// interface are one link, so that a name's NSEC speaks for both (RFC 6762 §6.2, §20).
/// A link decides about one interface; what concerns several is the engine's business.
struct Link: Sendable {
    var interface: NetworkInterface
    var families: FamilySet
    var cache = RecordCache()
    var questions = QuestionTable()
    var own = OwnRecords()
    var givenUp = GivenUpRecords()
    /// For look-up only, never walked.
    var publications: [PublicationID: LinkPublication] = [:]
    var timers = TimerQueue<LinkTimer>()

    /// Own records with a planned multicast answer, in the order of planning.
    var pendingSlots: [Int] = []
    /// Replies by unicast that wait for their random delay.
    var waitingReplies: [UnicastReply] = []
    /// The time of the timer that counts for planned answers and waiting replies.
    var responseTimer = Instant.never
    /// Who has announced more known answers (RFC 6762 §7.2), and until when to wait for them.
    var truncatedQueriers: [(source: IPAddress, until: Instant)] = []
    /// When the next series of probes begins that others can still join (RFC 6762 §8.1).
    var probeBatch = Instant.zero
    /// Questions that are asked at the same moment share their random delay and so a packet.
    var questionBatch: (created: Instant, due: Instant)?

    /// What was asked within the last second, as it was sent: it comes back to us.
    private var recentQueries = RecentQueries()

    /// When multicast DNS began on the interface.
    let opened: Instant

    init(interface: NetworkInterface, families: FamilySet, opened: Instant) {
        self.interface = interface
        self.families = families
        self.opened = opened
    }

    var index: InterfaceIndex { interface.index }

    /// What a message may take on this link (RFC 6762 §17).
    func messageLimit(_ family: AddressFamily, _ limits: Limits) -> Int {
        let headers = family == .ipv4 ? 28 : 48
        let unit = interface.maximumTransmissionUnit
        return min(unit >= 576 ? unit : 1500, limits.datagramSize) - headers
    }

    /// What the message of a lone large record may take (RFC 6762 §17).
    func loneRecordLimit(_ family: AddressFamily, _ limits: Limits) -> Int {
        limits.datagramSize - (family == .ipv4 ? 28 : 48)
    }

    func multicast(_ bytes: [UInt8], _ family: AddressFamily, _ context: inout Context) {
        let group = SocketAddress(
            .multicastDNS(family), port: 5353, scope: family == .ipv6 ? index : nil)
        context.emit(
            .transmit(Transmission(bytes: bytes, destination: group, interface: index)))
    }

    mutating func multicastQuery(
        _ bytes: [UInt8], _ family: AddressFamily, _ context: inout Context
    ) {
        multicast(bytes, family, &context)
        recentQueries.add(bytes, at: context.now)
    }

    /// Whether a query is our own that came back. From the same address other programs of this
    /// host speak as well; what they ask is not what we asked.
    func isEcho(_ payload: Span<UInt8>, _ info: DatagramInfo, _ now: Instant) -> Bool {
        // Others may ask the very same (RFC 6762 §7.3, M7-14).
        guard interface.owns(info.source.address) else { return false }
        return recentQueries.contains(payload, at: now)
    }
}

/// What a link is woken for.
enum LinkTimer: Hashable, Sendable {
    /// A question's next query.
    case question(Int)
    /// A cached record's refresh or end.
    case entry(Int)
    /// A publication's next probe or announcement.
    case publication(PublicationID)
    /// A planned answer or a waiting reply.
    case responses
}

extension Link {
    /// The earliest timer that still counts.
    var deadline: Instant? { timers.earliest }

    /// Drops timers in front that nobody waits for any more, so that nothing is woken for them.
    mutating func pruneTimers() {
        while let (time, event) = timers.first, !counts(event, at: time) { timers.dropFirst() }
        // Behind the front they only take up room.
        let needed = 64 + cache.count + publications.count + questions.count
        if timers.count > 4 * needed {
            timers = timers.filter { counts($1, at: $0) }
        }
    }

    private func counts(_ event: LinkTimer, at time: Instant) -> Bool {
        switch event {
        case .question(let slot): questions[slot].timer == time
        case .entry(let slot): cache[slot].timer == time
        case .publication(let id): publications[id]?.timer == time
        case .responses: responseTimer == time
        }
    }

    /// Does everything that is due by now; what is due together leaves together.
    mutating func advance(_ context: inout Context) {
        while let earliest = timers.earliest, earliest <= context.now {
            var dueQuestions: [Int] = []
            var duePublications: [PublicationID] = []
            var answersAreDue = false
            while let (time, event) = timers.popDue(by: context.now) {
                guard counts(event, at: time) else { continue }
                switch event {
                case .question(let slot):
                    questions[slot].timer = .never
                    if questions[slot].due <= context.now {
                        dueQuestions.append(slot)
                    } else {
                        schedule(question: slot)
                    }
                case .entry(let slot):
                    cache[slot].timer = .never
                    entryIsDue(slot, asking: &dueQuestions, &context)
                case .publication(let id):
                    publications[id]?.timer = .never
                    duePublications.append(id)
                case .responses:
                    responseTimer = .never
                    answersAreDue = true
                }
            }
            stepPublications(duePublications, &context)
            if answersAreDue { sendDueAnswers(&context) }
            ask(dueQuestions, &context)
        }
    }

    mutating func schedule(question slot: Int) {
        let due = questions[slot].due
        guard due < questions[slot].timer else { return }
        questions[slot].timer = due
        timers.insert(.question(slot), at: due)
    }

    mutating func schedule(entry slot: Int) {
        let due = cache[slot].due
        guard due < cache[slot].timer else { return }
        cache[slot].timer = due
        timers.insert(.entry(slot), at: due)
    }

    mutating func schedule(publication id: PublicationID) {
        guard let publication = publications[id], publication.due < publication.timer else {
            return
        }
        publications[id]?.timer = publication.due
        timers.insert(.publication(id), at: publication.due)
    }

    mutating func scheduleResponses(at due: Instant) {
        guard due < responseTimer else { return }
        responseTimer = due
        timers.insert(.responses, at: due)
    }
}
