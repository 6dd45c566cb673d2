import DNSMessages
import DNSSD
import NetworkPrimitives

// What the datagrams that reach a host do to what it lists, and what its events say of that.

extension CacheWatch {
    /// A host received a message that may concern it.
    mutating func received(_ observed: ObservedMessage, by host: HostID, at now: Instant) {
        guard !hosts[host.rawValue].subscriptions.isEmpty else { return }
        if observed.message.header.isResponse {
            guard observed.source.port == 5353 else { return }
            process(observed, by: host, at: now)
        } else if observed.sender != host, !observed.message.questions.isEmpty {
            processQuery(observed, by: host, at: now)
        }
    }

    private static let watchedSize = 48

    // MARK: Responses

    private mutating func process(
        _ observed: ObservedMessage, by host: HostID, at now: Instant
    ) {
        let answerCount = observed.message.answers.count
        let records = observed.message.answers + observed.message.additionals
        for place in hosts[host.rawValue].subscriptions.indices {
            let question = hosts[host.rawValue].subscriptions[place].question
            for (index, record) in records.enumerated() where question.matches(record) {
                let key = Key(link: observed.link, data: record.data)
                if record.timeToLive == .goodbye {
                    processGoodbye(key, at: place, of: host, now)
                } else {
                    // A reply by unicast counts as an answer, and with it what goes along; alone
                    // the latter may not.
                    let isCertain = observed.isMulticast || index < answerCount
                    process(record, key, at: place, of: host, isCertain: isCertain, observed, now)
                }
            }
            // What goes along in a reply by unicast may not count.
            flush(
                observed.isMulticast ? records : observed.message.answers, at: place, of: host,
                observed, now)
        }
    }

    private mutating func process(
        _ record: ResourceRecord, _ key: Key, at place: Int, of host: HostID, isCertain: Bool,
        _ observed: ObservedMessage, _ now: Instant
    ) {
        let operation = hosts[host.rawValue].subscriptions[place].operation
        let end = now.advanced(by: record.timeToLive.duration)
        var entry =
            hosts[host.rawValue].subscriptions[place].entries[key]
            ?? Entry(earliest: end, latest: end)
        if let goodbye = entry.goodbye, goodbye.duration(to: now) <= Self.grace, entry.isListed,
            isCertain
        {
            situations.note(.rescue)
        }
        if isCertain {
            entry.received = now
            entry.lifetime = record.timeToLive.duration
            entry.earliest = end
            entry.latest = end
            entry.isEnding = false
            entry.goodbye = nil
            entry.possibleFailures = PerFamily(0)
            entry.failures = PerFamily(0)
            hosts[host.rawValue].received.append((operation, key))
        } else {
            entry.earliest = .zero
            entry.latest = max(entry.latest, end)
            entry.isEnding = true
        }
        entry.families[observed.family] = true
        hosts[host.rawValue].subscriptions[place].entries[key] = entry
        change(key, at: place, of: host) { _ in }
    }

    /// RFC 6762 §10.1: gone in a second. Whoever has just multicast it may do so again a second
    /// later, and that is awaited.
    private mutating func processGoodbye(
        _ key: Key, at place: Int, of host: HostID, _ now: Instant
    ) {
        change(key, at: place, of: host) { entry in
            let last = entry.received.map { $0.advanced(by: Self.grace) } ?? .zero
            entry.earliest = min(entry.earliest, now.advanced(by: Self.grace))
            entry.latest = min(entry.latest, max(now, last).advanced(by: Self.grace))
            entry.isEnding = true
            entry.goodbye = entry.goodbye ?? now
        }
    }

    /// RFC 6762 §10.2: the other members of a unique set are gone in a second if they were
    /// received more than a second ago.
    private mutating func flush(
        _ records: [ResourceRecord], at place: Int, of host: HostID, _ observed: ObservedMessage,
        _ now: Instant
    ) {
        let question = hosts[host.rawValue].subscriptions[place].question
        for record in records
        where record.cacheFlush && record.timeToLive > .goodbye && question.matches(record)
            && !(record.type == .ptr && record.name.isServiceEnumeration)
        {
            for (key, entry) in hosts[host.rawValue].subscriptions[place].entries {
                guard key.link == observed.link, key.data.type == record.type,
                    entry.received.map({ $0.duration(to: now) > Self.grace }) ?? true
                else { continue }
                situations.note(.cacheFlush)
                let end = now.advanced(by: Self.grace)
                change(key, at: place, of: host) { entry in
                    entry.earliest = min(entry.earliest, end)
                    // Of what was there before it is not known when it was received.
                    if entry.received != nil { entry.latest = min(entry.latest, end) }
                    entry.isEnding = true
                }
            }
        }
    }

    // MARK: Others' queries

