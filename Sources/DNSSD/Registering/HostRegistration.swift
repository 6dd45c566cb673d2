import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// This host's own name: the addresses of each interface under it, on that interface only
/// (RFC 6762 §14), and the reverse mapping of each address (RFC 6762 §4).
///
/// One name for all interfaces: a conflict on any of them changes it everywhere. Each reverse
/// mapping is a publication of its own: another stack on this machine has the same addresses
/// under its own name and as much right to them, so a mapping that conflicts is given up without
/// a status, and without the others.
struct HostRegistration: Sendable {
    private struct PerInterfaceState: Sendable {
        var interface: InterfaceIndex
        /// The addresses that are published.
        var addresses: [IPAddress]
        var publication: PublicationID
        var isEstablished = false
        /// The reverse mappings that are published, none for an address whose mapping was given
        /// up.
        var reverse: [(address: IPAddress, publication: PublicationID)] = []
    }

    /// The name in use, or that would be used.
    private(set) var name: DomainName
    private let base: Label
    private(set) var isPublished = false
    private var attempt = 1
    /// By rising index.
    private var states: [PerInterfaceState] = []
    /// The addresses as the system has them now, by rising index.
    private var current: [(interface: InterfaceIndex, addresses: [IPAddress])] = []
    /// When changes that are being gathered are published.
    private var publishesAt: Instant?
    private var failure = NamingFailure()
    private var reported: HostNameStatus?

    init(label: Label) {
        base = label
        name = Self.name(label)
    }

    private static func name(_ label: Label) -> DomainName {
        (try? DomainName.local.prepending(label)) ?? .local
    }

    /// Whether services may be reported as established: the name is ours, or no interface has
    /// an address to go with it.
    var isSettled: Bool { states.allSatisfy { $0.isEstablished } }

    var deadline: Instant? {
        guard let publishesAt, let other = failure.deadline else {
            return publishesAt ?? failure.deadline
        }
        return min(publishesAt, other)
    }

    // MARK: Events

    /// Begins to publish; does nothing if that was begun before.
    mutating func publish(
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        guard !isPublished else { return [] }
        isPublished = true
        apply(&engine, at: now)
        return newStatus(at: now)
    }

    /// Takes over the interfaces that the engine runs on. Interfaces that come or go count at
    /// once; changed addresses are gathered for a moment, since they come one by one and some
    /// flap.
    mutating func update(
        _ interfaces: [NetworkInterface], allowing families: Set<AddressFamily>,
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        current =
            interfaces
            .map { ($0.index, Self.addresses(of: $0, allowing: families)) }
            .filter { !$0.1.isEmpty }
            .sorted { $0.0 < $1.0 }
        guard isPublished else { return [] }
        applyPresence(&engine, at: now)
        let isChanged = states.contains { state in
            current.contains {
                $0.interface == state.interface && $0.addresses != state.addresses
            }
        }
        publishesAt =
            isChanged ? publishesAt ?? now.advanced(by: DiscoveryTiming.addressSettling) : nil
        return newStatus(at: now)
    }

    mutating func advance(
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        if let time = publishesAt, time <= now { apply(&engine, at: now) }
        var statuses = newStatus(at: now)
        if failure.isDue(by: now) { statuses.append(.failing(name, attempts: attempt)) }
        return statuses
    }

    /// Handles the status of one of the host's publications. A new name is the first status
    /// that follows from it.
    mutating func handle(
        _ status: PublicationStatus, of publication: PublicationID,
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        guard let place = states.firstIndex(where: { $0.publication == publication }) else {
            if case .conflicted = status { giveUpReverse(publication, &engine) }
            return []
        }
        switch status {
        case .probing:
            states[place].isEstablished = false
        case .established:
            states[place].isEstablished = true
        case .conflicted:
            engine.forget(publication)
            return rename(&engine, at: now) + newStatus(at: now)
        }
        return newStatus(at: now)
    }

    /// Everything was withdrawn in the engine.
    mutating func end() {
        isPublished = false
        states = []
        publishesAt = nil
        failure = NamingFailure()
        reported = nil
    }

    private mutating func giveUpReverse(
        _ publication: PublicationID, _ engine: inout RoutedEngine
    ) {
        engine.forget(publication)
        for place in states.indices {
            states[place].reverse.removeAll { $0.publication == publication }
        }
    }

