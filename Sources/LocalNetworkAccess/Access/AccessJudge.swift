import LinuxNetworking
import NetworkPrimitives

/// What facts mean: a status and its reasons. A pure function.
///
/// In this order: without an interface the status is unknown, whatever else was seen. With the
/// loopback alone in use nothing is required. What keeps every family from having its socket is
/// a denial. Then each interface and family is judged by what sending to the group came to: one
/// that works means allowed; a denial takes a certain cause on each. What a suspended process
/// missed says nothing. Causes that are merely possible are named only if no other host was
/// received.
struct AccessJudge {
    private let facts: LocalNetworkFacts
    private var certain: [LocalNetworkReason] = []

    /// The assessment of facts.
    ///
    /// - Parameter isRunning: Whether the access is still being tried.
    static func assess(
        _ facts: LocalNetworkFacts, isRunning: Bool = false
    ) -> LocalNetworkAssessment {
        var judge = AccessJudge(facts)
        return judge.assess(isRunning: isRunning)
    }

    private init(_ facts: LocalNetworkFacts) {
        self.facts = facts
    }

    /// What sending to the group came to on one interface over one family.
    private enum Outcome {
        case untried
        case working
        case prevented
    }

    private mutating func assess(isRunning: Bool) -> LocalNetworkAssessment {
        let eligible = facts.interfaces.filter {
            facts.selection.isEligible($0.interface, families: facts.families)
        }
        noteLimits(of: eligible)
        let available = judgeSockets()
        guard !eligible.isEmpty else {
            certain = obstacles() + certain
            return result(.unknown)
        }
        guard !available.isEmpty else { return result(isRunning ? .notDetermined : .denied) }
        if eligible.allSatisfy({ $0.interface.flags.contains(.loopback) }) {
            return result(.notRequired)
        }
        if facts.process.wasSuspended { certain.append(.suspended) }
        var outcomes: [Outcome] = []
        for facts in eligible where !facts.interface.flags.contains(.loopback) {
            for family in AddressFamily.allCases
            where self.facts.families.contains(family) && hasAddress(facts.interface, family) {
                outcomes.append(available.contains(family) ? judge(facts, family) : .prevented)
            }
        }
        if isRunning { return result(.notDetermined) }
        if outcomes.contains(.working) { return result(.allowed) }
        let isDenied = !outcomes.isEmpty && outcomes.allSatisfy { $0 == .prevented }
        return result(isDenied ? .denied : .notDetermined)
    }

    private func result(_ status: LocalNetworkAccessStatus) -> LocalNetworkAssessment {
        let isProven = facts.traffic.contains { $0.receivedCount > 0 }
        let possible =
            isProven || status == .unknown || status == .notRequired
            ? [] : Self.possibleReasons(facts, status)
        return LocalNetworkAssessment(
            status, certain.filter { $0.isCertain } + certain.filter { !$0.isCertain } + possible,
            on: facts.network)
    }

    // MARK: Interfaces

    private func hasAddress(_ interface: NetworkInterface, _ family: AddressFamily) -> Bool {
        interface.addresses.contains { $0.address.family == family && !$0.isTentative }
    }

    /// Why none of the interfaces can be used.
    private func obstacles() -> [LocalNetworkReason] {
        let selected = facts.interfaces.filter {
            facts.selection.contains($0.interface)
                && (facts.selection != .all || !$0.interface.flags.contains(.loopback))
        }
        guard !selected.isEmpty else {
            let hasLoopback = facts.interfaces.contains {
                $0.interface.flags.isSuperset(of: [.loopback, .up])
            }
            return [hasLoopback ? .onlyLoopback : .noInterface]
        }
        return selected.map { obstacle($0) }
    }

    private func obstacle(_ facts: InterfaceFacts) -> LocalNetworkReason {
        let interface = facts.interface
        let name = interface.name
        if !interface.flags.contains(.up) { return .interfaceDown(name) }
        if !interface.flags.contains(.running) { return .noCarrier(name) }
        if self.facts.selection == .all, interface.isUsedOnlyWhenNamed {
            return .pointToPoint(name)
        }
        if !interface.canMulticast { return .multicastOff(name) }
        let wanted = interface.addresses.filter {
            self.facts.families.contains($0.address.family)
        }
        let duplicate = wanted.first { facts.duplicateAddresses.contains($0.address) }
        if let duplicate { return .addressDuplicated(name, duplicate.address) }
        return wanted.isEmpty ? .noAddress(name) : .addressTentative(name)
    }

    /// What is certainly wrong on interfaces that can be used otherwise.
    private mutating func noteLimits(of eligible: [InterfaceFacts]) {
        if let number = facts.interfaceReportsError {
            certain.append(.interfacesPolled(number: number))
        }
        for facts in eligible where !facts.interface.flags.contains(.loopback) {
            let name = facts.interface.name
            for address in facts.duplicateAddresses.sorted() {
                certain.append(.addressDuplicated(name, address))
            }
            let bytes = facts.interface.maximumTransmissionUnit
            if self.facts.families.contains(.ipv6), bytes < 1280 {
                certain.append(.mtuTooSmall(name, bytes: bytes))
            }
        }
    }

    // MARK: Sockets

