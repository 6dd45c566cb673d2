import DNSSD
import LinuxNetworking
import NetworkPrimitives

/// The interfaces of the system, those that the node works on, and how things stand on each.
struct InterfaceTable {
    /// All there are, by number.
    private(set) var all: [NetworkInterface]
    /// Those that the node works on.
    private(set) var used: [NetworkInterface] = []
    /// Names of those that there are, and of the last that have gone: events speak of them, too.
    private var names: [InterfaceIndex: String] = [:]
    /// So many have gone at most: containers come and go for years, each with a new number.
    private static let maximumGone = 1024
    /// Of each that is used, in their order.
    private var conditions: [Condition] = []
    /// Those that were used once and are still there.
    private var known: Set<InterfaceIndex> = []
    /// On how many interfaces and over how many families own multicasts have not come back yet.
    private var awaitedCopies = 0
    private let selection: InterfaceSelection

    /// How things stand on an interface.
    private struct Condition {
        var reach: [AddressFamily: NodeStatus.Reach] = [:]
        private var traffic = PerFamily(TrafficHistory())

        subscript(family: AddressFamily) -> TrafficHistory {
            get { traffic[family] }
            _modify { yield &traffic[family] }
        }

        var isWorking: Bool { AddressFamily.allCases.contains { traffic[$0].isWorking } }
        var awaitedCopies: Int { AddressFamily.allCases.count { traffic[$0].awaitsCopy } }

        func failures(on interface: NetworkInterface) -> [InterfaceFailure] {
            var families: [TrafficHistory.Fault: Set<AddressFamily>] = [:]
            var failures: [InterfaceFailure] = []
            for family in AddressFamily.allCases where interface.has(family) {
                let fault = self[family].fault
                if let fault, fault != .receiving {
                    families[fault, default: []].insert(family)
                } else if case .refused(let reason) = reach[family] {
                    failures.append(
                        InterfaceFailure(joiningFailsOver: family, on: interface, reason: reason))
                } else if let fault {
                    families[fault, default: []].insert(family)
                }
            }
            for (fault, families) in families {
                let failure =
                    switch fault {
                    case .sending(let error):
                        InterfaceFailure(error, over: families, on: interface)
                    case .receiving:
                        InterfaceFailure(receivingFailsOver: families, on: interface)
                    }
                failures.append(failure)
            }
            return failures.sorted { $0.description < $1.description }
        }
    }

    /// A membership to be taken or given up.
    enum Change: Equatable {
        case join(AddressFamily, InterfaceIndex)
        case forget(InterfaceIndex)
    }

    init(_ selection: InterfaceSelection, all: [NetworkInterface] = []) {
        self.selection = selection
        self.all = all
        for interface in all { names[interface.index] = interface.name }
    }

    /// Takes in the system's word, and says what memberships it asks for. A membership that was
    /// refused is tried again each time.
    mutating func update(
        _ interfaces: [NetworkInterface], families: Set<AddressFamily>
    ) -> [Change] {
        all = interfaces
        for interface in interfaces { names[interface.index] = interface.name }
        forgetOldNames()
        let before = self
        used = interfaces.filter { selection.isEligible($0, families: families) }
        known.formUnion(used.map { $0.index })
        known.formIntersection(interfaces.map { $0.index })
        var changes: [Change] = []
        for old in before.used where place(of: old.index) == nil {
            changes.append(.forget(old.index))
        }
        conditions = used.map { interface in
            before.place(of: interface.index).map { before.conditions[$0] } ?? Condition()
        }
        awaitedCopies = conditions.reduce(0) { $0 + $1.awaitedCopies }
        for (place, interface) in used.enumerated() {
            for family in [AddressFamily.ipv4, .ipv6] where families.contains(family) {
                if !interface.has(family) {
                    conditions[place].reach[family] = nil
                } else if conditions[place].reach[family] != .joined {
                    changes.append(.join(family, interface.index))
                }
            }
        }
        return changes
    }

