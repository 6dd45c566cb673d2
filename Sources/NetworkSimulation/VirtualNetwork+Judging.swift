import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

// What others may rely on, held against what hosts do: on arrival of a datagram, at an event, and
// a moment after a change.

extension VirtualNetwork {
    /// Two announcements a second apart, each of which may be put off by another multicast of the
    /// same record (RFC 6762 §6, §8.3); an answer to a query takes no longer.
    static let announcingTime: Duration = .milliseconds(3_500)
    /// The first query leaves after 120 ms at most, or a second after the last (RFC 6762 §5.2).
    static let firstQueryTime: Duration = .milliseconds(1_300)
    /// The second leaves a second later.
    private static let secondQueryTime: Duration = .milliseconds(2_600)
    /// So many updates in a row may be announced at once, further ones wait (RFC 6762 §8.4).
    private static let updateBurst = 3
    private static let updatePeriod: Duration = .seconds(60)

    // MARK: Datagrams

    /// Which watches look at the arrival of a datagram.
    func concern(
        of datagram: Datagram, _ decoded: DecodingResult, _ sender: HostID, _ link: LinkID
    ) -> Concern {
        guard links[link.rawValue].isPlain, case .success(let decoded) = decoded else { return [] }
        var concern: Concern = []
        let observed = ObservedMessage(decoded.message, datagram, by: sender, on: link)
        if invariants.claims.concerns(observed) { concern.insert(.claims) }
        if invariants.caches.concerns(decoded.message) { concern.insert(.caches) }
        return concern
    }

    /// Looks at a datagram that is about to be processed by a host's stack.
    mutating func judge(
        _ observed: ObservedMessage, _ concern: Concern, receivedBy host: HostID
    ) {
        guard links[observed.link.rawValue].isPlain else { return }
        if concern.contains(.claims) { invariants.claims.received(observed, by: host, at: now) }
        if concern.contains(.caches) { invariants.caches.received(observed, by: host, at: now) }
    }

    /// Looks at what should have happened by now.
    mutating func judgeTime() {
        for (breach, time) in invariants.caches.advance(to: now)
        where hosts[breach.host.rawValue].attachments.allSatisfy({
            links[$0.link.rawValue].isPlain
        }) {
            invariants.report(breach.what, by: breach.host, at: time)
        }
        while let expected = invariants.answers.due(at: now) { judge(expected) }
    }

    /// A record that was asked for was multicast, unless it could not be or is there no longer.
    private mutating func judge(_ expected: AnswerWatch.Expected) {
        let holder = hosts[expected.holder.rawValue]
        let earliest = expected.time.advanced(by: .seconds(-1) - Invariants.grain)
        let link = links[expected.link.rawValue]
        guard link.isPlain, isPresent(expected.holder, on: expected.link),
            holder.lastTopologyChange < earliest,
            group(of: expected.holder, on: expected.link)
                == group(of: expected.asker, on: expected.link),
            holder.families(on: expected.link).contains(expected.family),
            link.disturbed < earliest, stillHas(expected, since: earliest)
        else { return }
        let since = expected.reason == .query ? earliest : expected.time
        let isMulticast = link.hosts.contains { host in
            let last = invariants.multicasts(
                of: expected.data, named: expected.name, by: host, on: expected.link,
                expected.family
            )?.last
            return last.map { $0 >= since } ?? false
        }
        guard !isMulticast else { return }
        var what = "\(expected.name) \(expected.data.type) on \(link.id)"
        if case .ptr(let target) = expected.data { what = "\(target) of \(what)" }
        invariants.report(
            expected.text(what), by: expected.holder, at: expected.time)
    }

    private func stillHas(_ expected: AnswerWatch.Expected, since: Instant) -> Bool {
        let goodbye = invariants.multicasts(
            of: expected.data, named: expected.name, isGoodbye: true, by: expected.holder,
            on: expected.link, expected.family)
        guard goodbye.map({ $0.last < since }) ?? true else { return false }
        if case .ptr(let target) = expected.data {
            guard !expected.name.isReverseMapping else { return false }
            // The list of types has no claim of its own.
            let claim = invariants.claims.claim(
                of: target, by: expected.holder, on: expected.link)
            return claim.map { $0.isHeld[expected.family] && $0.lastReset < since } ?? false
        }
        guard
            let claim = invariants.claims.claim(
                of: expected.name, by: expected.holder, on: expected.link)
        else { return false }
        return claim.isHeld[expected.family] && claim.lastReset < since
            && claim.data(of: expected.data.type).contains(expected.data)
    }

