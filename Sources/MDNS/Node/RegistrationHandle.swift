import DNSMessages
public import DNSSD

/// A service, or records, that a node offers.
///
/// It is offered until it is withdrawn or the node is closed, whether or not the handle is kept.
public struct RegistrationHandle: Sendable {
    let node: MDNSNode
    let id: OperationID

    /// What happens to the registration from its start on: probing, established, renamed. For
    /// one reader; further ones use `statuses()`.
    public let events: RegistrationEvents

    /// Where the registration stands now and what happens to it from here on.
    public func statuses() async -> RegistrationEvents {
        await node.statuses(of: id)
    }

    /// Waits until the name is ours and announced.
    ///
    /// - Returns: The name that it got in the end, whole as in `My Web (2)._http._tcp.local`.
    /// - Throws: `MDNSError` if the registration ended before.
    @discardableResult
    public func established() async throws(MDNSError) -> DomainName {
        for await status in await statuses() {
            switch status {
            case .established(let name):
                return name
            case .conflicted(let name):
                throw MDNSError(
                    .nameTaken, "the name '\(name)' is taken on this network; choose another")
            case .probing, .renamed, .hostRenamed, .failing:
                continue
            }
        }
        throw MDNSError(.nodeClosed, "the registration was withdrawn before it was established")
    }

    /// Changes what the service says of itself; others are told without delay.
    public func update(txt: TXTRecord) async throws(MDNSError) {
        try await node.update(id, txt: txt)
    }

    /// Changes the subtypes that the service can be found by.
    public func update(subtypes: [ServiceSubtype]) async throws(MDNSError) {
        try await node.update(id, subtypes: subtypes)
    }

    /// Ends the registration. When this returns the goodbye has left.
    public func withdraw() async {
        await node.stop(id)
    }
}