    /// Drops half of the names of interfaces that have gone, those with the lowest numbers, which
    /// the kernel gave out first.
    private mutating func forgetOldNames() {
        guard names.count > all.count + Self.maximumGone else { return }
        let present = Set(all.map { $0.index })
        let gone = names.keys.filter { !present.contains($0) }.sorted()
        for index in gone.prefix(gone.count / 2) { names[index] = nil }
    }

    private func place(of index: InterfaceIndex) -> Int? {
        used.firstIndex { $0.index == index }
    }

    /// Notes how joining went.
    mutating func note(
        _ reach: NodeStatus.Reach, _ family: AddressFamily, _ index: InterfaceIndex
    ) {
        guard let place = place(of: index) else { return }
        conditions[place].reach[family] = reach
    }

    /// Notes that the kernel took a datagram.
    ///
    /// - Returns: Whether something works now that did not before, or the other way round.
    mutating func noteSent(
        _ family: AddressFamily, on index: InterfaceIndex, isMulticast: Bool, at now: Instant
    ) -> Bool {
        changeTraffic(family, on: index) { $0.noteSent(isMulticast: isMulticast, at: now) }
    }

    /// Notes that a datagram could not be sent.
    ///
    /// - Returns: Whether something does not work now that did before.
    mutating func noteFailure(
        _ error: TrafficHistory.SendError, _ family: AddressFamily, on index: InterfaceIndex
    ) -> Bool {
        changeTraffic(family, on: index) { $0.noteFailure(error) }
    }

    /// Notes that a datagram to the group arrived. To be called for each, and so quick.
    ///
    /// - Returns: Whether receiving works now and did not before.
    mutating func noteReceived(_ family: AddressFamily, on index: InterfaceIndex) -> Bool {
        guard awaitedCopies > 0, let place = place(of: index),
            conditions[place][family].awaitsCopy
        else { return false }
        return changeTraffic(family, on: index) { $0.noteReceived() }
    }

    private mutating func changeTraffic(
        _ family: AddressFamily, on index: InterfaceIndex,
        _ change: (inout TrafficHistory) -> Void
    ) -> Bool {
        guard let place = place(of: index) else { return false }
        let before = conditions[place][family]
        change(&conditions[place][family])
        let after = conditions[place][family]
        if before.awaitsCopy != after.awaitsCopy { awaitedCopies += after.awaitsCopy ? 1 : -1 }
        return (before.fault == nil) != (after.fault == nil)
            || before.isWorking != after.isWorking
    }

    /// Whether what is offered on the selected interfaces can be found.
    func reachability(on selection: InterfaceSelection) -> Reachability {
        var failures: [InterfaceFailure] = []
        var isUsed = false
        var isWorking = false
        for (interface, condition) in zip(used, conditions) where selection.contains(interface) {
            isUsed = true
            if condition.isWorking { isWorking = true }
            failures += condition.failures(on: interface)
        }
        let refused = failures.first { $0.kind == .sending }
        failures += all.filter { selection.contains($0) && isMissed($0) }.map {
            InterfaceFailure(unusable: $0, because: Self.obstacle($0, selection: .index($0.index)))
        }
        if isWorking {
            return .reachable(
                except: failures.sorted {
                    ($0.interface, $0.description) < ($1.interface, $1.description)
                })
        }
        if let refused { return .blocked(refused) }
        if !isUsed, let missed = failures.first { return .noInterface(missed) }
        return .untried
    }

    /// What does not work on the interfaces in use, and which others are missed.
    var failures: [InterfaceFailure] {
        zip(used, conditions).flatMap { $1.failures(on: $0) }
            + all.filter { isMissed($0) }.map {
                InterfaceFailure(
                    unusable: $0, because: Self.obstacle($0, selection: .index($0.index)))
            }
    }

    /// On what and over what to try whether it works again.
    var faults: [(InterfaceIndex, AddressFamily)] {
        zip(used, conditions).flatMap { interface, condition in
            AddressFamily.allCases.filter { condition[$0].fault != nil }
                .map { (interface.index, $0) }
        }
    }

