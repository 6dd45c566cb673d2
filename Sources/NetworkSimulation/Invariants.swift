package import DNSMessages
package import MulticastDNS
package import NetworkPrimitives

/// What must hold at every step of a run, whoever takes part, and where it did not.
package struct Invariants: Sendable {
    /// One breach.
    package struct Violation: Hashable, Sendable, CustomStringConvertible {
        package let time: Instant
        package let host: HostID
        package let what: String

        package var description: String {
            "\(time.nanoseconds / 1_000_000) ms \(host): \(what)"
        }
    }

    /// One record on one link in one family: what the rate limit counts.
    private struct RateKey: Hashable {
        let link: LinkID
        let family: AddressFamily
        let name: DomainName
        let data: RecordData
        let isGoodbye: Bool
    }

    /// An answer reported to a query as present.
    private struct Reported: Hashable {
        let query: QueryID
        let interface: InterfaceIndex
        let name: DomainName
        let data: RecordData
    }

    private struct LinkName: Hashable {
        let link: LinkID
        let name: DomainName
    }

    /// When a record was last multicast, and the time before.
    struct MulticastTimes: Sendable {
        var last: Instant
        var previous: Instant?
    }

    /// What is known of one host since its last start.
    private struct HostRecord: Sendable {
        // For look-up and counting only.
        var multicasts: [RateKey: MulticastTimes] = [:]
        /// Since when all of them are kept.
        var multicastsKeptSince = Instant.zero
        var reported: Set<Reported> = []
        var stopped: Set<QueryID> = []
    }

    /// Breaches beyond these are counted only.
    private static let keptViolations = 100
    /// Old times are thrown away when so many are kept of one host.
    private static let keptTimes = 8_192
    /// Those that are as old as this.
    private static let keptTime: Duration = .seconds(10)
    /// A clock's grain: gaps may be shorter by this.
    static let grain: Duration = .milliseconds(1)

    package private(set) var violations: [Violation] = []
    package private(set) var violationCount = 0
    private var hosts: [HostRecord] = []
    /// When a name was last probed for on a link, for look-up only.
    private var probes: [LinkName: Instant] = [:]
    private var knownAnswers = KnownAnswerWatch()
    var claims = ClaimWatch()
    var caches = CacheWatch()
    var answers = AnswerWatch()
    private var ownSituations = Situations()

    package init() {}

    /// What the run came to so far.
    package var situations: Situations {
        var sum = ownSituations
        for part in [
            claims.situations, caches.situations, answers.situations,
            knownAnswers.situations,
        ] {
            sum.add(part)
        }
        return sum
    }

    mutating func note(_ kind: Situations.Kind) { ownSituations.note(kind) }

    package mutating func addHost() {
        hosts.append(HostRecord())
        knownAnswers.addHost()
        claims.addHost()
        caches.addHost()
    }

    /// The host's user did something, so it may speak unasked.
    mutating func touched(_ host: HostID, at now: Instant) {
        knownAnswers.release(host, at: now)
        claims.touched(host, at: now)
    }

    /// The host starts or crashes: nothing is left of what its stack had.
    mutating func forget(_ host: HostID, at now: Instant) {
        hosts[host.rawValue] = HostRecord()
        claims.forget(host)
        caches.forget(host, at: now)
        answers.forget(host)
    }

    mutating func report(_ breaches: [Breach], at now: Instant) {
        for breach in breaches { report(breach.what, by: breach.host, at: now) }
    }

    package mutating func report(_ what: String, by host: HostID, at now: Instant) {
        violationCount += 1
        guard violations.count < Self.keptViolations else { return }
        violations.append(Violation(time: now, host: host, what: what))
    }

    /// Nothing that is due is left behind by `advance(to:)`, so that no driver spins.
    package mutating func advanced(_ host: HostID, deadline: Instant?, at now: Instant) {
        guard let deadline, deadline <= now else { return }
        report("the deadline did not move on", by: host, at: now)
    }

    // MARK: Datagrams

    /// Looks at a datagram that a host's stack sends. What it says is returned, if it can be read.
    @discardableResult
    package mutating func sent(
        _ datagram: Datagram, _ result: DecodingResult? = nil, by host: HostID, on link: LinkID,
        mtu: Int = 1500, at now: Instant
    ) -> Message? {
        let result = result ?? DecodingResult(datagram.payload.span)
        guard case .success(let decoded) = result, decoded.skipped.isEmpty,
            decoded.trailingByteCount == 0
        else {
            report("a datagram that can't be read back", by: host, at: now)
            return nil
        }
        let message = decoded.message
        checkSize(of: datagram, message, by: host, mtu: mtu, at: now)
        let observed = ObservedMessage(message, datagram, by: host, on: link)
        report(claims.sent(observed, at: now), at: now)
        if message.header.isResponse {
            let needless = knownAnswers.sentResponse(message, datagram, by: host, on: link, at: now)
            for record in needless {
                report("\(record.name) \(record.type) was a known answer", by: host, at: now)
            }
            if datagram.destination.address.isMulticast {
                checkRate(of: message, datagram, by: host, on: link, at: now)
                for record in message.answers + message.additionals where record.type == .ptr {
                    answers.noteMulticast(
                        record, by: host, on: link, datagram.family, at: now)
                    if record.cacheFlush, record.name.isServiceEnumeration {
                        report("\(record.name) PTR flushes others'", by: host, at: now)
                    }
                }
            } else {
                checkReply(observed, at: now)
            }
        } else {
            answers.asked(observed, claims: claims, at: now)
            if message.authorities.isEmpty {
                caches.asked(message.questions, by: host, on: link, at: now)
            }
            knownAnswers.processQuery(message, datagram, by: host, on: link, at: now)
            for question in message.questions where !message.authorities.isEmpty {
                probes[LinkName(link: link, name: question.name)] = now
            }
        }
        return message
    }

    /// Looks at a datagram that no stack sent, but a script or a reflector.
    mutating func processForeign(
        _ datagram: Datagram, by host: HostID, on link: LinkID, at now: Instant
    ) {
        guard datagram.payload.count > 2, datagram.payload[2] & 0x80 == 0,
            let message = try? Message.decode(datagram.payload.span).message
        else {
            // Whoever receives a foreign record may have to say something about them.
            knownAnswers.disturb(link, at: now)
            return
        }
        knownAnswers.processQuery(
            message, datagram, by: host, on: link, isScripted: true, at: now)
        answers.asked(
            ObservedMessage(message, datagram, by: host, on: link), claims: claims, at: now)
        for question in message.questions where !message.authorities.isEmpty {
            probes[LinkName(link: link, name: question.name)] = now
        }
    }

    /// A reply by unicast.
    private mutating func checkReply(_ observed: ObservedMessage, at now: Instant) {
        let state = hosts[observed.sender.rawValue]
        let breaches = answers.replied(observed, at: now) { record in
            let key = RateKey(
                link: observed.link, family: observed.family, name: record.name,
                data: record.data, isGoodbye: false)
            let quarter = now.advanced(by: .zero - record.timeToLive.duration / 4)
            guard let last = state.multicasts[key]?.last else {
                return state.multicastsKeptSince > quarter
            }
            return last >= quarter.advanced(by: .zero - Self.grain)
        }
        report(breaches, at: now)
    }

    /// When a host last multicast a record, or took it back.
    func multicasts(
        of data: RecordData, named name: DomainName, isGoodbye: Bool = false, by host: HostID,
        on link: LinkID, _ family: AddressFamily
    ) -> MulticastTimes? {
        let key = RateKey(
            link: link, family: family, name: name, data: data, isGoodbye: isGoodbye)
        return hosts[host.rawValue].multicasts[key]
    }

    /// Looks at a query that is no probe.
    ///
    /// - Parameters:
    ///   - expected: how many records of its cache the host has to list as known.
    ///   - unwanted: what it asks though nobody wants to know.
    package mutating func asked(
        _ message: Message, _ datagram: Datagram, by host: HostID, on link: LinkID,
        expected: Int, unwanted: [Question] = [], at now: Instant
    ) {
        let breach = knownAnswers.sentQuery(
            message, datagram.family, by: host, on: link, expected: expected)
        if let breach { report(breach, by: host, at: now) }
        for question in unwanted {
            report(
                "asks for \(question.name) \(question.type), which nobody wants", by: host,
                at: now)
        }
    }

    /// What a link of a host holds stays within the limits.
    package mutating func loaded(
        _ load: LinkLoad, within limits: Limits, of host: HostID, at now: Instant
    ) {
        // Timers that count no longer are thrown away in time.
        let timers = 4 * (64 + load.cachedRecords + load.publications + load.questions)
        func check(_ count: Int, _ limit: Int, _ what: StaticString) {
            if count > limit { report("\(count) \(what), more than \(limit)", by: host, at: now) }
        }
        check(load.cachedRecords, limits.cachedRecords, "cached records")
        check(load.waitingReplies, limits.waitingUnicastReplies, "waiting replies")
        check(load.truncatedQueriers, limits.truncatedQueriers, "queriers with more to say")
        check(load.timers, timers, "timers")
    }

    /// RFC 6762 §17: within the MTU, but for one record that is larger by itself.
    private mutating func checkSize(
        of datagram: Datagram, _ message: Message, by host: HostID, mtu: Int, at now: Instant
    ) {
        let headers = datagram.family == .ipv4 ? 28 : 48
        let size = datagram.payload.count + headers
        let records =
            message.answers.count + message.authorities.count + message.additionals.count
        if size > 9_000 || (size > mtu && records > 1) {
            report("a datagram of \(size) bytes with \(records) records", by: host, at: now)
        }
    }

    /// RFC 6762 §6: a record at most once a second, 250 ms after a probe for its name.
    private mutating func checkRate(
        of message: Message, _ datagram: Datagram, by host: HostID, on link: LinkID,
        at now: Instant
    ) {
        let number = host.rawValue
        for record in message.answers + message.additionals where record.type != .nsec {
            let key = RateKey(
                link: link, family: datagram.family, name: record.name, data: record.data,
                isGoodbye: record.timeToLive == .goodbye)
            let last = hosts[number].multicasts[key]?.last
            if let last, !takesBackAnew(record, key, since: last, by: host) {
                let interval = last.duration(to: now) + Self.grain
                let probe = probes[LinkName(link: link, name: record.name)]
                let isDefence = probe.map { $0.duration(to: now) <= .seconds(1) } ?? false
                if interval < (isDefence ? Timing.defenceInterval : Timing.multicastInterval) {
                    report(
                        "\(record.name) \(record.type) after only \(interval)", by: host, at: now)
                }
            }
            hosts[number].multicasts[key] = MulticastTimes(last: now, previous: last)
        }
        if hosts[number].multicasts.count > Self.keptTimes {
            hosts[number].multicastsKeptSince = now.advanced(by: .zero - Self.keptTime)
            hosts[number].multicasts = hosts[number].multicasts.filter {
                $0.value.last.duration(to: now) < Self.keptTime
            }
        }
    }

    /// Whether a goodbye is for what was multicast since the last one: then it can't wait.
    private func takesBackAnew(
        _ record: ResourceRecord, _ key: RateKey, since last: Instant, by host: HostID
    ) -> Bool {
        guard record.timeToLive == .goodbye else { return false }
        let announced = multicasts(
            of: record.data, named: record.name, by: host, on: key.link, key.family)
        return announced.map { $0.last > last } ?? false
    }

    // MARK: Events

    /// From here on nothing may be said to that query.
    package mutating func silenced(_ query: QueryID, of host: HostID) {
        hosts[host.rawValue].stopped.insert(query)
        hosts[host.rawValue].reported = hosts[host.rawValue].reported.filter { $0.query != query }
    }

    package mutating func process(_ event: HostEvent, by host: HostID, at now: Instant) {
        if event.isAboutOwnRecords { touched(host, at: now) }
        guard case .engine(.answer(let query, let change)) = event else { return }
        let number = host.rawValue
        if hosts[number].stopped.contains(query) {
            report("event for a query that was stopped", by: host, at: now)
        }
        switch change {
        case .added(let record, let interface):
            let answer = Reported(
                query: query, interface: interface, name: record.name, data: record.data)
            if !hosts[number].reported.insert(answer).inserted {
                report("\(record.name) \(record.type) added twice", by: host, at: now)
            }
        case .removed(let record, let interface):
            let answer = Reported(
                query: query, interface: interface, name: record.name, data: record.data)
            if hosts[number].reported.remove(answer) == nil {
                report("\(record.name) \(record.type) removed twice", by: host, at: now)
            }
        case .absent, .incomplete: break
        }
    }

    /// The answers that a query of a host has now, sorted.
    package func answers(to query: QueryID, of host: HostID) -> [ResourceRecord] {
        hosts[host.rawValue].reported.filter { $0.query == query }
            .map { ResourceRecord($0.name, $0.data, timeToLive: .seconds(0)) }
            .sorted { ($0.name, "\($0.data)") < ($1.name, "\($1.data)") }
    }
}
