/// Whether the local network can be used.
public enum LocalNetworkAccessStatus: String, Hashable, Sendable, CaseIterable {
    /// This host lets multicast DNS through: a datagram to the group left and came back, or
    /// another host's was received.
    case allowed
    /// Something on this host certainly keeps multicast DNS from working.
    case denied
    /// It is not known before it was tried, or while it is being tried.
    case notDetermined
    /// Only the loopback is used, to which no packet has to leave the host.
    case notRequired
    /// There is no interface to try it on.
    case unknown
}

/// A status with the reasons for it.
public struct LocalNetworkAssessment: Hashable, Sendable {
    /// The status.
    public var status: LocalNetworkAccessStatus
    /// Why it is so, what limits it, and what may; the certain ones first.
    public var reasons: [LocalNetworkReason]
    /// The boot and the interfaces that it is true for.
    public var network: NetworkIdentity

    /// An assessment.
    public init(
        _ status: LocalNetworkAccessStatus, _ reasons: [LocalNetworkReason] = [],
        on network: NetworkIdentity = NetworkIdentity()
    ) {
        self.status = status
        self.reasons = reasons
        self.network = network
    }
}

extension LocalNetworkAssessment: CustomStringConvertible {
    /// The status, and each reason on a line of its own.
    public var description: String {
        ([status.rawValue] + reasons.map { $0.description }).joined(separator: "\n")
    }
}
