import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// SRV, TXT and addresses of one instance, joined for each interface by itself.
///
/// SRV and TXT are both asked for (RFC 6763 §5), then A and AAAA of the SRV's target
/// (RFC 6763 §14). Nothing depends on additional records or on the order in which records come
/// (RFC 6763 §12). Events are derived by `settle` once every record of a packet is processed.
struct ServiceResolution: Sendable {
    /// For whom the instance is resolved.
    enum Audience: Hashable, Sendable {
        case starter
        case browse(OperationID)
    }

    fileprivate struct PerInterfaceState: Sendable {
        var locations = LatestSet<ServiceLocation>(limit: DiscoveryLimits.locationsPerInstance)
        var texts = LatestSet<TextStrings>(limit: DiscoveryLimits.textsPerInstance)
        /// A negative response says that there is no SRV, or no TXT.
        var locationIsAbsent = false
        var textIsAbsent = false
        /// The locations in the order drawn for them.
        var order: [ServiceLocation] = []
        var locatedAt = Instant.zero
        /// When the first record came, after none was known.
        var knownSince: Instant?
        var firstAddressAt: Instant?
        var hosts: AddressLookup?
        /// The last event; `nil` before the first and after `lost`.
        var reported: Resolution?
    }

    let id: OperationID
    let name: ServiceInstanceName
    let audience: Audience
    private let started: Instant
    private let locationQuery: QueryID
    private let textQuery: QueryID
    /// Whether an event was reported, or none came in time: the browse may start another.
    private(set) var hasSettled = false
    /// Whether what is missing is waited for.
    private var isPatient = true
    /// In the order of their indices.
    private var states: [(interface: InterfaceIndex, state: PerInterfaceState)] = []

    init(
        _ name: ServiceInstanceName, on selection: InterfaceSelection, for audience: Audience,
        as id: OperationID, engine: inout RoutedEngine, at now: Instant
    ) {
        self.id = id
        self.name = name
        self.audience = audience
        started = now
        if case .index(let interface) = selection {
            states = [(interface, PerInterfaceState())]
        }
        let owner = name.domainName
        locationQuery = engine.startQuery(Question(owner, .srv), on: selection, for: id, at: now)
        textQuery = engine.startQuery(Question(owner, .txt), on: selection, for: id, at: now)
    }

    /// When the resolution counts as settled although nothing came.
    var patienceEnds: Instant { started.advanced(by: DiscoveryTiming.partialGrace) }

    /// From now on what is known is reported without waiting for the rest.
    mutating func endPatience() { isPatient = false }

    /// Processes an answer, and asks for a host's addresses at once if it names a new host.
    mutating func process(
        _ change: AnswerChange, of query: QueryID, _ engine: inout RoutedEngine,
        _ generator: inout SeededGenerator, at now: Instant
    ) {
        let interface = change.interface
        let index = index(of: interface)
        if query == locationQuery {
            processLocation(change, at: index, &engine, &generator, now)
        } else if query == textQuery {
            processText(change, at: index, now)
        } else if let hosts = states[index].state.hosts, hosts.owns(query) {
            _ = states[index].state.hosts?.process(change, of: query, &engine, at: now)
            if !(states[index].state.hosts?.hasAddress(on: interface) ?? false) {
                states[index].state.firstAddressAt = nil
            } else if states[index].state.firstAddressAt == nil {
                states[index].state.firstAddressAt = now
            }
        }
        let state = states[index].state
        if state.order.isEmpty, state.texts.isEmpty {
            states[index].state.knownSince = nil
        } else if state.knownSince == nil {
            states[index].state.knownSince = now
        }
    }

    /// Forgets interfaces that are gone once everything known on them has been removed; their
    /// numbers do not return.
    mutating func retain(_ interfaces: Set<InterfaceIndex>) {
        states.removeAll { entry in
            !interfaces.contains(entry.interface) && entry.state.hosts == nil
                && entry.state.reported == nil
        }
    }

    mutating func stop(_ engine: inout RoutedEngine, at now: Instant) {
        engine.stopQuery(locationQuery, at: now)
        engine.stopQuery(textQuery, at: now)
        for index in states.indices { states[index].state.hosts?.stop(&engine, at: now) }
        states = []
    }

    /// The SRV records that are known, to be reconfirmed with the instance.
    var knownLocations: [(ServiceLocation, InterfaceIndex)] {
        states.flatMap { entry in entry.state.order.map { ($0, entry.interface) } }
    }

    private mutating func index(of interface: InterfaceIndex) -> Int {
        let index = states.partitionIndex { $0.interface < interface }
        if index == states.count || states[index].interface != interface {
            states.insert((interface, PerInterfaceState()), at: index)
        }
        return index
    }

    private mutating func processText(_ change: AnswerChange, at index: Int, _ now: Instant) {
        switch change {
        case .added(let record, _):
            guard case .txt(let text) = record.data else { return }
            states[index].state.texts.add(text, flushes: record.cacheFlush, at: now)
            states[index].state.textIsAbsent = false
        case .removed(let record, _):
            guard case .txt(let text) = record.data else { return }
            states[index].state.texts.remove(text)
        case .absent:
            states[index].state.textIsAbsent = true
        case .incomplete:
            break
        }
    }

    private mutating func processLocation(
        _ change: AnswerChange, at index: Int, _ engine: inout RoutedEngine,
        _ generator: inout SeededGenerator, _ now: Instant
    ) {
        switch change {
        case .added(let record, _):
            guard case .srv(let location) = record.data else { return }
            states[index].state.locations.add(location, flushes: record.cacheFlush, at: now)
            states[index].state.locationIsAbsent = false
        case .removed(let record, _):
            guard case .srv(let location) = record.data else { return }
            states[index].state.locations.remove(location)
        case .absent:
            states[index].state.locationIsAbsent = true
            return
        case .incomplete:
            return
        }
        let current = states[index].state.locations.values
        if Set(current) != Set(states[index].state.order) {
            states[index].state.order = ServiceSelection.order(current, using: &generator)
            states[index].state.locatedAt = now
        }
        lookUpHost(at: index, &engine, now)
    }

