import LinuxDiscovery
import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives

/// Someone who watches a node's packets.
struct PacketWatcher {
    let mailbox: EventMailbox<PacketBuffer>
    /// Ends it after the time that was given.
    var limit: DeadlineTimer?
}

extension MDNSNode {
    /// Watches every datagram that the node sends or receives from now on, for as long as
    /// somebody listens.
    ///
    /// - Parameter backlog: How many are kept for a slow reader; then the oldest are dropped,
    ///   and counted by the event that follows them.
    /// - Returns: At once, with the events.
    /// - Throws: `MDNSError`: a closed node.
    public func watchPackets(backlog: Int = 4096) throws(MDNSError) -> PacketEvents {
        try checkOpen()
        node.watchesPackets = true
        let mailbox = EventMailbox(PacketBuffer(capacity: backlog))
        let number = nextPacketWatcher
        nextPacketWatcher += 1
        packetWatchers[number] = PacketWatcher(mailbox: mailbox)
        let subscription = Subscription { [self] in
            guard mailbox.cancel() else { return }
            loop.perform { self.assumeIsolated { $0.endPackets(number) } }
        } onLimit: { [self] duration in
            loop.perform { self.assumeIsolated { $0.limitPackets(number, to: duration) } }
        }
        return EventSequence(subscription: subscription) {
            await mailbox.next(isolation: $0)
        }
    }

    private func limitPackets(_ number: Int, to duration: Duration) {
        guard packetWatchers[number] != nil else { return }
        packetWatchers[number]?.limit?.cancel()
        let timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.endPackets(number) }
        }
        timer.setDeadline(SystemClock.now.advanced(by: duration))
        packetWatchers[number]?.limit = timer
    }

    private func endPackets(_ number: Int) {
        guard let watcher = packetWatchers.removeValue(forKey: number) else { return }
        node.watchesPackets = !packetWatchers.isEmpty
        watcher.limit?.cancel()
        watcher.mailbox.finish()
    }

    func show(_ event: PacketEvent) {
        for watcher in packetWatchers.values { watcher.mailbox.put { $0.append(event) } }
    }
}
