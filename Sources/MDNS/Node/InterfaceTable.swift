import DNSSD
import LinuxNetworking
import NetworkPrimitives

/// The interfaces of the system, those that the node works on, and how things stand on each.
struct InterfaceTable {
    /// All there are, by number.
    private(set) var all: [NetworkInterface]
    /// Those that the node works on.
    private(set) var used: [NetworkInterface] = []
    /// Names of all that were ever seen: events speak of interfaces that have gone, too.
    private var names: [InterfaceIndex: String] = [:]
    /// Of each that is used, in their order.
    private var conditions: [Condition] = []
    private let selection: InterfaceSelection

    /// How things stand on an interface.
    private struct Condition {
        var reach: [AddressFamily: NodeStatus.Reach] = [:]
        var sendsIPv4 = SendHistory()
        var sendsIPv6 = SendHistory()

        subscript(family: AddressFamily) -> SendHistory {
            get { family == .ipv4 ? sendsIPv4 : sendsIPv6 }
            _modify {
                if family == .ipv4 { yield &sendsIPv4 } else { yield &sendsIPv6 }
            }
        }

        var isWorking: Bool { sendsIPv4.isWorking || sendsIPv6.isWorking }

        var sendState: SendState {
            if isWorking { return .working }
            for history in [sendsIPv4, sendsIPv6] where history.isBlocked {
                if let failure = history.lastFailure { return .blocked(failure) }
            }
            return .untried
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
        let before = self
        used = interfaces.filter { selection.isEligible($0, families: families) }
        var changes: [Change] = []
        for old in before.used where place(of: old.index) == nil {
            changes.append(.forget(old.index))
        }
        conditions = used.map { interface in
            before.place(of: interface.index).map { before.conditions[$0] } ?? Condition()
        }
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
    /// - Returns: Whether sending on the interface works now and did not before.
    mutating func noteSent(_ family: AddressFamily, on index: InterfaceIndex) -> Bool {
        guard let place = place(of: index) else { return false }
        let wasWorking = conditions[place].isWorking
        conditions[place][family].noteSent()
        return !wasWorking
    }

    /// Notes that a datagram could not be sent: `nil` for want of room.
    ///
    /// - Returns: Whether sending on the interface is blocked now and was not before.
    mutating func noteFailure(
        _ code: SystemError.Code?, _ family: AddressFamily, on index: InterfaceIndex
    ) -> Bool {
        guard let place = place(of: index) else { return false }
        let wasWorking = conditions[place].isWorking
        conditions[place][family].noteFailure(
            code.map { SendFailure($0, family, on: used[place]) }
                ?? SendFailure(queueFullFor: family, on: used[place]))
        return wasWorking && !conditions[place].isWorking
    }

    /// Whether what is sent on the selected interfaces leaves the machine.
    func sendState(on selection: InterfaceSelection) -> SendState {
        var state = SendState.untried
        for (place, interface) in used.enumerated() where selection.contains(interface) {
            switch conditions[place].sendState {
            case .working: return .working
            case .blocked(let failure): if state == .untried { state = .blocked(failure) }
            case .untried: break
            }
        }
        return state
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
                let history = condition[family]
                sends[family] = NodeStatus.Sends(
                    sentCount: history.sentCount, failedCount: history.failedCount,
                    lastFailure: history.lastFailure, isBlocked: history.isBlocked)
            }
            return NodeStatus.Interface(
                interface: interface, reach: condition.reach, sends: sends)
        }
    }

    /// Checks that a selection names interfaces that exist.
    static func check(
        _ selection: InterfaceSelection, among interfaces: [NetworkInterface]
    ) throws(MDNSError) {
        let known = interfaces.map(\.name).joined(separator: ", ")
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
            interface in
            let reason =
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
            return "\(interface.name) \(reason)"
        }
        return "no interface can be used for multicast DNS: "
            + (reasons.isEmpty ? "there is none" : reasons.joined(separator: "; "))
    }
}