    // MARK: Events

    /// Notes what a host's stack reports of its names and of what it lists.
    mutating func noteEvent(_ event: HostEvent, by host: HostID) {
        switch event {
        case .operation(let id, .browse(let change)): noteBrowse(change, of: id, by: host)
        case .operation(let id, .records(.added(let record, let interface))):
            invariants.caches.added(
                record.data, to: id, of: host, on: AddressPlan.link(of: interface), at: now)
        case .operation(let id, .records(.removed(let record, let interface))):
            let breaches = invariants.caches.removed(
                record.data, from: id, of: host, on: AddressPlan.link(of: interface), at: now)
            reportIfPlain(breaches, on: AddressPlan.link(of: interface))
        case .operation(let id, .registration(let status)):
            noteRegistration(status, of: id, by: host)
        case .hostName(let status): noteHostName(status, of: host)
        case .engine(.publication(_, .conflicted(let name))):
            invariants.claims.gaveUp(name, by: host, at: now)
        case .engine, .operation: break
        }
    }

    private mutating func noteBrowse(
        _ change: BrowseEvent, of id: OperationID, by host: HostID
    ) {
        guard let instance = change.instance else { return }
        let link = AddressPlan.link(of: instance.interface)
        let data = RecordData.ptr(instance.name.domainName)
        switch change {
        case .added: invariants.caches.added(data, to: id, of: host, on: link, at: now)
        case .removed:
            reportIfPlain(
                invariants.caches.removed(data, from: id, of: host, on: link, at: now), on: link)
        case .changed, .incomplete: break
        }
    }

    private mutating func reportIfPlain(_ breaches: [Breach], on link: LinkID) {
        guard links[link.rawValue].isPlain else { return }
        invariants.report(breaches, at: now)
    }

    private mutating func noteRegistration(
        _ status: RegistrationStatus, of id: OperationID, by host: HostID
    ) {
        switch status {
        case .probing(let name): invariants.claims.wants(name, by: host)
        case .established: plan(.announced(host, id, since: now), after: Self.announcingTime)
        case .renamed, .conflicted:
            guard let offer = groundTruth.offer(id, of: host) else { return }
            noteConflict(of: offer)
        case .hostRenamed, .failing, .limited, .blocked: break
        }
    }

    private mutating func noteHostName(_ status: HostNameStatus, of host: HostID) {
        switch status {
        case .probing(let name): invariants.claims.wants(name, by: host)
        case .established: plan(.announced(host, nil, since: now), after: Self.announcingTime)
        case .renamed:
            guard let offer = groundTruth.offer(nil, of: host) else { return }
            noteConflict(of: offer)
        case .failing: break
        }
    }

    /// Its name is another host's.
    private mutating func noteConflict(of offer: GroundTruth.Offer) {
        invariants.note(.conflictLost)
        if offer.renames > 0 { invariants.note(.renamedTwice) }
        noteEnd(of: offer)
    }

    /// An offer has ended, or has another name now.
    mutating func noteEnd(of offer: GroundTruth.Offer) {
        guard let name = offer.name, hosts[offer.host.rawValue].state == .running else { return }
        invariants.claims.gaveUp(name, by: offer.host, at: now)
        let up = hosts[offer.host.rawValue].attachments.filter { $0.isUp }.map { $0.link }
        var listers: [Lister] = []
        for browse in groundTruth.browses where offer.types.contains(browse.type) {
            for link in up
            where browse.found.contains(.init(name: name, interface: AddressPlan.index(of: link))) {
                listers.append(
                    Lister(host: browse.host, operation: browse.operation, link: link))
            }
        }
        let farewell = Farewell(
            name: name, types: offer.types, host: offer.host, links: up, listers: listers,
            time: now)
        // The goodbyes leave in the same call; its events may come first.
        plan(.goodbyes(farewell), after: .milliseconds(1))
        guard offer.isEstablished else { return }
        invariants.note(.goodbye)
        plan(.withdrawn(farewell), after: Self.announcingTime)
    }

    // MARK: A moment later

    /// Has looked at whether what a host wants, or one of its browses, is asked for anew.
    mutating func planQueries(
        of host: HostID, operation: OperationID? = nil, on link: LinkID? = nil
    ) {
        for (count, time) in [(1, Self.firstQueryTime), (2, Self.secondQueryTime)] {
            let series = QuerySeries(
                host: host, operation: operation, link: link, since: now, count: count)
            plan(.queries(series), after: time)
        }
    }

