import DNSMessages
import DNSSD
import NetworkPrimitives

/// Whether what a browse or a query for records lists is what it has received (RFC 6762 §5.2,
/// §10), judged by the datagrams that reached its host and by its events.
///
/// A record is listed as soon as it is received. It goes when its lifetime is over, and was asked
/// for four times by then; a second after a goodbye or a flush, if it was older than a second
/// then, and not sooner, and not at all if it is received again; ten seconds after the second
/// query of others that nobody answered, or after the host woke; and with its link.
struct CacheWatch: Sendable {
    /// A record that answers a subscription, on a link.
    struct Key: Hashable, Sendable {
        let link: LinkID
        let data: RecordData
    }

    /// What is known of a record that a subscription lists.
    struct Entry: Sendable {
        /// When it was last received; nil if that was before the subscription.
        var received: Instant?
        var lifetime: Duration = .zero
        /// It must not go before.
        var earliest: Instant
        /// It must be gone by then.
        var latest: Instant
        var isListed = false
        /// Whether something else than its lifetime is to end it: then nobody asks for it.
        var isEnding = false
        var goodbye: Instant?
        /// The families it was received over; both if that was not seen.
        var families = PerFamily<Bool>(false)
        /// Queries of others since, that may and that must count as unanswered.
        var possibleFailures = PerFamily<Int>(0)
        var failures = PerFamily<Int>(0)
        var timer = Instant.never
    }

    /// Something that a host wants to know all the time.
    struct Subscription: Sendable {
        let operation: OperationID
        let question: Question
        var entries: [Key: Entry] = [:]
        /// Whether it had more entries than are looked at one by one when others ask: these may
        /// go at any time.
        var isLarge = false
    }

    struct AskedKey: Hashable, Sendable {
        let link: LinkID
        let question: Question
    }

    struct HostState: Sendable {
        var subscriptions: [Subscription] = []
        /// When each question was last asked, by the host or in its place; for look-up only.
        var asked: [AskedKey: [Instant]] = [:]
        /// Since when it is awake and its links are as they are.
        var undisturbed = Instant.zero
        var isAsleep = false
        /// What must be listed once the datagram at hand is processed.
        var received: [(operation: OperationID, key: Key)] = []
    }

    struct Timer: Sendable {
        let host: HostID
        let operation: OperationID
        let key: Key
    }

    static let grace: Duration = .seconds(1)
    static let timeout: Duration = .seconds(10)
    /// The longest lifetime that hosts here give their records.
    static let longestLifetime: Duration = .seconds(4_500)
    static let refreshes: [Int64] = [80, 85, 90, 95]
    static let refreshJitter: Int64 = 2
    /// A query that was sent so shortly before is as good as a refresh (§5.2).
    static let queryInterval: Duration = .milliseconds(1_050)
    private static let keptTimes = 1_024

    var hosts: [HostState] = []
    /// The names that somebody subscribes to, and how often; for look-up only.
    private var wanted: [DomainName: Int] = [:]
    var timers = TimerQueue<Timer>()
    var situations = Situations()

    mutating func addHost() { hosts.append(HostState()) }

    // MARK: Subscriptions

    mutating func subscribe(
        _ operation: OperationID, to question: Question, by host: HostID
    ) {
        hosts[host.rawValue].subscriptions.append(
            Subscription(operation: operation, question: question))
        wanted[question.name, default: 0] += 1
    }

    mutating func unsubscribe(_ operation: OperationID, of host: HostID) {
        let ended = hosts[host.rawValue].subscriptions.filter { $0.operation == operation }
        for subscription in ended { unwant(subscription.question.name) }
        hosts[host.rawValue].subscriptions.removeAll { $0.operation == operation }
    }

    /// The host has crashed or begins anew.
    mutating func forget(_ host: HostID, at now: Instant) {
        for subscription in hosts[host.rawValue].subscriptions {
            unwant(subscription.question.name)
        }
        hosts[host.rawValue] = HostState()
        hosts[host.rawValue].undisturbed = now
    }

    private mutating func unwant(_ name: DomainName) {
        guard let count = wanted[name] else { return }
        wanted[name] = count > 1 ? count - 1 : nil
    }

    func questions(of host: HostID) -> [Question] {
        hosts[host.rawValue].subscriptions.map { $0.question }
    }

    // MARK: What befalls hosts

    /// The host's links change, or it falls asleep: what it lists may go at any time.
    mutating func disturb(_ host: HostID, at now: Instant) {
        hosts[host.rawValue].undisturbed = now
        for place in hosts[host.rawValue].subscriptions.indices {
            for key in Array(hosts[host.rawValue].subscriptions[place].entries.keys) {
                hosts[host.rawValue].subscriptions[place].entries[key]?.earliest = .zero
            }
        }
    }

    mutating func fallAsleep(_ host: HostID, at now: Instant) {
        disturb(host, at: now)
        hosts[host.rawValue].isAsleep = true
    }