    /// The families that a socket can be had of; why not of the others is noted.
    private mutating func judgeSockets() -> Set<AddressFamily> {
        var available = facts.families
        for refusal in facts.refusals where available.contains(refusal.family) {
            available.remove(refusal.family)
            if let reason = reason(for: refusal) { certain.append(reason) }
        }
        return available
    }

    /// `nil` for a family that this host simply does not have.
    private func reason(for refusal: Refusal) -> LocalNetworkReason? {
        let code = SystemError.Code(rawValue: refusal.number)
        switch (refusal.operation, code) {
        case (_, .tooManyFiles): return .tooManyOpenFiles(limit: facts.process.openFileLimit)
        case (.socket, .notPermitted), (.socket, .accessDenied):
            return .socketsRefused(
                refusal.family, number: refusal.number,
                isFiltered: facts.process.hasSystemCallFilter)
        case (.socket, .familyUnsupported):
            // A filter that refuses a family says the same as a kernel without it; but then no
            // interface has an address of it.
            let isThere = facts.interfaces.contains { $0.interface.has(refusal.family) }
            guard isThere else { return nil }
            return .socketsRefused(
                refusal.family, number: refusal.number,
                isFiltered: facts.process.hasSystemCallFilter)
        case (.bind, .accessDenied): return .portReserved
        case (.bind, .notPermitted):
            return .socketsRefused(
                refusal.family, number: refusal.number,
                isFiltered: facts.process.hasSystemCallFilter)
        case (.bind, .addressInUse): return portReason(refusal.family)
        case (.bind, .addressNotAvailable) where refusal.family == .ipv6: return nil
        default: return .socketFailed(refusal)
        }
    }

    private func portReason(_ family: AddressFamily) -> LocalNetworkReason {
        let holders = facts.portHolders.filter { $0.family == family }
        // One of another user may have set SO_REUSEPORT alone, which can't be read.
        if let other = holders.first(where: { $0.user != facts.process.user }) {
            return .portHeldByOtherUser(other)
        }
        return .portHeld(holders.first)
    }

    // MARK: Traffic

    private mutating func judge(_ facts: InterfaceFacts, _ family: AddressFamily) -> Outcome {
        let name = facts.interface.name
        let traffic = self.facts.traffic.first {
            $0.interface == facts.interface.index && $0.family == family
        }
        guard let traffic else {
            guard family == .ipv6, lacksGroupRoute(facts.interface) else { return .untried }
            certain.append(.multicastRouteMissing(name, family))
            return .prevented
        }
        if traffic.receivedCount > 0 || traffic.loopedBackCount > 0 {
            noteJoinError(traffic, name)
            if let limit = traffic.loopedBackHopLimit, limit != 255 {
                certain.append(.hopLimitChanged(name, family, limit: limit))
            }
            return traffic.sentCount > 0 ? .working : judgeSending(traffic, name)
        }
        if traffic.sentCount == 0, traffic.sendError != nil { return judgeSending(traffic, name) }
        if traffic.joinError != nil {
            noteJoinError(traffic, name)
            return .prevented
        }
        // Copies that a suspended process has not read say nothing.
        guard traffic.sentCount > 0, traffic.isSettled, !self.facts.process.wasSuspended
        else { return .untried }
        certain.append(.inputDropped(name, family, dropPlace(family)))
        return .prevented
    }

    private mutating func noteJoinError(_ traffic: TrafficFacts, _ name: String) {
        guard let number = traffic.joinError else { return }
        let isLimit =
            traffic.family == .ipv4 && number == SystemError.Code.noBufferSpace.rawValue
        certain.append(
            isLimit
                ? .membershipLimit(name, limit: facts.membershipLimit)
                : .joinRefused(name, traffic.family, number: number))
    }

    private mutating func judgeSending(_ traffic: TrafficFacts, _ name: String) -> Outcome {
        guard let number = traffic.sendError else { return .untried }
        let family = traffic.family
        let reason: LocalNetworkReason
        switch SystemError.Code(rawValue: number) {
        case .notPermitted, .accessDenied, .connectionRefused:
            reason =
                traffic.isLoopbackRefused
                ? .sendingFiltered(number: number)
                : .sendingRefused(name, family, number: number)
        case .noBufferSpace: reason = .outputDropped(name, family)
        case .networkUnreachable, .hostUnreachable: reason = .multicastRouteMissing(name, family)
        // The interface or its address went meanwhile.
        case .networkDown, .noSuchDevice, .addressNotAvailable: return .untried
        default: reason = .sendingFailed(name, family, number: number)
        }
        if !certain.contains(reason) { certain.append(reason) }
        return .prevented
    }

    private func dropPlace(_ family: AddressFamily) -> LocalNetworkReason.DropPlace {
        let count =
            family == .ipv4
            ? facts.counters.multicastReceived : facts.counters.multicastReceivedIPv6
        guard let count else { return .unknown }
        return count > 0 ? .packetFilter : .device
    }

    /// Whether the interface has IPv6 routes, but none to the group.
    private func lacksGroupRoute(_ interface: NetworkInterface) -> Bool {
        let routes = facts.routes.filter {
            $0.interface == interface.name && $0.destination.address.family == .ipv6
        }
        let group = IPAddress.multicastDNS(.ipv6)
        return !routes.isEmpty && !routes.contains { $0.destination.contains(group) }
    }

}
