import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// SRV, TXT and addresses of one instance, joined for each interface by itself.
///
/// SRV and TXT are both asked for (RFC 6763 §5), then A and AAAA of the SRV's target
/// (RFC 6763 §14). Nothing depends on additional records or on the order in which records come
/// (RFC 6763 §12). News is worked out by `settle` once everything that came is in.
struct ServiceResolution: Sendable {
    /// For whom the instance is resolved.
    enum Audience: Hashable, Sendable {
        case starter
        case browse(OperationID)
    }

    private struct Side: Sendable {
        var locations = LatestSet<ServiceLocation>(limit: DiscoveryLimits.locationsPerInstance)
        var texts = LatestSet<TextStrings>(limit: DiscoveryLimits.textsPerInstance)
        /// The owner says that there is no SRV, or no TXT.
        var locationIsAbsent = false
        var textIsAbsent = false
        /// The locations in the order drawn for them.
        var order: [ServiceLocation] = []
        var locatedAt = Instant.zero
        var firstAddressAt: Instant?
        var hosts: AddressLookup?
        var reported: ResolvedService?
        var isReportedUnavailable = false
    }

    let id: OperationID
    let name: ServiceInstanceName
    let audience: Audience
    private let locationQuery: QueryID
    private let textQuery: QueryID
    /// In the order of their indices.
    private var sides: [(interface: InterfaceIndex, side: Side)] = []

    init(
        _ name: ServiceInstanceName, on selection: InterfaceSelection, for audience: Audience,
        as id: OperationID, engine: inout RoutedEngine, at now: Instant
    ) {
        self.id = id
        self.name = name
        self.audience = audience
        let owner = name.domainName
        locationQuery = engine.startQuery(Question(owner, .srv), on: selection, for: id, at: now)
        textQuery = engine.startQuery(Question(owner, .txt), on: selection, for: id, at: now)
    }

    /// Takes an answer in, and asks for a host's addresses at once if it names a new host.
    mutating func take(
        _ change: AnswerChange, of query: QueryID, _ engine: inout RoutedEngine,
        _ generator: inout SeededGenerator, at now: Instant
    ) {
        let place = place(of: change.interface)
        if query == locationQuery {
            takeLocation(change, at: place, &engine, &generator, now)
        } else if query == textQuery {
            takeText(change, at: place, now)
        } else if let hosts = sides[place].side.hosts, hosts.owns(query) {
            _ = sides[place].side.hosts?.take(change, of: query, &engine, at: now)
            let known = sides[place].side.hosts?.addresses(on: change.interface) ?? []
            if known.isEmpty {
                sides[place].side.firstAddressAt = nil
            } else if sides[place].side.firstAddressAt == nil {
                sides[place].side.firstAddressAt = now
            }
        }
    }

    /// Forgets interfaces that are gone, once all that was on them is; their numbers do not come
    /// back.
    mutating func keep(_ interfaces: Set<InterfaceIndex>) {
        sides.removeAll { entry in
            !interfaces.contains(entry.interface) && entry.side.hosts == nil
                && entry.side.reported == nil
        }
    }

    mutating func stop(_ engine: inout RoutedEngine, at now: Instant) {
        engine.stopQuery(locationQuery, at: now)
        engine.stopQuery(textQuery, at: now)
        for place in sides.indices { sides[place].side.hosts?.stop(&engine, at: now) }
        sides = []
    }

    /// The SRV records that are known, to be doubted with the instance.
    var knownLocations: [(ServiceLocation, InterfaceIndex)] {
        sides.flatMap { entry in entry.side.order.map { ($0, entry.interface) } }
    }

    private func side(at place: Int) -> Side { sides[place].side }

    private mutating func place(of interface: InterfaceIndex) -> Int {
        let place = sides.firstIndex { $0.interface >= interface } ?? sides.count
        if place == sides.count || sides[place].interface != interface {
            sides.insert((interface, Side()), at: place)
        }
        return place
    }

    private mutating func takeText(_ change: AnswerChange, at place: Int, _ now: Instant) {
        switch change {
        case .added(let record, _):
            guard case .txt(let text) = record.data else { return }
            sides[place].side.texts.add(text, flushes: record.cacheFlush, at: now)
            sides[place].side.textIsAbsent = false
        case .removed(let record, _):
            guard case .txt(let text) = record.data else { return }
            sides[place].side.texts.remove(text)
        case .absent:
            sides[place].side.textIsAbsent = true
        }
    }

