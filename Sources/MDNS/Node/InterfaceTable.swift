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
    private var conditions: [InterfaceIndex: Condition] = [:]
    private let selection: InterfaceSelection

    /// How things stand on an interface.
    private struct Condition {
        var reach: [AddressFamily: NodeStatus.Reach] = [:]
        var sends: [AddressFamily: SendHistory] = [:]

        var sendState: SendState {
            if sends.values.contains(where: { $0.isWorking }) { return .working }
            let failures = [AddressFamily.ipv4, .ipv6].compactMap { family in
                sends[family].flatMap { $0.isBlocked ? $0.lastFailure : nil }
            }
            return failures.first.map { .blocked($0) } ?? .untried
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
        let before = used
        used = interfaces.filter { selection.isEligible($0, families: families) }
        var changes: [Change] = []
        for old in before where !used.contains(where: { $0.index == old.index }) {
            conditions[old.index] = nil
            changes.append(.forget(old.index))
        }
        for interface in used {
            for family in [AddressFamily.ipv4, .ipv6] where families.contains(family) {
                guard interface.has(family) else {
                    conditions[interface.index]?.reach[family] = nil
                    continue
                }
                if conditions[interface.index]?.reach[family] != .joined {
                    changes.append(.join(family, interface.index))
                }
            }
        }
        return changes
    }

    /// Notes how joining went.
    mutating func note(
        _ reach: NodeStatus.Reach, _ family: AddressFamily, _ index: InterfaceIndex
    ) {
        conditions[index, default: Condition()].reach[family] = reach
    }

    /// Notes that the kernel took a datagram.
    ///
    /// - Returns: Whether sending on the interface works now and did not before.
    mutating func noteSent(_ family: AddressFamily, on index: InterfaceIndex) -> Bool {
        changeSends(family, on: index) { history, _ in history.noteSent() }
    }

    /// Notes that a datagram could not be sent: `nil` for want of room.
    ///
    /// - Returns: Whether sending on the interface is blocked now and was not before.
    mutating func noteFailure(
        _ code: SystemError.Code?, _ family: AddressFamily, on index: InterfaceIndex
    ) -> Bool {
        changeSends(family, on: index) { history, interface in
            history.noteFailure(
                code.map { SendFailure($0, family, on: interface) }
                    ?? SendFailure(queueFullFor: family, on: interface))
        }
    }

    private mutating func changeSends(
        _ family: AddressFamily, on index: InterfaceIndex,
        _ change: (inout SendHistory, NetworkInterface) -> Void
    ) -> Bool {
        guard let interface = used.first(where: { $0.index == index }) else { return false }
        var condition = conditions[index] ?? Condition()
        let wasWorking = condition.sendState == .working
        change(&condition.sends[family, default: SendHistory()], interface)
        conditions[index] = condition
        return wasWorking != (condition.sendState == .working)
    }

    /// Whether what is sent on the selected interfaces leaves the machine.
    func sendState(on selection: InterfaceSelection) -> SendState {
        var state = SendState.untried
        for interface in used where selection.contains(interface) {
            switch conditions[interface.index]?.sendState ?? .untried {
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
        guard let interface = used.first(where: { $0.index == index }) else { return nil }
        let own = interface.addresses.filter {
            $0.address.family == destination.family && !$0.isTentative
        }
        let near = own.first { $0.prefix.contains(destination) }
        let linkLocal = destination.family == .ipv6 ? own.first { $0.address.isLinkLocal } : nil
        let usable = own.first(where: \.isUsable)
        return (near ?? linkLocal ?? usable ?? own.first)?.address
    }

    /// How things stand on each interface in use.
    var status: [NodeStatus.Interface] {
        used.map { interface in
            let condition = conditions[interface.index] ?? Condition()
            return NodeStatus.Interface(
                interface: interface, reach: condition.reach,
                sends: condition.sends.mapValues {
                    NodeStatus.Sends(
                        sentCount: $0.sentCount, failedCount: $0.failedCount,
                        lastFailure: $0.lastFailure, isBlocked: $0.isBlocked)
                })
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