    /// The host is awake, or thinks that its network is another one: what it has cached is
    /// received again within ten seconds, or goes (RFC 6762 §10.3).
    mutating func wake(_ host: HostID, at now: Instant) {
        disturb(host, at: now)
        hosts[host.rawValue].isAsleep = false
        let end = now.advanced(by: Self.timeout)
        for place in hosts[host.rawValue].subscriptions.indices {
            for key in Array(hosts[host.rawValue].subscriptions[place].entries.keys) {
                change(key, at: place, of: host) { entry in
                    entry.isEnding = true
                    entry.latest = min(entry.latest, end)
                    if entry.latest <= now { entry.latest = now }
                }
            }
        }
    }

    /// Changes an entry and sees to it that its end is looked at.
    mutating func change(
        _ key: Key, at place: Int, of host: HostID, _ body: (inout Entry) -> Void
    ) {
        guard var entry = hosts[host.rawValue].subscriptions[place].entries[key] else { return }
        body(&entry)
        if entry.latest < entry.timer {
            entry.timer = entry.latest
            let operation = hosts[host.rawValue].subscriptions[place].operation
            timers.insert(Timer(host: host, operation: operation, key: key), at: entry.latest)
        }
        hosts[host.rawValue].subscriptions[place].entries[key] = entry
    }

    func place(_ operation: OperationID, of host: HostID) -> Int? {
        hosts[host.rawValue].subscriptions.firstIndex { $0.operation == operation }
    }

    // MARK: Time

    /// What is listed although its time is over; to be called before anything later happens.
    mutating func advance(to now: Instant) -> [(breach: Breach, time: Instant)] {
        var breaches: [(breach: Breach, time: Instant)] = []
        // What ends at this very moment is still to be processed.
        let last = now.advanced(by: .zero - Invariants.grain)
        while let (time, timer) = timers.popDue(by: last) {
            guard !hosts[timer.host.rawValue].isAsleep,
                let place = place(timer.operation, of: timer.host),
                let entry = hosts[timer.host.rawValue].subscriptions[place].entries[timer.key],
                entry.timer == time
            else { continue }
            guard entry.latest <= last else {
                change(timer.key, at: place, of: timer.host) { $0.timer = .never }
                continue
            }
            if entry.isListed {
                let question = hosts[timer.host.rawValue].subscriptions[place].question
                breaches.append(
                    (
                        Breach(
                            host: timer.host,
                            what: "still lists \(Self.text(question, timer.key))"), time
                    ))
            }
            hosts[timer.host.rawValue].subscriptions[place].entries[timer.key]?.latest = .never
        }
        return breaches
    }

    static func text(_ question: Question, _ key: Key) -> String {
        if case .ptr(let target) = key.data { return "\(target) on \(key.link)" }
        return "\(question.name) \(key.data.type) on \(key.link)"
    }

    // MARK: Queries

    /// A host asks, or another one in its place: a query that it receives is as good as its own
    /// (RFC 6762 §7.3).
    mutating func asked(
        _ questions: [Question], by host: HostID, on link: LinkID, at now: Instant
    ) {
        guard !hosts[host.rawValue].subscriptions.isEmpty else { return }
        for question in questions {
            var question = question
            question.prefersUnicast = false
            for subscription in hosts[host.rawValue].subscriptions
            where subscription.question == question {
                noteRefreshes(of: subscription, on: link, at: now)
            }
            let key = AskedKey(link: link, question: question)
            hosts[host.rawValue].asked[key, default: []].append(now)
            let count = hosts[host.rawValue].asked[key]?.count ?? 0
            if count > Self.keptTimes * 2 {
                hosts[host.rawValue].asked[key]?.removeFirst(Self.keptTimes)
            }
        }
    }

    /// How often a question was asked since.
    func queryCount(
        _ question: Question, by host: HostID, on link: LinkID, since: Instant
    ) -> Int {
        let times = hosts[host.rawValue].asked[AskedKey(link: link, question: question)] ?? []
        return Set(times.filter { $0 >= since }).count
    }

    private mutating func noteRefreshes(
        of subscription: Subscription, on link: LinkID, at now: Instant
    ) {
        guard subscription.entries.count <= 16 else { return }
        let kinds: [Situations.Kind] = [
            .firstRefresh, .secondRefresh, .thirdRefresh, .fourthRefresh,
        ]
        for (key, entry) in subscription.entries where key.link == link && !entry.isEnding {
            guard let received = entry.received, entry.lifetime > .zero else { continue }
            for (percent, kind) in zip(Self.refreshes, kinds) {
                let start = received.advanced(by: entry.lifetime * percent / 100)
                let end = received.advanced(
                    by: entry.lifetime * (percent + Self.refreshJitter) / 100)
                if start <= now, now <= end { situations.note(kind) }
            }
        }
    }

    // MARK: Interest

    /// Whether any subscription is concerned by a message.
    func concerns(_ message: Message) -> Bool {
        guard !wanted.isEmpty else { return false }
        if message.header.isResponse {
            return message.answers.contains { wanted[$0.name] != nil }
                || message.additionals.contains { wanted[$0.name] != nil }
        }
        return message.questions.contains { wanted[$0.name] != nil }
    }
}