    private mutating func takeLocation(
        _ change: AnswerChange, at place: Int, _ engine: inout RoutedEngine,
        _ generator: inout SeededGenerator, _ now: Instant
    ) {
        switch change {
        case .added(let record, _):
            guard case .srv(let location) = record.data else { return }
            sides[place].side.locations.add(location, flushes: record.cacheFlush, at: now)
            sides[place].side.locationIsAbsent = false
        case .removed(let record, _):
            guard case .srv(let location) = record.data else { return }
            sides[place].side.locations.remove(location)
        case .absent:
            sides[place].side.locationIsAbsent = true
            return
        }
        let current = sides[place].side.locations.values
        if Set(current) != Set(sides[place].side.order) {
            sides[place].side.order = ServiceSelection.order(current, using: &generator)
            sides[place].side.locatedAt = now
        }
        lookUpHost(at: place, &engine, now)
    }

    /// Follows the picked location's host; the root is never looked up (RFC 2782), nor is a host
    /// that belongs to unicast DNS. A target of one label, which some devices send, is no name of
    /// unicast DNS either.
    private mutating func lookUpHost(
        at place: Int, _ engine: inout RoutedEngine, _ now: Instant
    ) {
        let target = sides[place].side.order.first?.target
        guard sides[place].side.hosts?.host != target else { return }
        sides[place].side.hosts?.stop(&engine, at: now)
        sides[place].side.hosts = nil
        sides[place].side.firstAddressAt = nil
        guard let target, !target.isRoot, target.labelCount == 1 || engine.mayAsk(for: target)
        else { return }
        sides[place].side.hosts = AddressLookup(
            host: target, families: [.ipv4, .ipv6], on: .index(sides[place].interface), for: id,
            engine: &engine, at: now)
    }
}

extension ServiceResolution {
    /// What changed for the one who asked, and when to look again without any news.
    mutating func settle(at now: Instant) -> (changes: [ResolutionChange], next: Instant?) {
        var changes: [ResolutionChange] = []
        var next: Instant?
        for place in sides.indices {
            let (change, wait) = settleSide(at: place, now)
            if let change { changes.append(change) }
            if let wait { next = min(next ?? wait, wait) }
        }
        return (changes, next)
    }

    private mutating func settleSide(
        at place: Int, _ now: Instant
    ) -> (ResolutionChange?, Instant?) {
        let interface = sides[place].interface
        let side = side(at: place)
        guard let location = side.order.first, !location.target.isRoot else {
            return (settleUnavailable(at: place), nil)
        }
        sides[place].side.isReportedUnavailable = false
        let addresses = side.hosts?.addresses(on: interface) ?? []
        guard !addresses.isEmpty else {
            return settleWithoutAddress(at: place, location, now)
        }
        if side.reported == nil {
            let textWait = side.locatedAt.advanced(by: DiscoveryTiming.textGrace)
            if side.texts.isEmpty, !side.textIsAbsent, now < textWait { return (nil, textWait) }
            let familyWait = (side.firstAddressAt ?? now)
                .advanced(by: DiscoveryTiming.familyGrace)
            let isSettled = side.hosts?.isSettled(on: interface) ?? false
            if !isSettled, now < familyWait { return (nil, familyWait) }
        }
        let texts = side.texts.newestFirst.map { TXTRecord($0) }
        let service = ResolvedService(
            name: name, interface: interface, location: location,
            alternatives: Array(side.order.dropFirst()), txt: texts.first ?? TXTRecord(),
            furtherTexts: Array(texts.dropFirst()), addresses: addresses)
        guard side.reported != service else { return (nil, nil) }
        sides[place].side.reported = service
        return (.resolved(service), nil)
    }

    /// A service that moved to another host keeps its old place until the new one is known, but
    /// not for long; one whose host lost its addresses is lost.
    private mutating func settleWithoutAddress(
        at place: Int, _ location: ServiceLocation, _ now: Instant
    ) -> (ResolutionChange?, Instant?) {
        guard let reported = side(at: place).reported else { return (nil, nil) }
        let limit = side(at: place).locatedAt.advanced(by: DiscoveryTiming.textGrace)
        if reported.host != location.target, now < limit { return (nil, limit) }
        sides[place].side.reported = nil
        return (.lost(name, sides[place].interface), nil)
    }

    /// There is no place, or the owner says that there is none.
    private mutating func settleUnavailable(at place: Int) -> ResolutionChange? {
        let side = side(at: place)
        let interface = sides[place].interface
        if side.reported != nil { sides[place].side.reported = nil }
        // RFC 2782: a target of "." means that the service is decidedly not available; so
        // does the owner's word that there is none (M6-27).
        if side.locationIsAbsent || !side.order.isEmpty {
            guard !side.isReportedUnavailable else { return nil }
            sides[place].side.isReportedUnavailable = true
            return .unavailable(name, interface)
        }
        sides[place].side.isReportedUnavailable = false
        return side.reported == nil ? nil : .lost(name, interface)
    }
}

extension AnswerChange {
    /// The interface that the news is from.
    var interface: InterfaceIndex {
        switch self {
        case .added(_, let interface), .removed(_, let interface), .absent(_, let interface):
            interface
        }
    }
}
