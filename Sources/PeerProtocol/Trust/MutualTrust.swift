/// What one side of a connection says of the other.
public enum TrustStanding: UInt8, Hashable, Sendable, CaseIterable {
    /// Accepted for this connection only.
    case accepted = 1
    /// Trusted from now on, without comparing.
    case trusted = 2
    /// Trusted after comparing, by a secret or by a fingerprint.
    case verified = 3

    /// Of a peer that was accepted.
    public init(_ acceptance: TrustAcceptance) {
        if acceptance.isVerified {
            self = .verified
        } else {
            self = acceptance == .once ? .accepted : .trusted
        }
    }
}

/// Both sides' view of each other, as the user is shown it.
public struct MutualTrust: Hashable, Sendable {
    /// What this side decided about the other.
    public var ours: TrustStanding
    /// What the other one told; nil as long as it did not.
    public var theirs: TrustStanding?

    /// With what this side decided and the other one told.
    public init(ours: TrustStanding, theirs: TrustStanding? = nil) {
        self.ours = ours
        self.theirs = theirs
    }

    /// Whether one side trusts more than the other.
    public var isOneSided: Bool { theirs.map { $0 != ours } ?? false }
}