    /// Follows the picked location's host. The root is never looked up (RFC 2782), nor a name
    /// of unicast DNS, which anybody on the link could forge (M13-2, RFC 6762 §21). A target of one
    /// label, which some devices send, is no name of unicast DNS either.
    private mutating func lookUpHost(
        at index: Int, _ engine: inout RoutedEngine, _ now: Instant
    ) {
        let target = states[index].state.order.first?.target
        guard states[index].state.hosts?.host != target else { return }
        states[index].state.hosts?.stop(&engine, at: now)
        states[index].state.hosts = nil
        states[index].state.firstAddressAt = nil
        guard let target, !target.isRoot, target.labelCount == 1 || engine.mayAsk(for: target)
        else { return }
        states[index].state.hosts = AddressLookup(
            host: target, families: [.ipv4, .ipv6], on: .index(states[index].interface), for: id,
            engine: &engine, at: now)
    }
}

extension ServiceResolution {
    /// The events due for the one who asked, and when to call again without any change.
    mutating func settle(
        with engine: RoutedEngine, at now: Instant
    ) -> (events: [Resolution], next: Instant?) {
        var events: [Resolution] = []
        var next: Instant?
        for index in states.indices {
            let (event, wait) = settleInterface(at: index, engine, now)
            if let event, event != states[index].state.reported {
                events.append(event)
                if case .lost = event {
                    states[index].state.reported = nil
                } else {
                    states[index].state.reported = event
                }
            }
            if let wait { next = min(next ?? wait, wait) }
        }
        if !events.isEmpty || now >= patienceEnds { hasSettled = true }
        if !hasSettled, audience != .starter { next = min(next ?? patienceEnds, patienceEnds) }
        return (events, next)
    }

    private func settleInterface(
        at index: Int, _ engine: RoutedEngine, _ now: Instant
    ) -> (Resolution?, Instant?) {
        let interface = states[index].interface
        let state = states[index].state
        // RFC 2782: with "." as target the service is not offered; nor is it with a
        // negative response for its SRV record (M6-27).
        if state.order.first?.target.isRoot ?? state.locationIsAbsent {
            return (.unavailable(name, interface), nil)
        }
        guard let location = state.order.first, let hosts = state.hosts,
            hosts.hasAddress(on: interface)
        else { return settleIncomplete(index, engine, now) }
        if !state.wasResolved {
            let textWait = state.locatedAt.advanced(by: DiscoveryTiming.textGrace)
            if isPatient, state.texts.isEmpty, !state.textIsAbsent, now < textWait {
                return (nil, textWait)
            }
            let familyWait = (state.firstAddressAt ?? now)
                .advanced(by: DiscoveryTiming.familyGrace)
            if isPatient, !hosts.isSettled(on: interface), now < familyWait {
                return (nil, familyWait)
            }
        }
        let texts = state.texts.newestFirst.map { TXTRecord($0) }
        let service = ResolvedService(
            name: name, interface: interface, location: location,
            alternatives: Array(state.order.dropFirst()), txt: texts.first ?? TXTRecord(),
            furtherTexts: Array(texts.dropFirst()),
            addresses: hosts.addresses(on: interface, of: engine))
        return (.resolved(service), nil)
    }

    /// What there is to report while a part is missing. The rest is waited for where the service
    /// moves to another host, and at first; a part that expired is reported at once.
    private func settleIncomplete(
        _ index: Int, _ engine: RoutedEngine, _ now: Instant
    ) -> (Resolution?, Instant?) {
        let interface = states[index].interface
        let state = states[index].state
        guard let since = state.knownSince else {
            // In a browse the instance is known, and that nobody says where it is.
            if audience != .starter, state.reported != nil || now >= patienceEnds {
                return (.partial(partialService(state, .location, on: interface)), nil)
            }
            return (state.reported == nil ? nil : .lost(name, interface), nil)
        }
        let location = state.order.first
        switch state.reported {
        case .resolved(let service):
            let limit = state.locatedAt.advanced(by: DiscoveryTiming.partialGrace)
            if isPatient, let location, service.location != location, now < limit {
                return (nil, limit)
            }
        case .partial:
            break
        case .unavailable, .lost, nil:
            let limit = since.advanced(by: DiscoveryTiming.partialGrace)
            if isPatient, now < limit { return (nil, limit) }
        }
        let missing: PartialService.Missing =
            switch location {
            case nil: .location
            case let location? where !engine.mayAsk(for: location.target): .unicastAddresses
            case _?: .addresses
            }
        return (.partial(partialService(state, missing, on: interface)), nil)
    }

    private func partialService(
        _ state: PerInterfaceState, _ missing: PartialService.Missing,
        on interface: InterfaceIndex
    ) -> PartialService {
        PartialService(
            name: name, interface: interface, missing: missing, location: state.order.first,
            txt: state.texts.newestFirst.first.map { TXTRecord($0) })
    }
}

extension ServiceResolution.PerInterfaceState {
    /// Whether the service was complete at the last event, so that changes need no grace.
    fileprivate var wasResolved: Bool {
        if case .resolved = reported { true } else { false }
    }
}

extension AnswerChange {
    /// The interface that the change is from.
    var interface: InterfaceIndex {
        switch self {
        case .added(_, let interface), .removed(_, let interface), .absent(_, let interface),
            .incomplete(let interface):
            interface
        }
    }
}
