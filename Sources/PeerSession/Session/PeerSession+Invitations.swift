import LinuxNetworking
import MDNS
import NetworkPrimitives
public import PeerProtocol

extension PeerSession {
    /// Invites the peer at an address and waits until it accepts: for peers that are not found by
    /// multicast.
    ///
    /// - Parameters:
    ///   - host: An address, with its interface if it is link-local (`fe80::1%eth0`), a name
    ///     ending with `.local`, or `localhost`. Other names are not looked up.
    ///   - port: The port that the peer listens on.
    ///   - expected: Whom it must be. Another one is told nothing.
    ///   - context: Bytes for the other application, 65,536 at most.
    ///   - timeout: How long all of it may take; 30 seconds if zero.
    /// - Returns: The connection, also if the peer's own invitation was accepted meanwhile.
    /// - Throws: `PeerSessionError`, which says at which step it failed and with which addresses.
    public func connect(
        to host: String, port: UInt16, expecting expected: ExpectedPeer = .anyone,
        context: [UInt8] = [], timeout: Duration = Invitation.defaultTime
    ) async throws(PeerSessionError) -> PeerConnection {
        try checkOpen()
        guard port != 0 else { throw .invalid("Port 0 can't be connected to.") }
        let limit = SystemClock.now.advanced(by: timeout > .zero ? timeout : Invitation.defaultTime)
        let addresses = try await addresses(of: host, port: port)
        return try await invite(addresses, expected, context, limit)
    }

    /// Invites a peer that was found and waits until it accepts.
    ///
    /// - Parameters:
    ///   - peer: The peer; all of its addresses that are known now are tried.
    ///   - expected: Whom it must be: what a peer says on the network before its key is proved
    ///     only chooses whom to dial.
    ///   - context: Bytes for the other application, 65,536 at most.
    ///   - timeout: How long all of it may take; 30 seconds if zero.
    /// - Returns: The connection, also if the peer's own invitation was accepted meanwhile.
    /// - Throws: `PeerSessionError`, which says at which step it failed and with which addresses.
    public func invite(
        _ peer: FoundPeer, expecting expected: ExpectedPeer = .anyone, context: [UInt8] = [],
        timeout: Duration = Invitation.defaultTime
    ) async throws(PeerSessionError) -> PeerConnection {
        try checkOpen()
        let limit = SystemClock.now.advanced(by: timeout > .zero ? timeout : Invitation.defaultTime)
        return try await invite(addresses(of: peer), expected, context, limit)
    }

    private func invite(
        _ addresses: [SocketAddress], _ expected: ExpectedPeer, _ context: [UInt8],
        _ limit: Instant
    ) async throws(PeerSessionError) -> PeerConnection {
        guard context.count <= Invitation.maximumContext else {
            throw .invalid(
                "The context has \(context.count) bytes; \(Invitation.maximumContext) are allowed.")
        }
        let time = SystemClock.now.duration(to: limit)
        if time < Invitation.shortTime { report(.shortInvitation(time)) }
        switch try await dial(addresses, expected: expected, context: context, limit: limit) {
        case .connected(let state): return handle(of: state)
        case .invited(let peer, let number): return try await answer(to: number, of: peer)
        }
    }

    /// Invites a peer that has a link.
    ///
    /// - Returns: The number of the invitation.
    func invite(
        _ entry: PeerEntry, _ context: [UInt8], _ limit: Instant
    ) throws(PeerSessionError) -> UInt64 {
        let now = SystemClock.now
        guard connectedCount < options.maximumPeers else { throw .full(options.maximumPeers) }
        lastInvitation += 1
        let number = lastInvitation
        do throws(InvitationError) {
            // In what is left of the time, a moment at least.
            let rest = max(now.duration(to: limit), .milliseconds(1))
            let invitation = try Invitation(context: context, time: rest)
            let effects = try entry.selection.invite(invitation, number: number, now: now)
            entry.invitation = number
            follow(effects, entry)
        } catch { throw PeerSessionError(error) }
        return number
    }

    /// Waits until an invitation of this side is answered; takes it back if the task is cancelled.
    private func answer(
        to number: UInt64, of peer: PeerIdentity
    ) async throws(PeerSessionError) -> PeerConnection {
        while invitationResults[number] == nil {
            await wait(for: .invitation(number))
            guard invitationResults[number] == nil else { break }
            if isClosed { throw .sessionClosed }
            guard Task.isCancelled else { continue }
            if let entry = peerEntries[peer] { follow(entry.selection.withdraw(), entry) }
            settle()
            invitationResults[number] = nil
            throw .cancelled("Inviting")
        }
        let result = invitationResults.removeValue(forKey: number)
        guard let result else { throw .cancelled("Inviting") }
        return handle(of: try result.get())
    }

