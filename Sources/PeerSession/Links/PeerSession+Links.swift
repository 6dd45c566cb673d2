import LinuxNetworking
import NetworkPrimitives
import PeerProtocol

extension PeerSession {
    /// Trusted peers that are neither connected nor invited; the one that has waited longest goes.
    private static let maximumUnconnected = 32

    /// Follows an event of a link.
    func handle(_ event: PeerLink.Event, on transport: LinkTransport) {
        let now = SystemClock.now
        switch event {
        case .answerWanted:
            guard admission.mayAnswer(now: now) else {
                counters.throttled += 1
                return drop(transport)
            }
            // It has not ended, or the event would not have come.
            try? transport.link.answer(now: now)
        case .established(let peer):
            if let ticket = transport.ticket { admission.remove(ticket) }
            transport.ticket = nil
            // Where a secret is used, the initiator has its proof only by the first record.
            guard !peer.negotiation.usesSecret || peer.provesSecret else { return }
            decide(on: peer.description, transport, provedSecret: peer.provesSecret)
        case .secretProved:
            guard let peer = transport.link.peer else { return }
            decide(on: peer.description, transport, provedSecret: true)
        case .answered:
            guard let description = transport.link.peer?.description else { return }
            follow(runs.answered(description.identity, description.run))
        case .trusted(let standing):
            guard let entry = entry(of: transport) else { return }
            entry.trust.theirs = standing
            report(.standing(entry.description, entry.trust))
            publishPeers()
        case .invitation(let message):
            guard let role = role(of: transport), let entry = entry(of: transport) else { return }
            let canAsk = entry.selection.isAsking || askingCount < InvitationTable.maximumAsking
            follow(
                entry.selection.receive(message, on: role, canAsk: canAsk, now: now), entry)
        case .stream(let event): handle(event, on: transport)
        case .channelOpened(let id, let opening): channelOpened(id, opening, on: transport)
        case .messages(let event): handle(event, on: transport)
        case .datagrams:
            guard let state = connection(of: transport) else { return }
            waiters.wake(.message(state.number))
        case .ended(let end): linkEnded(transport, end)
        // Of short strings, which are not compared here, and of links that decide by themselves.
        case .comparison, .invited, .withdrawn, .invitationFailed, .connected: break
        }
    }

    private var askingCount: Int { peerEntries.values.count { $0.selection.isAsking } }

    /// The peer that a link belongs to, once it is trusted.
    func entry(of transport: LinkTransport) -> PeerEntry? {
        transport.peer.flatMap { peerEntries[$0] }
    }

    /// The place of a link among its peer's.
    private func role(of transport: LinkTransport) -> ConnectionRole? {
        guard let entry = entry(of: transport) else { return nil }
        return entry.links[transport.role] === transport ? transport.role : nil
    }

    /// The connection that a link carries.
    func connection(of transport: LinkTransport) -> ConnectionState? {
        guard let state = entry(of: transport)?.connection, state.transport === transport else {
            return nil
        }
        return state
    }

    // MARK: Runs

    /// The peer is trusted: its link waits until it is known that no other run of it is alive.
    func addRun(_ transport: LinkTransport, _ description: PeerDescription) {
        runLinks[description.run, default: []].append(transport)
        let effects = runs.connected(
            description.identity, description.run, now: SystemClock.now)
        // A run that is accepted already has further links, which are accepted each by itself.
        follow(effects)
    }

