import LinuxNetworking
import MDNS
import NetworkPrimitives
public import PeerProtocol

extension PeerSession {
    var connectedCount: Int { peerEntries.values.count { $0.connection != nil } }

    /// The connection to a peer; nil if there is none.
    public func connection(to peer: PeerIdentity) -> PeerConnection? {
        peerEntries[peer]?.connection.map { handle(of: $0) }
    }

    /// Serves each connection, those that are up and those that come, by whichever side was
    /// invited: calls `body` for it in a task of its own, and disconnects when that returns.
    ///
    ///     try await session.run { connection in
    ///         for try await message in connection.messages { … }
    ///     }
    ///
    /// It goes on until the session is closed or the task is cancelled, which disconnects all.
    /// What `body` throws ends its own connection only.
    ///
    /// - Parameter body: What is done with one connection.
    public nonisolated func run(
        _ body: @escaping @Sendable (PeerConnection) async throws -> Void
    ) async {
        let connections = await incomingConnections()
        await withDiscardingTaskGroup { group in
            for await connection in connections {
                group.addTask {
                    do {
                        try await body(connection)
                    } catch {
                        await connection.report(error)
                    }
                    await connection.disconnect()
                }
            }
            group.cancelAll()
        }
        // Also those that had not begun to be served.
        if Task.isCancelled { await disconnectAll() }
    }

    private func disconnectAll() {
        for entry in peerEntries.values {
            guard let transport = entry.connection?.transport else { continue }
            transport.link.close(.left, now: SystemClock.now)
            mark(transport)
        }
        settle()
    }

    private func incomingConnections() -> EventSequence<PeerConnection> {
        let number = nextNumber()
        // A connection that is served no more has left its place.
        let mailbox = EventMailbox(RingBuffer<PeerConnection>(capacity: .max))
        for entry in peerEntries.values.sorted(by: { $0.identity < $1.identity }) {
            guard let state = entry.connection else { continue }
            let connection = handle(of: state)
            mailbox.put { $0.append(connection) }
        }
        if isClosed { mailbox.finish() } else { runners[number] = mailbox }
        return sequence(mailbox, number) { $0.runners[number] = nil }
    }

    // MARK: Its beginning and end

    /// Both sides have agreed: the peer is connected by that link.
    func connect(_ entry: PeerEntry, on role: ConnectionRole) {
        guard let transport = entry.links[role], entry.connection == nil else { return }
        let state = ConnectionState(nextNumber(), transport, entry.description)
        connections[state.number] = state
        entry.connection = state
        report(.connected(entry.description, transport.remote))
        if let number = entry.invitation {
            invitationResults[number] = .success(state)
            waiters.wake(.invitation(number))
        }
        entry.invitation = nil
        if let number = entry.asking {
            let identity = entry.identity
            invitationMailbox.put { $0.remove(identity, number) }
            entry.asking = nil
            waiters.wake(.answer(number))
        }
        for mailbox in runners.values {
            let connection = handle(of: state)
            mailbox.put { $0.append(connection) }
        }
        publishPeers()
    }

    func end(_ state: ConnectionState, of entry: PeerEntry, _ reason: DisconnectReason) {
        state.end = reason
        entry.connection = nil
        report(.disconnected(state.description, reason))
        publishPeers()
        waiters.wake(.message(state.number))
        waiters.wake(.streams(state.number))
        waiters.wake(.end(state.number))
        for key in state.streams.keys { wakeStream(state, key) }
        for id in state.outgoing.values { waiters.wake(.room(state.number, id.rawValue)) }
        if state.lease == nil { connections[state.number] = nil }
    }

    func wakeStream(_ state: ConnectionState, _ id: StreamID) {
        waiters.wake(.room(state.number, id.rawValue))
        waiters.wake(.bytes(state.number, id.rawValue))
    }

    /// What the application holds of a connection.
    func handle(of state: ConnectionState) -> PeerConnection {
        let lease = state.lease ?? ConnectionLease(self, state.number)
        state.lease = lease
        return PeerConnection(peer: state.description, lease: lease)
    }

    /// Nobody holds a connection any more: what it kept to be read goes, if it is over.
    func leaseEnded(_ number: UInt64) {
        guard let state = connections[number], state.lease == nil, state.end != nil else { return }
        connections[number] = nil
    }

    func disconnect(_ number: UInt64) async {
        guard let state = connections[number], state.end == nil else { return }
        state.transport.link.close(.left, now: SystemClock.now)
        mark(state.transport)
        settle()
        while connections[number] != nil, state.end == nil, !Task.isCancelled {
            await wait(for: .end(number))
        }
    }

    func end(of number: UInt64) async -> DisconnectReason? {
        guard let state = connections[number] else { return nil }
        while state.end == nil, !Task.isCancelled { await wait(for: .end(number)) }
        return state.end
    }

    /// The connection of that number, as long as it is up.
    func openConnection(_ number: UInt64) throws(PeerSessionError) -> ConnectionState {
        guard let state = connections[number] else { throw .disconnected(nil) }
        if let end = state.end { throw .disconnected(end) }
        return state
    }
}

extension PeerSessionError {
    static func disconnected(_ reason: DisconnectReason?) -> PeerSessionError {
        let text = reason?.description ?? "the session was closed"
        return PeerSessionError(.disconnected, "The peer is not connected any more: \(text).")
    }
}