    /// RFC 6762 §10.5: after two queries of others that nobody answers a record goes in ten
    /// seconds.
    private mutating func processQuery(
        _ observed: ObservedMessage, by host: HostID, at now: Instant
    ) {
        let message = observed.message
        let isPlain = observed.isMulticast && !observed.isLegacy && !message.header.isTruncated
        let family = observed.family
        for place in hosts[host.rawValue].subscriptions.indices {
            let wanted = hosts[host.rawValue].subscriptions[place].question
            // Large sets need not be watched: the RFC leaves all of this to the host.
            if hosts[host.rawValue].subscriptions[place].entries.count > Self.watchedSize {
                hosts[host.rawValue].subscriptions[place].isLarge = true
                continue
            }
            for question in message.questions where question.name == wanted.name {
                for key in Array(hosts[host.rawValue].subscriptions[place].entries.keys)
                where key.link == observed.link
                    && question.matches(type: key.data.type, recordClass: .internet)
                    && !message.answers.contains(where: {
                        $0.data == key.data && $0.name == question.name
                    })
                {
                    var isLost = false
                    change(key, at: place, of: host) { entry in
                        isLost = entry.goesUnanswered(
                            over: family, isPlain: isPlain && !question.prefersUnicast, now)
                    }
                    if isLost { situations.note(.passiveFailure) }
                }
            }
        }
        if isPlain {
            let plain = message.questions.filter { !$0.prefersUnicast }
            let own = plain.filter { question in
                hosts[host.rawValue].subscriptions.contains { $0.question == question }
            }
            if !own.isEmpty { asked(own, by: host, on: observed.link, at: now) }
        }
    }

    // MARK: Events

    /// A subscription lists a record now.
    mutating func added(
        _ data: RecordData, to operation: OperationID, of host: HostID, on link: LinkID,
        at now: Instant
    ) {
        guard let place = place(operation, of: host) else { return }
        let key = Key(link: link, data: data)
        if hosts[host.rawValue].subscriptions[place].entries[key] == nil {
            // It was cached before the subscription was there.
            hosts[host.rawValue].subscriptions[place].entries[key] = Entry(
                earliest: .zero, latest: now.advanced(by: Self.longestLifetime),
                families: Self.both)
        }
        change(key, at: place, of: host) { $0.isListed = true }
    }

    private static var both: PerFamily<Bool> { PerFamily(true) }

    /// A subscription lists a record no longer.
    mutating func removed(
        _ data: RecordData, from operation: OperationID, of host: HostID, on link: LinkID,
        at now: Instant
    ) -> [Breach] {
        guard let place = place(operation, of: host) else { return [] }
        let key = Key(link: link, data: data)
        let subscription = hosts[host.rawValue].subscriptions[place]
        guard
            let entry = hosts[host.rawValue].subscriptions[place].entries.removeValue(forKey: key)
        else { return [] }
        let text = Self.text(subscription.question, key)
        if !subscription.isLarge, now < entry.earliest.advanced(by: .zero - Invariants.grain) {
            let early = now.duration(to: entry.earliest)
            return [Breach(host: host, what: "removes \(text) \(early) too early")]
        }
        guard let received = entry.received, !entry.isEnding,
            now >= entry.latest.advanced(by: .zero - Invariants.grain),
            hosts[host.rawValue].undisturbed <= received, entry.lifetime >= .seconds(20)
        else { return [] }
        let asked = AskedKey(link: link, question: subscription.question)
        let times = hosts[host.rawValue].asked[asked] ?? []
        let count = Self.refreshes.count { percent in
            let start = received.advanced(by: entry.lifetime * percent / 100 - Self.queryInterval)
            let end = received.advanced(
                by: entry.lifetime * (percent + Self.refreshJitter) / 100 + Self.queryInterval)
            return times.contains { start <= $0 && $0 <= end }
        }
        guard count < Self.refreshes.count else { return [] }
        return [
            Breach(host: host, what: "lets \(text) end, asked for \(count) of 4 times in its life")
        ]
    }

    /// What a host does not list although the datagram that it has just processed has it.
    mutating func settle(_ host: HostID, at now: Instant) -> [Breach] {
        guard !hosts[host.rawValue].received.isEmpty else { return [] }
        let received = hosts[host.rawValue].received
        hosts[host.rawValue].received = []
        return received.compactMap { operation, key in
            guard let place = place(operation, of: host),
                let entry = hosts[host.rawValue].subscriptions[place].entries[key],
                !entry.isListed
            else { return nil }
            let question = hosts[host.rawValue].subscriptions[place].question
            hosts[host.rawValue].subscriptions[place].entries[key] = nil
            return Breach(
                host: host, what: "does not list \(Self.text(question, key)), just received")
        }
    }
}

extension CacheWatch.Entry {
    /// Somebody else asks for it and does not know it. True if it is to go for that.
    fileprivate mutating func goesUnanswered(
        over family: AddressFamily, isPlain: Bool, _ now: Instant
    ) -> Bool {
        let end = now.advanced(by: CacheWatch.timeout)
        possibleFailures[family] += 1
        if possibleFailures[family] >= 2 { earliest = min(earliest, end) }
        // Its owner need not repeat what it has just multicast.
        guard isPlain, let received, received.duration(to: now) > CacheWatch.grace else {
            return false
        }
        failures[family] += 1
        let isOver = [AddressFamily.ipv4, .ipv6].allSatisfy {
            !families[$0] || failures[$0] >= 2
        }
        guard isOver, !isEnding else { return false }
        latest = min(latest, end)
        isEnding = true
        return true
    }
}
