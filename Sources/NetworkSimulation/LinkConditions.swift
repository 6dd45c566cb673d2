import NetworkPrimitives

/// What a link does to the datagrams on it. All of it is drawn from the network's generator.
package struct LinkConditions: Hashable, Sendable {
    /// How long a datagram takes; drawn for each receiver.
    package var delay: ClosedRange<Duration>
    /// The share of deliveries that never arrive, 0 to 1; drawn for each receiver.
    package var loss: Double
    /// The share of deliveries that arrive twice.
    package var duplication: Double
    /// The share of deliveries that are held back, so that later datagrams overtake them.
    package var reordering: Double
    /// How long those are held back.
    package var reorderingDelay: ClosedRange<Duration>
    /// Whether hosts receive what they themselves sent, as a socket with the loop option does.
    package var echoesOwn: Bool

    package init(
        delay: ClosedRange<Duration> = .microseconds(200)...(.microseconds(900)),
        loss: Double = 0, duplication: Double = 0, reordering: Double = 0,
        reorderingDelay: ClosedRange<Duration> = .milliseconds(2)...(.milliseconds(40)),
        echoesOwn: Bool = true
    ) {
        self.delay = delay
        self.loss = loss
        self.duplication = duplication
        self.reordering = reordering
        self.reorderingDelay = reorderingDelay
        self.echoesOwn = echoesOwn
    }

    /// A good wired link.
    package static let wired = LinkConditions()
    /// A wireless link as it often is: slow at times, lossy for multicast, duplicating a little.
    package static let wireless = LinkConditions(
        delay: .milliseconds(1)...(.milliseconds(25)), loss: 0.03, duplication: 0.005,
        reordering: 0.02)
}