    // MARK: Records

    /// Its own usable addresses and no others; those of the loopback on the loopback only.
    private static func addresses(
        of interface: NetworkInterface, allowing families: Set<AddressFamily>
    ) -> [IPAddress] {
        interface.addresses.filter { $0.isUsable }.map { $0.address }.filter { address in
            families.contains(address.family)
                && AddressPreference.isUsable(address, on: interface)
        }.sorted()
    }

    private func addressSet(
        _ interface: InterfaceIndex, _ addresses: [IPAddress]
    ) -> RecordSet {
        RecordSet(
            addresses.map { address in
                .init(ResourceRecord(name, RecordData(address), timeToLive: .host), .unique)
            }, on: .index(interface))
    }

    private func reverseSet(_ interface: InterfaceIndex, _ address: IPAddress) -> RecordSet {
        let record = ResourceRecord(
            ReverseMapping.name(of: address), .ptr(name), timeToLive: .host)
        return RecordSet([.init(record, .deferring)], on: .index(interface))
    }

    // MARK: Publishing

    /// Publishes on new interfaces and withdraws from those that are gone.
    private mutating func applyPresence(_ engine: inout RoutedEngine, at now: Instant) {
        for state in states where !current.contains(where: { $0.interface == state.interface }) {
            withdraw(state, &engine, at: now)
        }
        states.removeAll { state in !current.contains { $0.interface == state.interface } }
        for (interface, addresses) in current
        where !states.contains(where: { $0.interface == interface }) {
            let publication = engine.publish(
                addressSet(interface, addresses), for: .host, at: now)
            let reverse = addresses.map { address in
                (
                    address: address,
                    publication: engine.publish(
                        reverseSet(interface, address), for: .host, at: now)
                )
            }
            states.append(
                PerInterfaceState(
                    interface: interface, addresses: addresses, publication: publication,
                    reverse: reverse))
        }
        states.sort { $0.interface < $1.interface }
    }

    /// As `applyPresence`, and publishes changed addresses.
    private mutating func apply(_ engine: inout RoutedEngine, at now: Instant) {
        publishesAt = nil
        applyPresence(&engine, at: now)
        for place in states.indices {
            let interface = states[place].interface
            guard let addresses = current.first(where: { $0.interface == interface })?.addresses,
                addresses != states[place].addresses
            else { continue }
            engine.update(
                states[place].publication, to: addressSet(interface, addresses), at: now)
            applyReverse(addresses, at: place, &engine, at: now)
            states[place].addresses = addresses
        }
    }

    /// Withdraws the reverse mappings of addresses that are gone and publishes those of new
    /// ones; all others stay as they are.
    private mutating func applyReverse(
        _ addresses: [IPAddress], at place: Int, _ engine: inout RoutedEngine, at now: Instant
    ) {
        for reverse in states[place].reverse where !addresses.contains(reverse.address) {
            engine.withdraw(reverse.publication, at: now)
        }
        states[place].reverse.removeAll { !addresses.contains($0.address) }
        for address in addresses where !states[place].addresses.contains(address) {
            let set = reverseSet(states[place].interface, address)
            states[place].reverse.append((address, engine.publish(set, for: .host, at: now)))
        }
    }

    private func withdraw(
        _ state: PerInterfaceState, _ engine: inout RoutedEngine, at now: Instant
    ) {
        engine.withdraw(state.publication, at: now)
        for reverse in state.reverse { engine.withdraw(reverse.publication, at: now) }
    }

    /// RFC 6762 §9 and §14: another name, on every interface.
    private mutating func rename(
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        let old = name
        attempt += 1
        name = Self.name(HostNaming.label(base, attempt: attempt))
        for state in states { withdraw(state, &engine, at: now) }
        states = []
        apply(&engine, at: now)
        return [.renamed(from: old, to: name)]
    }

    /// The status if it changed. A name that is not settled is being searched for, as long as
    /// there is an interface.
    private mutating func newStatus(at now: Instant) -> [HostNameStatus] {
        failure.update(isClaiming: isPublished && !isSettled, at: now)
        guard isPublished, !states.isEmpty else { return [] }
        let status: HostNameStatus = isSettled ? .established(name) : .probing(name)
        guard status != reported else { return [] }
        reported = status
        return [status]
    }
}