    /// Whether the interface is one that was used before, or that is named, and can't be used.
    private func isMissed(_ interface: NetworkInterface) -> Bool {
        guard !used.contains(where: { $0.index == interface.index }) else { return false }
        if known.contains(interface.index) { return true }
        guard case .named(let names) = selection else { return false }
        return names.contains(interface.name)
    }

    /// Whether the address is this host's, on an interface in use.
    func owns(_ address: IPAddress) -> Bool { used.contains { $0.owns(address) } }

    /// The interface's name, also of one that has gone; `if7` for one that never was.
    func name(of index: InterfaceIndex) -> String {
        names[index] ?? "if\(index)"
    }

    /// The address that a datagram leaves with: one in the receiver's subnet, else for a group
    /// in IPv6 a link-local one, else the first. Where the kernel chooses, it may take one that
    /// nobody on that link can answer to.
    func source(for destination: IPAddress, on index: InterfaceIndex) -> IPAddress? {
        guard let place = place(of: index) else { return nil }
        var best: (rank: Int, address: IPAddress)?
        for own in used[place].addresses
        where own.address.family == destination.family && !own.isTentative {
            let rank =
                if own.prefix.contains(destination) {
                    3
                } else if destination.family == .ipv6, own.address.isLinkLocal {
                    2
                } else {
                    own.isUsable ? 1 : 0
                }
            if rank > best?.rank ?? -1 { best = (rank, own.address) }
        }
        return best?.address
    }

    /// How things stand on each interface in use.
    var status: [NodeStatus.Interface] {
        zip(used, conditions).map { interface, condition in
            var sends: [AddressFamily: NodeStatus.Sends] = [:]
            for family in [AddressFamily.ipv4, .ipv6] where condition[family].wasTried {
                let traffic = condition[family]
                let failure = traffic.lastError.map {
                    InterfaceFailure($0, over: [family], on: interface)
                }
                sends[family] = NodeStatus.Sends(
                    sentCount: traffic.sentCount, failedCount: traffic.failedCount,
                    lastFailure: failure, isBlocked: traffic.isBlocked)
            }
            return NodeStatus.Interface(
                interface: interface, reach: condition.reach, sends: sends)
        }
    }

    /// Checks that a selection names interfaces that exist.
    static func check(
        _ selection: InterfaceSelection, among interfaces: [NetworkInterface]
    ) throws(MDNSError) {
        let known = interfaces.map { $0.name }.joined(separator: ", ")
        switch selection {
        case .all: break
        case .index(let index):
            guard !interfaces.contains(where: { $0.index == index }) else { break }
            throw MDNSError(
                .unknownInterface, "there is no interface number \(index); there are \(known)")
        case .named(let patterns):
            for pattern in patterns
            where !interfaces.contains(where: { InterfaceSelection.matches($0.name, pattern) }) {
                throw MDNSError(
                    .unknownInterface,
                    "there is no interface '\(pattern)'; there are \(known)")
            }
        }
    }

    /// Why no interface can be used, if none can.
    static func obstacle(
        _ selection: InterfaceSelection, _ families: Set<AddressFamily>,
        among interfaces: [NetworkInterface]
    ) -> String? {
        let usable = interfaces.contains { selection.isEligible($0, families: families) }
        guard !usable else { return nil }
        let reasons = interfaces.filter { selection.contains($0) }.map {
            "\($0.name) \(obstacle($0, selection: selection))"
        }
        return "no interface can be used for multicast DNS: "
            + (reasons.isEmpty ? "there is none" : reasons.joined(separator: "; "))
    }

    /// Why an interface can't be used.
    private static func obstacle(
        _ interface: NetworkInterface, selection: InterfaceSelection
    ) -> String {
        if interface.flags.contains(.loopback), selection == .all {
            "is the loopback, used only when named"
        } else if interface.isUsedOnlyWhenNamed, selection == .all {
            "is a point-to-point line, used only when named"
        } else if !interface.flags.contains(.up) {
            "is down: 'ip link set \(interface.name) up'"
        } else if !interface.flags.contains(.running) {
            "has no carrier"
        } else if !interface.canMulticast {
            "can't multicast: 'ip link set \(interface.name) multicast on'"
        } else {
            "has no address of a family that is asked for"
        }
    }
}