    func follow(_ effects: [RunTable.Effect]) {
        let now = SystemClock.now
        for effect in effects {
            switch effect {
            case .ping(let identity, let run):
                for transport in runLinks[run] ?? []
                where transport.link.peer?.description.identity == identity {
                    // A link that is being closed does not answer, as one that is gone.
                    try? transport.link.ping(now: now)
                    mark(transport)
                }
            case .accept(let identity, let run):
                for transport in runLinks[run] ?? [] where transport.peer == nil {
                    guard let description = transport.link.peer?.description,
                        description.identity == identity
                    else { continue }
                    addLink(transport, description)
                }
            case .restarted(let identity, let old, _):
                if let entry = peerEntries[identity] { report(.restarted(entry.description)) }
                for transport in runLinks[old] ?? [] {
                    transport.link.disconnect()
                    transport.close()
                    mark(transport)
                    // Its peer has to be without a link before it gets the new one.
                    while let event = transport.link.nextEvent() { handle(event, on: transport) }
                }
            case .cloned(let identity, let alive, let refused):
                for transport in runLinks[refused] ?? [] {
                    guard let description = transport.link.peer?.description else { continue }
                    report(.refused(description, .cloned, transport.remote))
                    transport.refusal = .cloned
                    transport.link.close(.cloned, now: now)
                    mark(transport)
                }
                report(.trust(.cloned(identity, own: alive, other: refused)))
            }
        }
    }

    private func removeRun(_ transport: LinkTransport) {
        guard let description = transport.link.peer?.description else { return }
        guard runLinks[description.run]?.contains(where: { $0 === transport }) == true else {
            return
        }
        runLinks[description.run]?.removeAll { $0 === transport }
        guard runLinks[description.run]?.isEmpty == true else { return }
        runLinks[description.run] = nil
        follow(runs.disconnected(description.identity, description.run, now: SystemClock.now))
    }

    // MARK: Links of a peer

    /// A link of a peer that is trusted is up.
    private func addLink(_ transport: LinkTransport, _ description: PeerDescription) {
        let now = SystemClock.now
        guard let standing = transport.standing else { return }
        do throws(LinkCallError) {
            try transport.link.trust(standing, now: now)
        } catch { return }
        mark(transport)
        let identity = description.identity
        let entry =
            peerEntries[identity]
            ?? PeerEntry(description, own: self.identity, trust: MutualTrust(ours: standing))
        peerEntries[identity] = entry
        entry.trust.ours = standing
        transport.peer = identity
        guard let effects = entry.selection.add(transport.role) else {
            transport.peer = nil
            transport.link.close(.duplicate, now: now)
            return dialSucceeded(transport, entry)
        }
        entry.links[transport.role] = transport
        follow(effects, entry)
        dialSucceeded(transport, entry)
        limitUnconnected()
    }

    private func limitUnconnected() {
        let idle = links.values.filter { transport in
            transport.link.stage == .established && !transport.isOfInterest(to: self)
        }
        guard idle.count > Self.maximumUnconnected,
            let oldest = idle.min(by: { $0.number < $1.number })
        else { return }
        counters.crowdedOut += 1
        oldest.link.close(.full, now: SystemClock.now)
        mark(oldest)
    }

    private func linkEnded(_ transport: LinkTransport, _ end: LinkEnd) {
        if transport.peer == nil {
            counters.failedHandshakes += 1
            if case .wrongPeer(let expected, let found) = end {
                report(.trust(.wrongPeer(expected: expected, found: found)))
            }
            let error = transport.refusal.map { PeerSessionError($0) } ?? PeerSessionError(end)
            dialLinkEnded(transport, error)
        }
        if let entry = entry(of: transport), entry.links[transport.role] === transport {
            entry.links[transport.role] = nil
            if let state = entry.connection, state.transport === transport {
                self.end(state, of: entry, DisconnectReason(end))
            }
            follow(entry.selection.remove(transport.role), entry, because: end)
            if entry.links.isEmpty, entry.connection == nil, entry.selection.isIdle {
                peerEntries[entry.identity] = nil
            }
        }
        transport.peer = nil
        removeRun(transport)
    }
}

extension LinkTransport {
    /// Whether an invitation or a dial of this side needs it.
    fileprivate func isOfInterest(to session: isolated PeerSession) -> Bool {
        dial != nil || session.entry(of: self)?.selection.isIdle == false
    }
}
