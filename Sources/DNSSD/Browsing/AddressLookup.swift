import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// The addresses of a host, found through its aliases if it has some.
///
/// Each name on the way is a step with a question for each family; a CNAME leads to the next
/// step (M16-7). Bounded by depth, and never twice through one name (D-20).
struct AddressLookup: Sendable {
    private struct Step: Sendable {
        var name: DomainName
        var queries: [QueryID]
        /// Which queries have an alias of this name in hand, on which interface.
        var aliases: [Alias] = []
    }

    private struct Alias: Hashable, Sendable {
        var query: QueryID
        var interface: InterfaceIndex
        var target: DomainName
    }

    private struct Found: Hashable, Sendable {
        var address: IPAddress
        var interface: InterfaceIndex
        var name: DomainName
    }

    private struct Absence: Hashable, Sendable {
        var family: AddressFamily
        var interface: InterfaceIndex
    }

    let host: DomainName
    private let owner: OperationID
    private let families: [AddressFamily]
    private let selection: InterfaceSelection
    private var steps: [Step] = []
    private var found: [Found] = []
    private var absences: [Absence] = []

    init(
        host: DomainName, families: Set<AddressFamily>, on selection: InterfaceSelection,
        for owner: OperationID, engine: inout RoutedEngine, at now: Instant
    ) {
        self.host = host
        self.owner = owner
        self.families = [.ipv4, .ipv6].filter { families.contains($0) }
        self.selection = selection
        ask(host, &engine, at: now)
    }

    /// The addresses on that interface, best first.
    func addresses(
        on interface: InterfaceIndex, of engine: RoutedEngine
    ) -> [IPAddress] {
        let known = found.filter { $0.interface == interface }.map { $0.address }
        return AddressPreference.ordered(known, on: engine.interface(interface))
    }

    /// Whether there is an address on that interface.
    func hasAddress(on interface: InterfaceIndex) -> Bool {
        found.contains { $0.interface == interface }
    }

    /// Whether it is known for every family what there is on that interface.
    func isSettled(on interface: InterfaceIndex) -> Bool {
        families.allSatisfy { family in
            absences.contains(Absence(family: family, interface: interface))
                || found.contains { $0.interface == interface && $0.address.family == family }
        }
    }

    func owns(_ query: QueryID) -> Bool {
        steps.contains { $0.queries.contains(query) }
    }

    mutating func process(
        _ change: AnswerChange, of query: QueryID, _ engine: inout RoutedEngine, at now: Instant
    ) -> [AddressEvent] {
        guard let place = steps.firstIndex(where: { $0.queries.contains(query) }) else {
            return []
        }
        switch change {
        case .added(let record, let interface):
            if case .cname(let target) = record.data {
                let alias = Alias(query: query, interface: interface, target: target)
                return follow(alias, from: place, &engine, at: now)
            }
            guard let address = record.data.address,
                AddressPreference.isUsable(address, on: engine.interface(interface))
            else { return [] }
            return add(Found(address: address, interface: interface, name: steps[place].name))
        case .removed(let record, let interface):
            if case .cname(let target) = record.data {
                let alias = Alias(query: query, interface: interface, target: target)
                return unfollow(alias, at: place, &engine, at: now)
            }
            guard let address = record.data.address else { return [] }
            return remove(Found(address: address, interface: interface, name: steps[place].name))
        case .absent(let type, let interface):
            // An alias has no addresses of its own; its target may have.
            guard steps[place].aliases.isEmpty else { return [] }
            let family: AddressFamily = type == .a ? .ipv4 : .ipv6
            return record(Absence(family: family, interface: interface))
        case .incomplete:
            return []
        }
    }

    /// Forgets negative responses from interfaces that are gone; their numbers do not return.
    mutating func retain(_ interfaces: Set<InterfaceIndex>) {
        absences.removeAll { !interfaces.contains($0.interface) }
    }

    mutating func stop(_ engine: inout RoutedEngine, at now: Instant) {
        for step in steps {
            for query in step.queries { engine.stopQuery(query, at: now) }
        }
        steps = []
    }

    private mutating func ask(
        _ name: DomainName, _ engine: inout RoutedEngine, at now: Instant
    ) {
        let queries = families.map { family in
            engine.startQuery(
                Question(name, family == .ipv4 ? .a : .aaaa), on: selection, for: owner, at: now)
        }
        steps.append(Step(name: name, queries: queries))
    }

    private mutating func add(_ new: Found) -> [AddressEvent] {
        let onInterface = found.filter { $0.interface == new.interface }.count
        guard !found.contains(new), onInterface < DiscoveryLimits.addressesPerHost else {
            return []
        }
        found.append(new)
        absences.removeAll { $0.interface == new.interface && $0.family == new.address.family }
        return [.added(new.address, name: new.name, new.interface)]
    }

    private mutating func remove(_ old: Found) -> [AddressEvent] {
        guard let place = found.firstIndex(of: old) else { return [] }
        found.remove(at: place)
        return [.removed(old.address, name: old.name, old.interface)]
    }

    private mutating func record(_ absence: Absence) -> [AddressEvent] {
        guard !absences.contains(absence) else { return [] }
        absences.append(absence)
        return [.absent(absence.family, absence.interface)]
    }

    /// The first alias of a name leads on; one through a name that was passed leads nowhere.
    private mutating func follow(
        _ alias: Alias, from place: Int, _ engine: inout RoutedEngine, at now: Instant
    ) -> [AddressEvent] {
        guard !steps[place].aliases.contains(alias) else { return [] }
        steps[place].aliases.append(alias)
        guard place == steps.count - 1, steps.count < DiscoveryLimits.aliasDepth,
            !alias.target.isRoot, engine.mayAsk(for: alias.target),
            !steps.contains(where: { $0.name == alias.target })
        else { return [] }
        ask(alias.target, &engine, at: now)
        return []
    }

    private mutating func unfollow(
        _ alias: Alias, at place: Int, _ engine: inout RoutedEngine, at now: Instant
    ) -> [AddressEvent] {
        steps[place].aliases.removeAll { $0 == alias }
        guard steps.count > place + 1, steps[place + 1].name == alias.target,
            !steps[place].aliases.contains(where: { $0.target == alias.target })
        else { return [] }
        let ended = steps[(place + 1)...]
        steps.removeSubrange((place + 1)...)
        for query in ended.flatMap({ $0.queries }) { engine.stopQuery(query, at: now) }
        let names = ended.map { $0.name }
        let gone = found.filter { names.contains($0.name) }
        found.removeAll { names.contains($0.name) }
        let next = steps[place].aliases.first { alias in
            !alias.target.isRoot && engine.mayAsk(for: alias.target)
                && !steps.contains { $0.name == alias.target }
        }
        if let next { ask(next.target, &engine, at: now) }
        return gone.map { .removed($0.address, name: $0.name, $0.interface) }
    }
}
