import LinuxEventLoop
import LinuxNetworking
import MDNS
public import NetworkPrimitives
public import PeerProtocol

/// A peer that is connected, at one moment.
public struct ConnectedPeer: Hashable, Sendable {
    /// Who it is.
    public let peer: PeerDescription
    /// How far both sides trust each other.
    public let trust: MutualTrust
    /// Where it is.
    public let address: SocketAddress
}

/// Keeps the latest value for a reader.
struct LatestValue<Value: Sendable>: EventBuffer {
    var value: Value?

    mutating func next() -> Value? {
        defer { value = nil }
        return value
    }

    mutating func removeAll() { value = nil }
}

extension PeerSession {
    /// The peers that are connected now.
    public var peers: [ConnectedPeer] {
        peerEntries.values.compactMap { entry in
            entry.connection.map {
                ConnectedPeer(
                    peer: entry.description, trust: entry.trust, address: $0.transport.remote)
            }
        }.sorted { $0.peer.identity < $1.peer.identity }
    }

    /// The peers that are connected, now and each time that this changes; a slow reader gets the
    /// latest.
    public func peerUpdates() -> EventSequence<[ConnectedPeer]> {
        let number = nextNumber()
        let mailbox = EventMailbox(LatestValue(value: peers))
        if isClosed { mailbox.finish() } else { peerMailboxes[number] = mailbox }
        return sequence(mailbox, number) { $0.peerMailboxes[number] = nil }
    }

    /// What happens in the session from now on. A reader that is slow loses the oldest, which
    /// `missed` tells; the session never waits for it.
    public func events() -> EventSequence<PeerSessionEvent> {
        let number = nextNumber()
        let mailbox = EventMailbox(EventBacklog())
        if isClosed { mailbox.finish() } else { eventMailboxes[number] = mailbox }
        return sequence(mailbox, number) { $0.eventMailboxes[number] = nil }
    }

    /// A sequence of what a mailbox gets, until its reader leaves.
    func sequence<Buffer>(
        _ mailbox: EventMailbox<Buffer>, _ number: UInt64,
        remove: @escaping @Sendable (isolated PeerSession) -> Void
    ) -> EventSequence<Buffer.Element> {
        let subscription = Subscription { [weak self, loop] in
            guard mailbox.cancel() else { return }
            loop.perform { [weak self] in
                self?.assumeIsolated { session in
                    remove(session)
                    session.limits.removeValue(forKey: number)?.cancel()
                }
            }
        } onLimit: { [weak self, loop] duration in
            loop.perform { [weak self] in
                self?.assumeIsolated { session in
                    let timer = session.loop.makeTimer { mailbox.finish() }
                    timer.setDeadline(SystemClock.now.advanced(by: duration))
                    session.limits[number] = timer
                }
            }
        }
        return EventSequence(subscription: subscription) { await mailbox.next(isolation: $0) }
    }

    func report(_ event: PeerSessionEvent) {
        for mailbox in eventMailboxes.values { mailbox.put { $0.append(event) } }
    }

    func publishPeers() {
        guard !peerMailboxes.isEmpty else { return }
        let peers = peers
        for mailbox in peerMailboxes.values { mailbox.put { $0.value = peers } }
    }
}
