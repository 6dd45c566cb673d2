import DNSMessages
import DNSSD
import NetworkPrimitives

// Discovery knows nothing of what becomes of its datagrams. A registration whose probes and
// announcements the kernel refused is not established, whatever discovery says.
extension DiscoveryNode {
    mutating func registrationChanged(_ id: OperationID, _ status: RegistrationStatus) {
        guard let registration = registrations[id] else { return }
        switch status {
        case .established(let name):
            registrations[id]?.establishedName = name
            unsettledRegistrations.insert(id)
            return
        case .hostRenamed:
            // Where the service stands is not changed by that.
            deliver(status, of: id)
            return
        default:
            registrations[id]?.establishedName = nil
            unsettledRegistrations.remove(id)
        }
        // What fails is probed for again and again.
        if case .probing = status, registration.isFailing { return }
        report(status, of: id)
        guard case .conflicted = status else { return }
        forget(id)
    }

    /// Reports what discovery has established, or that it is not so because nothing can be sent.
    mutating func settleRegistrations(at now: Instant) {
        let reachabilityChanged = driver.takeReachabilityChange()
        guard reachabilityChanged || !unsettledRegistrations.isEmpty else { return }
        for id in unsettledRegistrations.sorted() { settle(id, at: now) }
        if reachabilityChanged {
            for id in registrations.keys.sorted() { review(id, at: now) }
        }
        stopRetryingIfNothingFails()
    }

    private mutating func settle(_ id: OperationID, at now: Instant) {
        guard let registration = registrations[id],
            let name = registration.establishedName
        else { return }
        switch driver.interfaces.reachability(on: registration.interfaces) {
        case .reachable(let failures): reportEstablished(name, except: failures, id, at: now)
        case .blocked(let failure), .noInterface(let failure):
            if !registration.isBlocked { report(.blocked(name, failure), of: id) }
            retry.start(at: now)
        case .untried: return
        }
        unsettledRegistrations.remove(id)
    }

    /// Reports what has changed about a registration without any change in discovery.
    private mutating func review(_ id: OperationID, at now: Instant) {
        guard let registration = registrations[id] else { return }
        switch (
            driver.interfaces.reachability(on: registration.interfaces), registration.reported
        ) {
        case (.blocked(let failure), .established(let name)),
            (.blocked(let failure), .limited(let name, _)):
            report(.blocked(name, failure), of: id)
            retry.start(at: now)
        case (.noInterface(let failure), .established(let name)),
            (.noInterface(let failure), .limited(let name, _)),
            (.noInterface(let failure), .probing(let name)),
            (.noInterface(let failure), .renamed(_, let name)):
            report(.blocked(name, failure), of: id)
        case (.reachable, .blocked(_, let failure)):
            // Discovery begins anew on an interface that can be used again.
            if failure.kind != .unusable { retry.noteSuccess(at: now) }
        case (.reachable(let failures), .limited(let name, let reported)):
            guard registration.establishedName != nil, failures != reported else { return }
            if hasRecovered(from: reported, to: failures) {
                // Those who could not receive it before are to know of it.
                retry.noteRecovery(at: now)
            } else {
                reportEstablished(name, except: failures, id, at: now)
            }
        case (.reachable(let failures), .established(let name)):
            guard registration.establishedName != nil, !failures.isEmpty else { return }
            reportEstablished(name, except: failures, id, at: now)
        default: break
        }
    }

    /// Whether something works again on an interface that is in use.
    private func hasRecovered(
        from before: [InterfaceFailure], to now: [InterfaceFailure]
    ) -> Bool {
        before.contains { failure in
            let failing = now.filter { $0.interface == failure.interface }
                .reduce(into: Set<AddressFamily>()) { $0.formUnion($1.families) }
            return !failure.families.isSubset(of: failing)
                && driver.interfaces.used.contains { $0.index == failure.interface }
        }
    }

    private mutating func reportEstablished(
        _ name: DomainName, except failures: [InterfaceFailure], _ id: OperationID,
        at now: Instant
    ) {
        let status = RegistrationStatus.limited(name, failures)
        if failures.contains(where: { $0.kind != .unusable }) { retry.start(at: now) }
        switch registrations[id]?.reported {
        case status: return
        case .limited(name, _) where !failures.isEmpty, .established(name) where !failures.isEmpty:
            break
        default: report(.established(name), of: id)
        }
        if !failures.isEmpty { report(status, of: id) }
    }

    private mutating func report(_ status: RegistrationStatus, of id: OperationID) {
        registrations[id]?.reported = status
        deliver(status, of: id)
    }

    private mutating func deliver(_ status: RegistrationStatus, of id: OperationID) {
        events.append((id, .registration(status)))
    }

    mutating func stopRetryingIfNothingFails() {
        guard retry.deadline != nil else { return }
        let isAnyFailing = registrations.values.contains { $0.isFailing }
        if !isAnyFailing { retry.stop() }
    }
}
