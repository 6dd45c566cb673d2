package import NetworkPrimitives

/// Observes every run that begins while it is current, and of its datagrams: a test that fails
/// can then say which run it was, and show the packets.
package struct RunObserver: Sendable {
    #if hasFeature(Embedded)
        /// There are no tasks.
        static let current: RunObserver? = nil
    #else
        /// The observer of this task.
        @TaskLocal package static var current: RunObserver?
    #endif

    private let began: @Sendable (_ seed: UInt64) -> Int
    private let sent: @Sendable (_ run: Int, Datagram, Instant) -> Void

    /// - Parameters:
    ///   - began: a run begins; what is returned is its number.
    ///   - sent: a datagram of that run was put on a link.
    package init(
        began: @escaping @Sendable (_ seed: UInt64) -> Int,
        sent: @escaping @Sendable (_ run: Int, Datagram, Instant) -> Void
    ) {
        self.began = began
        self.sent = sent
    }

    /// One run, as the network knows it that makes it.
    struct Run: Sendable {
        let observer: RunObserver
        let number: Int

        func note(_ datagram: Datagram, at time: Instant) { observer.sent(number, datagram, time) }
    }

    static func begin(seed: UInt64) -> Run? {
        current.map { Run(observer: $0, number: $0.began(seed)) }
    }
}
