import DNSMessages
import MulticastDNS
import NetworkPrimitives

/// This host's own name: the addresses of each interface under it, on that interface only
/// (RFC 6762 §14), and the reverse mapping of each address (RFC 6762 §4).
///
/// One name for all interfaces: a conflict on any of them changes it everywhere. The reverse
/// mappings are sets by themselves: another stack on this machine has the same addresses under
/// its own name and as much right to them, so they are probed for, although RFC 6762 §8.1 would
/// not ask for it, and left to the other stack without a word.
struct HostRegistration: Sendable {
    private struct Side: Sendable {
        var interface: InterfaceIndex
        /// What is published.
        var addresses: [IPAddress]
        var publication: PublicationID
        var isEstablished = false
        var reverse: PublicationID?
    }

    /// The name in use, or that would be used.
    private(set) var name: DomainName
    private let base: Label
    private(set) var isPublished = false
    private var attempt = 1
    private var sides: [Side] = []
    /// The addresses as the system has them now, by rising index.
    private var wanted: [(interface: InterfaceIndex, addresses: [IPAddress])] = []
    /// When gathered changes are published.
    private var settlesAt: Instant?
    private var failure = NamingFailure()
    private var reported: HostNameStatus?

    init(label: Label) {
        base = label
        name = Self.name(label)
    }

    private static func name(_ label: Label) -> DomainName {
        (try? DomainName.local.prepending(label)) ?? .local
    }

    /// Whether services may say that they are there: the name is ours, or no interface has
    /// an address to go with it.
    var isSettled: Bool { sides.allSatisfy(\.isEstablished) }

    var deadline: Instant? {
        [settlesAt, failure.deadline].compactMap { $0 }.min()
    }

    // MARK: What happens

    /// Begins to publish; nothing happens if that was begun before.
    mutating func publish(
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        guard !isPublished else { return [] }
        isPublished = true
        apply(&engine, at: now)
        return report()
    }

    /// Takes in what the interfaces are that the engine runs on. Interfaces that come or go count
    /// at once; changed addresses are gathered for a moment, since they come one by one and some
    /// flap.
    mutating func update(
        _ interfaces: [NetworkInterface], allowing families: Set<AddressFamily>,
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        wanted =
            interfaces
            .map { ($0.index, Self.addresses(of: $0, allowing: families)) }
            .filter { !$0.1.isEmpty }
            .sorted { $0.0 < $1.0 }
        guard isPublished else { return [] }
        applyPresence(&engine, at: now)
        let isChanged = sides.contains { side in
            wanted.contains {
                $0.interface == side.interface && $0.addresses != side.addresses
            }
        }
        settlesAt = isChanged ? settlesAt ?? now.advanced(by: DiscoveryTiming.addressSettling) : nil
        return report()
    }

    mutating func advance(
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        if let time = settlesAt, time <= now { apply(&engine, at: now) }
        var statuses = report()
        if failure.isDue(by: now) { statuses.append(.failing(name, attempts: attempt)) }
        return statuses
    }

    /// News of one of the host's sets. A new name is the first status then.
    mutating func take(
        _ status: PublicationStatus, of publication: PublicationID,
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        if let place = sides.firstIndex(where: { $0.reverse == publication }) {
            if case .conflicted = status {
                sides[place].reverse = nil
                engine.forget(publication)
            }
            return []
        }
        guard let place = sides.firstIndex(where: { $0.publication == publication }) else {
            return []
        }
        switch status {
        case .probing:
            sides[place].isEstablished = false
        case .established:
            sides[place].isEstablished = true
            if isSettled { failure.end() }
        case .conflicted:
            engine.forget(publication)
            return rename(&engine, at: now) + report()
        }
        return report()
    }

    /// Everything was withdrawn in the engine.
    mutating func end() {
        isPublished = false
        sides = []
        settlesAt = nil
        failure.end()
        reported = nil
    }

    // MARK: What is published