    /// The invitations of peers, one after the other. Each has to be answered in its time; one
    /// that nobody holds any more is declined. Several readers share them.
    public nonisolated var invitations: EventSequence<ReceivedInvitation> {
        EventSequence(
            subscription: Subscription {
            } onLimit: { _ in
            }
        ) { [invitationMailbox] in
            await invitationMailbox.next(isolation: $0)
        }
    }

    // MARK: Effects

    /// Follows what the invitations of a peer come to.
    ///
    /// - Parameter end: The end of the link that led to it.
    func follow(
        _ effects: [LinkSelection.Effect], _ entry: PeerEntry, because end: LinkEnd? = nil
    ) {
        let now = SystemClock.now
        for effect in effects {
            switch effect {
            case .send(let message, on: let role):
                guard let transport = entry.links[role] else { continue }
                // A link that has just ended says so by its event, which follows.
                try? transport.link.send(message, now: now)
                mark(transport)
            case .invited(let number, let invitation): show(invitation, number, entry)
            case .withdrawn(let number, let refusal): withdraw(number, refusal, entry)
            case .connected(on: let role): connect(entry, on: role)
            case .failed(let refusal): fail(entry, refusal, end)
            case .close(let role, let reason):
                guard let transport = entry.links[role] else { continue }
                transport.link.close(reason, now: now)
                mark(transport)
            }
        }
    }

    private func show(_ invitation: Invitation, _ number: UInt64, _ entry: PeerEntry) {
        guard connectedCount < options.maximumPeers, !isClosed else {
            return follow(entry.selection.decline(number: number, .full), entry)
        }
        entry.asking = number
        let received = ReceivedInvitation(
            peer: entry.description, trust: entry.trust.ours, context: invitation.context,
            time: invitation.time,
            answer: InvitationAnswer(self, entry.identity, number))
        report(.invited(entry.description))
        invitationMailbox.put { $0.append(received) }
    }

    private func withdraw(_ number: UInt64, _ refusal: InvitationRefusal, _ entry: PeerEntry) {
        if entry.asking == number { entry.asking = nil }
        let identity = entry.identity
        invitationMailbox.put { $0.remove(identity, number) }
        report(.invitationOver(entry.description, refusal))
        waiters.wake(.answer(number))
    }

    private func fail(_ entry: PeerEntry, _ refusal: InvitationRefusal, _ end: LinkEnd?) {
        let error = end.map { PeerSessionError($0) } ?? PeerSessionError(refusal)
        if let number = entry.invitation {
            invitationResults[number] = .failure(error)
            waiters.wake(.invitation(number))
        }
        entry.invitation = nil
        for transport in entry.links.values {
            transport.link.close(.refused, now: SystemClock.now)
            mark(transport)
        }
    }

    // MARK: Answers

    func accept(
        _ peer: PeerIdentity, _ number: UInt64
    ) async throws(PeerSessionError)
        -> PeerConnection
    {
        try checkOpen()
        guard let entry = peerEntries[peer], entry.asking == number else {
            if let state = peerEntries[peer]?.connection { return handle(of: state) }
            throw .invitationOver
        }
        guard connectedCount < options.maximumPeers else {
            follow(entry.selection.decline(number: number, .full), entry)
            settle()
            throw .full(options.maximumPeers)
        }
        follow(entry.selection.accept(number: number), entry)
        settle()
        while entry.connection == nil, entry.asking == number {
            await wait(for: .answer(number))
            try checkOpen()
            if Task.isCancelled, entry.connection == nil { throw .cancelled("Accepting") }
        }
        guard let state = entry.connection else { throw .invitationOver }
        return handle(of: state)
    }

    func decline(_ peer: PeerIdentity, _ number: UInt64) {
        guard let entry = peerEntries[peer], entry.asking == number else { return }
        entry.asking = nil
        follow(entry.selection.decline(number: number), entry)
        settle()
    }
}

extension PeerSessionError {
    static let invitationOver = PeerSessionError(
        .invitationOver, "The invitation no longer holds.")

    static func full(_ count: Int) -> PeerSessionError {
        PeerSessionError(
            .full, "The session has \(count) peers, which is the most it may have.")
    }

    init(_ refusal: InvitationRefusal) {
        switch refusal {
        case .declined: self.init(.declined, "The peer declined.")
        case .noAnswer: self.init(.noAnswer, "The peer did not answer in time.")
        case .full: self.init(.full, "The peer has as many peers or invitations as it can have.")
        case .withdrawn: self.init(.cancelled, "The invitation was withdrawn.")
        }
    }

    init(_ error: InvitationError) {
        switch error {
        case .contextTooLong(let bytes):
            self = .invalid(
                "The context has \(bytes) bytes; \(Invitation.maximumContext) are allowed.")
        case .alreadyInvited:
            self.init(
                .alreadyInvited, "An invitation to that peer has not been answered yet; wait.")
        case .alreadyConnected:
            self.init(.alreadyInvited, "The peer is connected already.")
        }
    }
}
