public import DNSMessages
public import DNSSD
import LinuxEventLoop

/// A service, or records, that a node offers.
///
/// It is offered as long as somebody holds the handle, a copy of it, or a sequence of its events,
/// and until it is withdrawn or the node is closed.
public struct RegistrationHandle: Sendable {
    let lease: RegistrationLease

    /// What happens to the registration from its start on: probing, established, renamed. For
    /// one reader; further ones use `watchStatus()`.
    public let events: RegistrationEvents

    /// Watches the registration: where it stands now and what happens to it from here on. The
    /// sequence ends when the registration does; after a conflict that is its last event.
    ///
    /// - Returns: At once, with the events.
    public func watchStatus() async -> RegistrationEvents {
        await lease.node.statuses(of: lease)
    }

    /// Waits until the name is ours and announced, somewhere at least.
    ///
    /// - Returns: The name that it got in the end, whole as in `My Web (2)._http._tcp.local`.
    /// - Throws: `MDNSError`: `nameTaken` if the registration ended, before or now, because the
    ///   name is another host's; `sendingFailed` while nothing can be sent, in which case the
    ///   registration goes on and this can be called again; `withdrawn`; `nodeClosed`;
    ///   `cancelled` if the task is cancelled, which changes nothing about the registration.
    @discardableResult
    public func established() async throws(MDNSError) -> DomainName {
        for await status in await watchStatus() {
            switch status {
            case .established(let name), .limited(let name, _):
                return name
            case .conflicted(let name):
                throw MDNSError(
                    .nameTaken, "the name '\(name)' is taken on this network; choose another")
            case .blocked(_, let failure):
                throw MDNSError(failure)
            case .probing, .renamed, .hostRenamed, .failing:
                continue
            }
        }
        if Task.isCancelled { throw .cancelled("waiting for a registration") }
        try await lease.node.checkOpen()
        throw MDNSError(.withdrawn, "the registration was withdrawn before it was established")
    }

    /// Changes the TXT record; the change is announced without delay.
    ///
    /// - Parameter txt: The attributes from now on, all of them.
    /// - Throws: `MDNSError`: a TXT record that is too large, a registration that has ended or is
    ///   none of a service, a closed node. Nothing changes then.
    public func update(txt: TXTRecord) async throws(MDNSError) {
        try await lease.node.update(lease.id, txt: txt)
    }

    /// Changes the subtypes that the service can be found by.
    ///
    /// - Parameter subtypes: The subtypes from now on, all of them.
    /// - Throws: `MDNSError`: a subtype that is given twice or does not fit into a name, a
    ///   registration that has ended or is none of a service, a closed node. Nothing changes
    ///   then.
    public func update(subtypes: [ServiceSubtype]) async throws(MDNSError) {
        try await lease.node.update(lease.id, subtypes: subtypes)
    }

    /// Ends the registration, also when the task is cancelled.
    ///
    /// - Returns: When the goodbye is in the kernel's hands, or a second has gone by in which it
    ///   did not take it: `failed` says why.
    @discardableResult
    public func withdraw() async -> GoodbyeDelivery {
        await lease.node.withdraw(lease.id)
    }
}

/// What keeps a registration: it is withdrawn when nobody holds this any more.
final class RegistrationLease: Sendable {
    let node: MDNSNode
    let id: OperationID

    init(node: MDNSNode, id: OperationID) {
        self.node = node
        self.id = id
    }

    deinit {
        node.loop.perform { [node, id] in
            node.assumeIsolated { $0.leaseHasEnded(id) }
        }
    }
}