    /// Its own usable addresses and no others; those of the loopback on the loopback only.
    private static func addresses(
        of interface: NetworkInterface, allowing families: Set<AddressFamily>
    ) -> [IPAddress] {
        let isLoopback = interface.flags.contains(.loopback)
        return interface.addresses.filter(\.isUsable).map(\.address).filter { address in
            families.contains(address.family) && !address.isMulticast && !address.isUnspecified
                && (isLoopback || !address.isLoopback)
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

    private func reverseSet(
        _ interface: InterfaceIndex, _ addresses: [IPAddress]
    ) -> RecordSet {
        RecordSet(
            addresses.map { address in
                let record = ResourceRecord(
                    ReverseMapping.name(of: address), .ptr(name), timeToLive: .host)
                return .init(record, .deferring)
            }, on: .index(interface))
    }

    /// Publishes on new interfaces and withdraws from those that are gone.
    private mutating func applyPresence(_ engine: inout RoutedEngine, at now: Instant) {
        for side in sides where !wanted.contains(where: { $0.interface == side.interface }) {
            engine.withdraw(side.publication, at: now)
            if let reverse = side.reverse { engine.withdraw(reverse, at: now) }
        }
        sides.removeAll { side in !wanted.contains { $0.interface == side.interface } }
        for (interface, addresses) in wanted
        where !sides.contains(where: { $0.interface == interface }) {
            let publication = engine.publish(
                addressSet(interface, addresses), for: .host, at: now)
            let reverse = engine.publish(reverseSet(interface, addresses), for: .host, at: now)
            sides.append(
                Side(
                    interface: interface, addresses: addresses, publication: publication,
                    reverse: reverse))
        }
        sides.sort { $0.interface < $1.interface }
    }

    /// As `applyPresence`, and brings changed addresses in.
    private mutating func apply(_ engine: inout RoutedEngine, at now: Instant) {
        settlesAt = nil
        applyPresence(&engine, at: now)
        for place in sides.indices {
            let interface = sides[place].interface
            guard let addresses = wanted.first(where: { $0.interface == interface })?.addresses,
                addresses != sides[place].addresses
            else { continue }
            sides[place].addresses = addresses
            engine.update(
                sides[place].publication, to: addressSet(interface, addresses), at: now)
            if let reverse = sides[place].reverse { engine.withdraw(reverse, at: now) }
            sides[place].reverse = engine.publish(
                reverseSet(interface, addresses), for: .host, at: now)
        }
    }

    /// RFC 6762 §9 and §14: another name, on every interface.
    private mutating func rename(
        _ engine: inout RoutedEngine, at now: Instant
    ) -> [HostNameStatus] {
        let old = name
        attempt += 1
        name = Self.name(HostNaming.label(base, attempt: attempt))
        failure.begin(at: now)
        for side in sides {
            engine.withdraw(side.publication, at: now)
            if let reverse = side.reverse { engine.withdraw(reverse, at: now) }
        }
        sides = []
        reported = nil
        apply(&engine, at: now)
        return [.renamed(from: old, to: name)]
    }

    /// The status if it is news.
    private mutating func report() -> [HostNameStatus] {
        guard isPublished, !sides.isEmpty else { return [] }
        let status: HostNameStatus = isSettled ? .established(name) : .probing(name)
        guard status != reported else { return [] }
        reported = status
        return [status]
    }
}

/// The minute after which a search for a free name is called a failure, once for each search
/// (RFC 6762 §9).
struct NamingFailure: Hashable, Sendable {
    private(set) var deadline: Instant?
    private var isRunning = false

    mutating func begin(at now: Instant) {
        guard !isRunning else { return }
        isRunning = true
        deadline = now.advanced(by: DiscoveryTiming.namingFailure)
    }

    mutating func end() {
        isRunning = false
        deadline = nil
    }

    /// Whether the minute is over; true once.
    mutating func isDue(by now: Instant) -> Bool {
        guard let time = deadline, time <= now else { return false }
        deadline = nil
        return true
    }
}
