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
    var querier = Querier()
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
        querier.noteSent(bytes, at: context.now)
    }

    /// Whether a query is our own that came back. From the same address other programs of this
    /// host speak as well; what they ask is not what we asked.
    func isEcho(_ payload: Span<UInt8>, _ info: DatagramInfo, _ now: Instant) -> Bool {
        // Others may ask the very same (RFC 6762 §7.3, M7-14).
        guard interface.owns(info.source.address) else { return false }
        return querier.wasSent(payload, at: now)
    }
}

/// What a link is woken for.
enum LinkTimer: Hashable, Sendable {
    /// A publication's next probe or announcement.
    case publication(PublicationID)
    /// A planned answer or a waiting reply.
    case responses
}

extension Link {
    /// The earliest timer that still counts.
    var deadline: Instant? {
        let earliest = min(
            timers.earliest ?? .never, cache.deadline ?? .never, querier.deadline ?? .never)
        return earliest == .never ? nil : earliest
    }

    /// The timers kept, those included that count no more.
    var timerCount: Int { timers.count + cache.timerCount + querier.timerCount }

    /// Drops timers in front that nobody waits for any more, so that nothing is woken for them.
    mutating func pruneTimers() {
        cache.pruneTimers()
        querier.pruneTimers()
        while let (time, event) = timers.first, !counts(event, at: time) { timers.dropFirst() }
        // Behind the front they only take up room.
        let needed = 64 + publications.count
        if timers.count > 4 * needed {
            timers = timers.filter { counts($1, at: $0) }
        }
    }

    private func counts(_ event: LinkTimer, at time: Instant) -> Bool {
        switch event {
        case .publication(let id): publications[id]?.timer == time
        case .responses: responseTimer == time
        }
    }

    /// Does everything that is due by now; what is due together leaves together.
    mutating func advance(_ context: inout Context) {
        while let earliest = deadline, earliest <= context.now {
            cache.advance(&context)
            processEffects(&context)
            var duePublications: [PublicationID] = []
            var answersAreDue = false
            while let (time, event) = timers.popDue(by: context.now) {
                guard counts(event, at: time) else { continue }
                switch event {
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
            let limits = (
                messageLimit(.ipv4, context.limits), messageLimit(.ipv6, context.limits)
            )
            let shape = LinkShape(families: families, messageLimits: limits)
            querier.advance(reading: cache, shape, &context)
            processEffects(&context)
        }
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