    /// RFC 6762 §5.2, §5.4: the series of queries begins, for every set that others may add to.
    mutating func checkQueries(_ series: QuerySeries) {
        let host = hosts[series.host.rawValue]
        guard host.state == .running, host.lastTopologyChange <= series.since else { return }
        for attachment in host.attachments
        where attachment.isUp && (series.link == nil || series.link == attachment.link) {
            for browse in groundTruth.browses
            where browse.host == host.id && browse.since <= series.since
                && (series.operation == nil || browse.operation == series.operation)
            {
                let asked = invariants.caches.queryCount(
                    Question(browse.type, .ptr), by: host.id, on: attachment.link,
                    since: series.since)
                guard asked < series.count else { continue }
                invariants.report(
                    "asked for \(browse.type) on \(attachment.link) \(asked) times in "
                        + "\(series.since.duration(to: now))", by: host.id, at: now)
            }
        }
    }

    /// RFC 6762 §10.1: goodbyes leave by every link and family by which the record was announced.
    mutating func checkGoodbyes(_ farewell: Farewell) {
        let host = hosts[farewell.host.rawValue]
        for attachment in host.attachments where attachment.isUp {
            let link = attachment.link
            for family in host.families(on: link) {
                for type in farewell.types {
                    let announced = invariants.multicasts(
                        of: .ptr(farewell.name), named: type, by: host.id, on: link, family)
                    let goodbye = invariants.multicasts(
                        of: .ptr(farewell.name), named: type, isGoodbye: true, by: host.id,
                        on: link, family)
                    guard let announced, announced.last >= host.linkChanges[link] ?? .zero,
                        announced.last <= farewell.time,
                        goodbye.map({ $0.last < announced.last }) ?? true
                    else { continue }
                    invariants.report(
                        "no goodbye for \(farewell.name) on \(link) by \(family)", by: host.id,
                        at: now)
                }
            }
        }
    }

    /// RFC 6762 §8.3: everything is announced twice, a second apart, by every link and family.
    mutating func checkAnnouncements(of operation: OperationID?, by host: HostID, since: Instant) {
        guard let offer = groundTruth.offer(operation, of: host), offer.isEstablished,
            offer.nameSince <= since, let name = offer.name,
            hosts[host.rawValue].state == .running,
            hosts[host.rawValue].lastTopologyChange <= since
        else { return }
        for attachment in hosts[host.rawValue].attachments where attachment.isUp {
            let link = attachment.link
            guard let claim = invariants.claims.claim(of: name, by: host, on: link),
                claim.lastReset <= since
            else { continue }
            let start = max(
                offer.nameSince, hosts[host.rawValue].linkChanges[link] ?? .zero, claim.lastReset)
            var records = offer.types.map { (name: $0, data: RecordData.ptr(name)) }
            for set in claim.sets where offer.updates.last.map({ $0 < start }) ?? true {
                records += set.data.map { (name, $0) }
            }
            for record in records {
                checkAnnouncement(of: record.data, named: record.name, by: host, on: link, start)
            }
        }
    }

    /// RFC 6762 §8.4: so is an update.
    mutating func checkUpdate(of operation: OperationID, by host: HostID, since: Instant) {
        guard let offer = groundTruth.offer(operation, of: host), offer.isEstablished,
            let name = offer.name, let text = offer.text, offer.updates.last == since,
            offer.nameSince < since, hosts[host.rawValue].state == .running,
            hosts[host.rawValue].lastTopologyChange <= since,
            offer.updates.count(where: { $0.duration(to: since) < Self.updatePeriod })
                <= Self.updateBurst
        else { return }
        for attachment in hosts[host.rawValue].attachments where attachment.isUp {
            guard let claim = invariants.claims.claim(of: name, by: host, on: attachment.link),
                claim.isHeldByAny, claim.lastReset < since
            else { continue }
            checkAnnouncement(of: .txt(text), named: name, by: host, on: attachment.link, since)
        }
    }

    private mutating func checkAnnouncement(
        of data: RecordData, named name: DomainName, by host: HostID, on link: LinkID,
        _ start: Instant
    ) {
        for family in hosts[host.rawValue].families(on: link) {
            let times = invariants.multicasts(of: data, named: name, by: host, on: link, family)
            let earliest = start.advanced(by: .zero - Invariants.grain)
            if let previous = times?.previous, previous >= earliest { continue }
            let isOnce = times.map { $0.last >= earliest } ?? false
            invariants.report(
                "\(name) \(data.type) announced \(isOnce ? "once only" : "never") on \(link) by "
                    + "\(family)", by: host, at: now)
        }
    }
}
