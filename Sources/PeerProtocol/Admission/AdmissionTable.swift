package import NetworkPrimitives

/// Limits what strangers can occupy before their handshake proved a key.
///
/// When a limit is reached the oldest half-open connection of that address, of that /64, or of
/// all, is closed in favour of the newcomer: otherwise a few silent connections would keep
/// everybody out. One address can't get at others' places by that until all 64 are taken.
/// Loopback, and addresses of connections that were trusted, count in total only.
package struct AdmissionTable: Sendable {
    /// The limits.
    package struct Limits: Hashable, Sendable {
        /// Half-open connections in all.
        package var total = 64
        /// Of one address.
        package var perAddress = 4
        /// Of one /64 of IPv6, of which a host can have many; a whole link may share one.
        package var perNetwork = 16
        /// How long a handshake may take.
        package var handshakeTime: Duration = .seconds(10)
        /// Handshakes a second.
        package var handshakesPerSecond = 200

        /// The limits of the protocol.
        package init() {}
    }

    /// Names a half-open connection.
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// What was decided about a new connection.
    package struct Admission: Hashable, Sendable {
        /// The new connection.
        package let ticket: Ticket
        /// An older one that has to be closed for it.
        package let evicted: Ticket?
    }

    private struct Entry {
        let ticket: Ticket
        /// Nil for those that count in total only.
        let address: IPAddress?
        let deadline: Instant
    }

    private let limits: Limits
    private var bucket: TokenBucket
    private var nextNumber: UInt64 = 0
    /// The oldest first.
    private var entries: [Entry] = []

    /// Connections that were closed for newer ones.
    package private(set) var evictedCount = 0
    /// Handshakes that were refused because there were too many in a second.
    package private(set) var throttledCount = 0
    /// Connections that proved no key in time.
    package private(set) var expiredCount = 0

    /// With no connection.
    package init(limits: Limits = Limits(), now: Instant) {
        self.limits = limits
        bucket = TokenBucket(
            perSecond: limits.handshakesPerSecond, burst: limits.handshakesPerSecond, now: now)
    }

    /// Half-open connections.
    package var count: Int { entries.count }

    /// When `expire` wants to be called.
    package var deadline: Instant? { entries.first?.deadline }

    /// A connection was accepted from that address.
    package mutating func admit(
        from address: IPAddress, isTrustedAddress: Bool = false, now: Instant
    ) -> Admission {
        let isExempt = isTrustedAddress || address.isLoopback
        let evicted = isExempt ? overflowInAll() : overflow(of: address) ?? overflowInAll()
        if let evicted {
            remove(evicted)
            evictedCount += 1
        }
        let ticket = Ticket(number: nextNumber)
        nextNumber += 1
        entries.append(
            Entry(
                ticket: ticket, address: isExempt ? nil : address,
                deadline: now.advanced(by: limits.handshakeTime)))
        return Admission(ticket: ticket, evicted: evicted)
    }

    /// The first message of a handshake came: whether it may be answered, which costs the
    /// processor's time. If not, the connection is closed.
    package mutating func mayAnswer(now: Instant) -> Bool {
        let isAllowed = bucket.take(now: now)
        if !isAllowed { throttledCount += 1 }
        return isAllowed
    }

    /// The handshake ended, or the connection was closed.
    package mutating func remove(_ ticket: Ticket) {
        entries.removeAll { $0.ticket == ticket }
    }

    /// The connections whose time is over, which have to be closed.
    package mutating func expire(now: Instant) -> [Ticket] {
        let expired = entries.prefix { $0.deadline <= now }.map { $0.ticket }
        entries.removeFirst(expired.count)
        expiredCount += expired.count
        return expired
    }

    // MARK: Limits

    private func overflowInAll() -> Ticket? {
        entries.count >= limits.total ? entries.first?.ticket : nil
    }

    private func overflow(of address: IPAddress) -> Ticket? {
        let same = entries.filter { $0.address == address }
        if same.count >= limits.perAddress { return same.first?.ticket }
        guard case .v6 = address else { return nil }
        let network = NetworkPrefix(address, length: 64)
        let near = entries.filter { entry in entry.address.map { network.contains($0) } ?? false }
        return near.count >= limits.perNetwork ? near.first?.ticket : nil
    }
}
