/// What the prefaces of the two sides agree on.
package struct Negotiation: Hashable, Sendable {
    /// The highest version of both.
    package let version: UInt8
    /// The first of the initiator's suites that the responder knows.
    package let suite: CipherSuite
    /// Whether records are encrypted, or only authenticated.
    package let isEncrypted: Bool
    /// Whether the handshake proves a shared secret.
    package let usesSecret: Bool

    /// Both sides come to the same result from the same two prefaces.
    ///
    /// | | required | optional | none |
    /// | --- | --- | --- | --- |
    /// | **required** | encrypted | encrypted | mismatch |
    /// | **optional** | encrypted | encrypted | mismatch |
    /// | **none** | mismatch | mismatch | authenticated only |
    ///
    /// - Throws: `NegotiationError`, from this side's point of view.
    package init(ours: Preface, theirs: Preface) throws(NegotiationError) {
        guard theirs.role != ours.role else { throw .sameRole }
        guard let version = ours.versions.highestCommon(with: theirs.versions) else {
            throw .incompatible(theirs: theirs.versions, ours: ours.versions)
        }
        let isInitiator = ours.role == .initiator
        let (initiator, responder) = isInitiator ? (ours, theirs) : (theirs, ours)
        guard let suite = initiator.suites.first(where: { responder.suites.contains($0) }) else {
            throw .noCommonSuite
        }
        guard (ours.encryption == .none) == (theirs.encryption == .none) else {
            throw .encryptionMismatch(theirs: theirs.encryption, ours: ours.encryption)
        }
        guard ours.wantsSecret == theirs.wantsSecret else {
            throw .secretMismatch(theyWantOne: theirs.wantsSecret)
        }
        self.version = version
        self.suite = suite
        isEncrypted = ours.encryption != .none
        usesSecret = ours.wantsSecret
    }
}

/// Why two sides can't talk, although both speak this protocol.
package enum NegotiationError: Error, Hashable, Sendable {
    /// Both say that they dialled, or that they were dialled: probably its own bytes came back.
    case sameRole
    /// No version is spoken by both.
    case incompatible(theirs: VersionRange, ours: VersionRange)
    /// No suite is known to both.
    case noCommonSuite
    /// One side insists on clear text and the other one does not ask for it.
    case encryptionMismatch(theirs: EncryptionPreference, ours: EncryptionPreference)
    /// One side wants proof of a secret and the other one does not.
    case secretMismatch(theyWantOne: Bool)
}

/// What both sides must have seen alike for the handshake to succeed (Noise §6).
package enum Prologue {
    private static let label = Array("vicinity peer session".utf8)

    /// The label, then with two bytes of length each the service type and the two prefaces, the
    /// initiator's first. Nil for a service type of more than 255 bytes.
    package static func bytes(
        serviceType: String, initiator: Preface, responder: Preface
    ) -> [UInt8]? {
        let type = Array(serviceType.utf8)
        guard type.count <= 255 else { return nil }
        return label + type.withLength + initiator.bytes.withLength + responder.bytes.withLength
    }
}
