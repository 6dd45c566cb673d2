public import LinuxDiscovery
import LinuxEventLoop
import LinuxNetworking
import NetworkPrimitives

/// How a node stands with the system, each time that this changes; a slow reader gets the latest.
public typealias StatusEvents = EventSequence<NodeStatus>

extension MDNSNode {
    /// Watches how the node stands with the system, for as long as somebody listens.
    ///
    /// Datagrams that are merely counted are no change; the counts are those of the moment.
    ///
    /// - Returns: At once, with the current status and then each change.
    /// - Throws: `MDNSError`: a closed node.
    public func statusUpdates() throws(MDNSError) -> StatusEvents {
        try checkOpen()
        let mailbox = EventMailbox(LatestStatus())
        let number = statusWatchers.add(mailbox, status: status())
        let subscription = Subscription { [self] in
            guard mailbox.cancel() else { return }
            loop.perform { self.assumeIsolated { $0.statusWatchers.remove(number) } }
        } onLimit: { [self] duration in
            loop.perform { self.assumeIsolated { $0.limitStatuses(number, to: duration) } }
        }
        return EventSequence(subscription: subscription) {
            await mailbox.next(isolation: $0)
        }
    }

    private func limitStatuses(_ number: Int, to duration: Duration) {
        let timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.statusWatchers.remove(number) }
        }
        timer.setDeadline(SystemClock.now.advanced(by: duration))
        statusWatchers.setLimit(timer, for: number)
    }
}

/// Those who watch a node's status.
struct StatusWatchers {
    private struct Watcher {
        let mailbox: EventMailbox<LatestStatus>
        /// Ends it after the time that was given.
        var limit: DeadlineTimer?
    }

    private var watchers: [Int: Watcher] = [:]
    private var nextNumber = 0
    /// What they were given last, without counts.
    private var published: NodeStatus?

    /// Adds one, whose first status is this.
    mutating func add(_ mailbox: EventMailbox<LatestStatus>, status: NodeStatus) -> Int {
        // Others may not have been given it yet.
        publish { status }
        published = status.withoutCounts
        mailbox.put { $0.status = status }
        watchers[nextNumber] = Watcher(mailbox: mailbox)
        defer { nextNumber += 1 }
        return nextNumber
    }

    mutating func setLimit(_ timer: DeadlineTimer, for number: Int) {
        watchers[number]?.limit?.cancel()
        watchers[number]?.limit = timer
    }

    mutating func remove(_ number: Int) {
        guard let watcher = watchers.removeValue(forKey: number) else { return }
        watcher.limit?.cancel()
        watcher.mailbox.finish()
    }

    /// Gives out the status if it has changed. It is asked for only if somebody watches, since to
    /// put it together takes longer than a datagram.
    mutating func publish(_ current: () -> NodeStatus) {
        guard !watchers.isEmpty else { return }
        let status = current()
        let essence = status.withoutCounts
        guard essence != published else { return }
        published = essence
        for watcher in watchers.values { watcher.mailbox.put { $0.status = status } }
    }

    /// Ends all of them.
    mutating func finish() {
        for number in watchers.keys.sorted() { remove(number) }
    }
}

/// A buffer of one status: the latest.
struct LatestStatus: EventBuffer {
    var status: NodeStatus?

    mutating func next() -> NodeStatus? {
        defer { status = nil }
        return status
    }

    mutating func removeAll() { status = nil }
}

extension NodeStatus {
    /// The status with every count at zero, to see whether anything else has changed.
    fileprivate var withoutCounts: NodeStatus {
        var status = self
        status.lostDatagramCount = 0
        for place in status.interfaces.indices {
            for family in AddressFamily.allCases {
                status.interfaces[place].sends[family]?.sentCount = 0
                status.interfaces[place].sends[family]?.failedCount = 0
            }
        }
        return status
    }
}
