package import DNSMessages
package import DNSSD
package import NetworkPrimitives

/// The truth about a run: what hosts offer and look for, and what was reported to them.
package struct GroundTruth: Sendable {
    /// A service, or a host's own name, that a host offers.
    package struct Offer: Sendable {
        package let host: HostID
        /// The registration; nil for the host's own name.
        package let operation: OperationID?
        /// The names that it can be found by: its type's and its subtypes'; none for a host's
        /// own name.
        package let types: [DomainName]
        package internal(set) var name: DomainName?
        package internal(set) var isEstablished = false
        /// Since when it wants this name.
        var nameSince = Instant.zero
        /// How often it was renamed.
        var renames = 0
        /// The attributes that it was last given, and when these changes were.
        var text: TextStrings?
        var updates: [Instant] = []
    }

    /// A running browse and the instances reported to it.
    package struct Browse: Sendable {
        package let host: HostID
        package let operation: OperationID
        /// The name that is browsed: a type's or a subtype's.
        package let type: DomainName
        package let since: Instant
        /// Sorted before it is walked.
        package internal(set) var found: Set<Found> = []
    }

    /// An instance on an interface.
    package struct Found: Hashable, Sendable, Comparable {
        package let name: DomainName
        package let interface: InterfaceIndex

        package static func < (left: Found, right: Found) -> Bool {
            (left.interface, left.name) < (right.interface, right.name)
        }
    }

    /// Who has a name as established.
    struct Holder: Sendable {
        let host: HostID
        let since: Instant
        let types: [DomainName]
    }

    package private(set) var offers: [Offer] = []
    package private(set) var browses: [Browse] = []
    /// Renames of all hosts so far.
    package private(set) var renames = 0
    /// Who has ever wanted a name; for look-up only.
    private var claims: [DomainName: Set<HostID>] = [:]
    /// Established names and their holders, in the order in which they came to; for look-up only.
    private var holders: [DomainName: [Holder]] = [:]
    /// When a name was last established, given up, or its holder came or went; for look-up only.
    private var lastChange: [DomainName: Instant] = [:]
    /// Names of which something changed, or was reported to a browse, since the last drain.
    private var unchecked: [DomainName] = []
    /// Types whose browse by a host has ended; for look-up only.
    private var stopped: [HostID: Set<DomainName>] = [:]

    // MARK: Bookkeeping

    mutating func offered(_ operation: OperationID, _ types: [DomainName], by host: HostID) {
        offers.append(Offer(host: host, operation: operation, types: types))
    }

    /// A service was given other attributes.
    mutating func updated(
        _ operation: OperationID, _ text: TextStrings, by host: HostID, at now: Instant
    ) {
        guard let index = offers.firstIndex(where: { $0.host == host && $0.operation == operation })
        else { return }
        offers[index].text = text
        offers[index].updates.append(now)
    }

    func offer(_ operation: OperationID?, of host: HostID) -> Offer? {
        offers.first { $0.host == host && $0.operation == operation }
    }

    mutating func withdrew(_ operation: OperationID, by host: HostID, at now: Instant) {
        for offer in offers where offer.host == host && offer.operation == operation {
            release(offer, at: now)
        }
        offers.removeAll { $0.host == host && $0.operation == operation }
    }

    mutating func browses(
        _ operation: OperationID, _ type: DomainName, by host: HostID, at now: Instant
    ) {
        browses.append(Browse(host: host, operation: operation, type: type, since: now))
        stopped[host]?.remove(type)
    }

    mutating func stopped(_ operation: OperationID, by host: HostID) {
        guard
            let index = browses.firstIndex(where: { $0.host == host && $0.operation == operation })
        else { return }
        let type = browses.remove(at: index).type
        if !browses.contains(where: { $0.host == host && $0.type == type }) {
            stopped[host, default: []].insert(type)
        }
    }

    /// A crash: nothing that the host offered or looked for is left.
    mutating func forget(_ host: HostID, at now: Instant) {
        for offer in offers where offer.host == host { release(offer, at: now) }
        offers.removeAll { $0.host == host }
        browses.removeAll { $0.host == host }
        stopped[host] = nil
    }

    /// Whether the host has browsed that type, and does so no longer.
    func hasStopped(_ type: DomainName, of host: HostID) -> Bool {
        stopped[host]?.contains(type) ?? false
    }

    // MARK: Who holds what

    func holders(of name: DomainName) -> [Holder] { holders[name] ?? [] }

    func lastChange(of name: DomainName) -> Instant { lastChange[name] ?? .zero }

    /// The names that are to be looked at, once each.
    mutating func drainUnchecked() -> [DomainName] {
        guard !unchecked.isEmpty else { return [] }
        defer { unchecked.removeAll(keepingCapacity: true) }
        return unchecked.count == 1 ? unchecked : Array(Set(unchecked)).sorted()
    }

    /// The host came or went: what it holds is to be seen, or no longer.
    mutating func noteTopologyChange(_ host: HostID, at now: Instant) {
        for offer in offers where offer.host == host && offer.isEstablished {
            if let name = offer.name { note(name, at: now) }
        }
    }

    private mutating func note(_ name: DomainName, at now: Instant) {
        lastChange[name] = now
        unchecked.append(name)
    }

    private mutating func hold(_ index: Int, at now: Instant) {
        guard let name = offers[index].name else { return }
        let holder = Holder(host: offers[index].host, since: now, types: offers[index].types)
        holders[name, default: []].append(holder)
        note(name, at: now)
    }

    private mutating func release(_ offer: Offer, at now: Instant) {
        guard offer.isEstablished, let name = offer.name else { return }
        holders[name]?.removeAll { $0.host == offer.host }
        if holders[name]?.isEmpty ?? false { holders[name] = nil }
        note(name, at: now)
    }

    /// Whether somebody else has ever wanted that name too.
    package func isContested(_ name: DomainName, by host: HostID) -> Bool {
        claims[name].map { $0.contains { $0 != host } } ?? false
    }

    // MARK: Events

    /// Processes an event of a host; returns what must not happen.
    mutating func process(_ event: HostEvent, by host: HostID, at now: Instant) -> [String] {
        switch event {
        case .engine: []
        case .hostName(let status): hostName(status, of: host, at: now)
        case .operation(let id, .registration(let status)):
            registration(status, of: id, by: host, at: now)
        case .operation(let id, .browse(let change)): browse(change, of: id, by: host)
        case .operation: []
        }
    }

    private mutating func hostName(
        _ status: HostNameStatus, of host: HostID, at now: Instant
    ) -> [String] {
        if !offers.contains(where: { $0.host == host && $0.operation == nil }) {
            offers.append(Offer(host: host, operation: nil, types: []))
        }
        guard let index = offers.firstIndex(where: { $0.host == host && $0.operation == nil })
        else { return [] }
        switch status {
        case .probing(let name): claim(name, established: false, index, at: now)
        case .established(let name): claim(name, established: true, index, at: now)
        case .renamed(let old, let new): return rename(old, new, index, at: now)
        case .failing: break
        }
        return []
    }

    private mutating func registration(
        _ status: RegistrationStatus, of id: OperationID, by host: HostID, at now: Instant
    ) -> [String] {
        guard let index = offers.firstIndex(where: { $0.host == host && $0.operation == id })
        else { return [] }
        switch status {
        case .probing(let name): claim(name, established: false, index, at: now)
        case .established(let name): claim(name, established: true, index, at: now)
        case .renamed(let old, let new): return rename(old, new, index, at: now)
        case .conflicted: release(offers.remove(at: index), at: now)
        case .hostRenamed, .failing, .limited, .blocked: break
        }
        return []
    }

    private mutating func claim(
        _ name: DomainName, established: Bool, _ index: Int, at now: Instant
    ) {
        release(offers[index], at: now)
        if offers[index].name != name { offers[index].nameSince = now }
        offers[index].name = name
        offers[index].isEstablished = established
        if established { hold(index, at: now) }
        claims[name, default: []].insert(offers[index].host)
    }

    private mutating func rename(
        _ old: DomainName, _ new: DomainName, _ index: Int, at now: Instant
    ) -> [String] {
        renames += 1
        offers[index].renames += 1
        let host = offers[index].host
        let isContested = isContested(old, by: host)
        claim(new, established: false, index, at: now)
        return isContested ? [] : ["renamed from \(old), which nobody else ever wanted"]
    }

    private mutating func browse(
        _ change: BrowseEvent, of id: OperationID, by host: HostID
    ) -> [String] {
        guard let index = browses.firstIndex(where: { $0.host == host && $0.operation == id })
        else { return ["event for a browse that was stopped"] }
        guard let instance = change.instance else { return [] }
        let found = Found(name: instance.name.domainName, interface: instance.interface)
        switch change {
        case .added:
            unchecked.append(found.name)
            return browses[index].found.insert(found).inserted ? [] : ["\(found.name) added twice"]
        case .removed:
            unchecked.append(found.name)
            return browses[index].found.remove(found) != nil ? [] : ["\(found.name) removed twice"]
        case .changed:
            return browses[index].found.contains(found) ? [] : ["\(found.name) changed unseen"]
        case .incomplete:
            return []
        }
    }
}
