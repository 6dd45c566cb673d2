import LinuxEventLoop
import LinuxNetworking
import MulticastDNS
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
        driver.watchesPackets = true
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
        driver.watchesPackets = !packetWatchers.isEmpty
        watcher.limit?.cancel()
        watcher.mailbox.finish()
    }

    func show(_ event: PacketEvent) {
        for watcher in packetWatchers.values { watcher.mailbox.put { $0.append(event) } }
    }
}

extension NodeDriver {
    /// Keeps a datagram that came in, to be shown.
    ///
    /// - Parameter missed: How many the socket has lost since the one before.
    mutating func keepReceived(
        _ info: DatagramInfo, _ payload: Span<UInt8>, missed: Int, at now: Instant
    ) {
        packets.append(
            PacketEvent(
                direction: .received, time: now, source: info.source,
                destination: SocketAddress(
                    info.destination, port: Self.port, scope: info.interface),
                interface: info.interface,
                payload: [UInt8](capacity: payload.count) { output in
                    for index in payload.indices { output.append(payload[index]) }
                }, missedBefore: missed))
    }

    mutating func keepSent(
        _ bytes: [UInt8], to destination: SocketAddress, on interface: InterfaceIndex,
        at now: Instant
    ) {
        let source = interfaces.source(for: destination.address, on: interface)
        let unspecified: IPAddress =
            destination.address.family == .ipv4 ? .v4(.unspecified) : .v6(.unspecified)
        packets.append(
            PacketEvent(
                direction: .sent, time: now,
                source: SocketAddress(source ?? unspecified, port: Self.port),
                destination: destination, interface: interface, payload: bytes))
    }
}
