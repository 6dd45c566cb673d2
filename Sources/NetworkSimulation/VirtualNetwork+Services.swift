package import DNSMessages
package import DNSSD
import MulticastDNS
package import NetworkPrimitives

// What hosts with discovery offer and look for, entered in the groundTruth; and whether in the end
// everyone knows what is true.

extension VirtualNetwork {
    /// Joins a host with discovery to some links; it is off at first. Nil if the label is none.
    package mutating func addDevice(
        _ label: String, on links: [LinkID], families: Set<AddressFamily> = [.ipv4]
    ) -> HostID? {
        guard let hostLabel = try? Label(label) else { return nil }
        let configuration = DiscoveryConfiguration(
            engine: Configuration(families: families), hostLabel: hostLabel,
            defaultInstanceName: "Device")
        return addHost(.discovery(configuration), on: links, families: families)
    }

    /// Registers a service; nil if the host is off or the description is not valid.
    @discardableResult
    package mutating func register(
        _ service: ServiceDescription, by host: HostID
    ) -> OperationID? {
        guard let type = try? service.type.domainName(in: service.domain) else { return nil }
        let subtypes = service.subtypes.compactMap {
            try? $0.domainName(of: service.type, in: service.domain)
        }
        return withDiscovery(of: host) { discovery, now in
            try? discovery.register(service, at: now)
        } recording: { groundTruth, _, id in
            if let id { groundTruth.offered(id, [type] + subtypes, by: host) }
        } ?? nil
    }

    package mutating func unregister(_ id: OperationID, by host: HostID) {
        let ended = groundTruth.offer(id, of: host)
        groundTruth.withdrew(id, by: host, at: now)
        planChecks()
        withDiscovery(of: host) { $0.unregister(id, at: $1) }
        if let ended { noteEnd(of: ended) }
    }

    /// Gives a service other attributes.
    package mutating func update(_ id: OperationID, txt: TXTRecord, by host: HostID) {
        guard let offer = groundTruth.offer(id, of: host) else { return }
        invariants.note(offer.isEstablished ? .update : .updateWhileProbing)
        groundTruth.updated(id, txt.textStrings, by: host, at: now)
        withDiscovery(of: host) { try? $0.update(id, txt: txt, at: $1) }
        if offer.isEstablished { plan(.updated(host, id, since: now), after: Self.announcingTime) }
    }

    /// Has a host follow a record.
    @discardableResult
    package mutating func query(_ question: Question, by host: HostID) -> OperationID? {
        withDiscovery(of: host) { discovery, now in
            discovery.startQuery(question, at: now)
        } recording: { _, invariants, id in
            invariants.caches.subscribe(id, to: question, by: host)
        }
    }

    package mutating func stopQuery(_ id: OperationID, by host: HostID) {
        invariants.caches.unsubscribe(id, of: host)
        withDiscovery(of: host) { $0.stop(id, at: $1) }
    }

    @discardableResult
    package mutating func browse(
        _ type: ServiceType, subtype: ServiceSubtype? = nil, detail: BrowseDetail = .names,
        by host: HostID
    ) -> OperationID? {
        let typeName = try? type.domainName(in: .local)
        guard let name = subtype.map({ try? $0.domainName(of: type) }) ?? typeName else {
            return nil
        }
        let now = now
        let id =
            withDiscovery(of: host) { discovery, now in
                try? discovery.startBrowse(type, subtype: subtype, detail: detail, at: now)
            } recording: { groundTruth, invariants, id in
                guard let id else { return }
                groundTruth.browses(id, name, by: host, at: now)
                invariants.caches.subscribe(id, to: Question(name, .ptr), by: host)
            } ?? nil
        if let id {
            plan(.browse(host, id), after: Self.longestLife)
            // A second browse of a type asks nothing anew.
            if groundTruth.browses.count(where: { $0.host == host && $0.type == name }) == 1 {
                plan(.begun(host, id, since: now), after: Self.announcingTime)
                planQueries(of: host, operation: id)
            }
        }
        return id
    }

    package mutating func stopBrowse(_ id: OperationID, by host: HostID) {
        groundTruth.stopped(id, by: host)
        invariants.caches.unsubscribe(id, of: host)
        withDiscovery(of: host) { $0.stop(id, at: $1) }
    }

    /// 120 % of the longest time to live.
    static let longestLife: Duration = .seconds(4500 * 12 / 10)

    // MARK: The truth

    /// Reports every unique name that two running hosts on one link hold as established.
    package mutating func checkOwners() {
        for link in links.map({ $0.id }) {
            var owners: [(name: DomainName, host: HostID)] = []
            for offer in groundTruth.offers where offer.isEstablished {
                guard let name = offer.name, isPresent(offer.host, on: link) else { continue }
                owners.append((name, offer.host))
            }
            owners.sort { ($0.name, $0.host) < ($1.name, $1.host) }
            for (one, other) in zip(owners, owners.dropFirst())
            where one.name == other.name && one.host != other.host
                && canReach(one.host, other.host)
            {
                invariants.report(
                    "\(one.name) is established here and on \(other.host)", by: one.host, at: now)
            }
        }
    }

    /// Reports every browse that does not list exactly what is established on its links; or only
    /// what it misses, while what is gone may still be listed: until its lifetime is over if
    /// nobody said goodbye.
    package mutating func checkBrowses(allowingGhosts: Bool = false) {
        for browse in groundTruth.browses {
            let host = hosts[browse.host.rawValue]
            guard host.state == .running else { continue }
            var expected: Set<GroundTruth.Found> = []
            for link in host.attachments where link.isUp {
                for offer in groundTruth.offers
                where offer.isEstablished && offer.types.contains(browse.type)
                    && isPresent(offer.host, on: link.link) && canReach(host.id, offer.host)
                {
                    guard let name = offer.name else { continue }
                    expected.insert(
                        .init(name: name, interface: AddressPlan.index(of: link.link)))
                }
            }
            for missing in expected.subtracting(browse.found).sorted() {
                invariants.report(
                    "does not see \(missing.name) on \(missing.interface)", by: browse.host,
                    at: now)
            }
            if allowingGhosts { continue }
            for ghost in browse.found.subtracting(expected).sorted() {
                invariants.report(
                    "still sees \(ghost.name) on \(ghost.interface)", by: browse.host, at: now)
            }
        }
    }

    /// Whether the two have a family in common.
    func canReach(_ one: HostID, _ other: HostID) -> Bool {
        !hosts[one.rawValue].families.isDisjoint(with: hosts[other.rawValue].families)
    }

    func isPresent(_ host: HostID, on link: LinkID) -> Bool {
        hosts[host.rawValue].state == .running && hosts[host.rawValue].isAttached(to: link)
    }
}
