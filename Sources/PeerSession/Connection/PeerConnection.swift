import LinuxEventLoop
public import PeerProtocol

/// A connection to a peer.
///
/// It goes on, whoever holds it, until one of both sides disconnects or the session is closed.
/// Messages and streams that came before its end can still be read afterwards.
public struct PeerConnection: Sendable {
    /// Who the peer is, as it was when the two were connected.
    public let peer: PeerDescription
    let lease: ConnectionLease

    var session: PeerSession { lease.session }

    /// Leaves the peer, after all that was sent has left as far as the peer makes room for it, and
    /// waits until that is done or has taken too long. Nothing happens if it is over already.
    public func disconnect() async { await session.disconnect(lease.number) }

    /// Waits until the connection is over.
    ///
    /// - Returns: Why; nil if the task was cancelled.
    public func end() async -> DisconnectReason? { await session.end(of: lease.number) }

    func report(_ error: any Error) async {
        // What the connection itself has thrown was reported with its end.
        guard !(error is PeerSessionError), !(error is CancellationError) else { return }
        await session.reportFailure(of: peer, "\(error)")
    }
}

/// What the application holds of a connection.
final class ConnectionLease: Sendable {
    let session: PeerSession
    let number: UInt64

    init(_ session: PeerSession, _ number: UInt64) {
        self.session = session
        self.number = number
    }

    deinit {
        session.loop.perform { [session, number] in
            session.assumeIsolated { $0.leaseEnded(number) }
        }
    }
}
