import DNSMessages
import DNSSD
import NetworkPrimitives

/// What a node knows of something that it offers.
struct RegistrationState {
    /// Where it is offered.
    var interfaces: InterfaceSelection
    /// What was last reported to its readers.
    var reported: RegistrationStatus?
    /// The name under which discovery says that it is established.
    var establishedName: DomainName?

    /// Whether its readers know that nothing can be sent.
    var isBlocked: Bool {
        if case .blocked = reported { true } else { false }
    }
}

// Discovery knows nothing of what becomes of its datagrams. A registration whose probes and
// announcements the kernel refused is not established, whatever discovery says.
extension MDNSNode {
    func registrationChanged(_ id: OperationID, _ status: RegistrationStatus) {
        guard var registration = operations[id]?.registration else { return }
        if case .established(let name) = status {
            registration.establishedName = name
            operations[id]?.registration = registration
            unsettledRegistrations.insert(id)
            return
        }
        if case .hostRenamed = status {
        } else {
            operations[id]?.registration?.establishedName = nil
            unsettledRegistrations.remove(id)
        }
        // While nothing can be sent it is probed for again and again.
        if case .probing = status, registration.isBlocked { return }
        report(status, of: id)
        guard case .conflicted = status else { return }
        conflicts[id] = status
        end(id)
    }

    /// Reports what discovery has established, or that it is not so because nothing can be sent.
    func settleRegistrations(at now: Instant) {
        let sendStateChanged = driver.takeSendStateChange()
        guard sendStateChanged || !unsettledRegistrations.isEmpty else { return }
        for id in unsettledRegistrations.sorted() { settle(id, at: now) }
        guard sendStateChanged else { return }
        for id in operations.keys.sorted() {
            guard let registration = operations[id]?.registration else { continue }
            let state = driver.interfaces.sendState(on: registration.interfaces)
            switch (state, registration.reported) {
            case (.blocked(let failure), .established(let name)):
                report(.blocked(name, failure), of: id)
                retry.start(at: now)
            case (.working, .blocked): retry.noteSuccess(at: now)
            default: break
            }
        }
    }

    private func settle(_ id: OperationID, at now: Instant) {
        guard let registration = operations[id]?.registration,
            let name = registration.establishedName
        else { return }
        switch driver.interfaces.sendState(on: registration.interfaces) {
        case .working: report(.established(name), of: id)
        case .blocked(let failure):
            if !registration.isBlocked { report(.blocked(name, failure), of: id) }
            retry.start(at: now)
        case .untried: return
        }
        unsettledRegistrations.remove(id)
        stopRetryingIfNothingIsBlocked()
    }

    private func report(_ status: RegistrationStatus, of id: OperationID) {
        operations[id]?.registration?.reported = status
        guard let operation = operations[id] else { return }
        for sink in operation.sinks.values { sink.receive(.registration(status)) }
    }

    func stopRetryingIfNothingIsBlocked() {
        guard retry.deadline != nil else { return }
        let isAnyBlocked = operations.values.contains { $0.registration?.isBlocked == true }
        if !isAnyBlocked { retry.stop() }
    }
}
