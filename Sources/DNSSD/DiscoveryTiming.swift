/// Every interval of this room, with its reason.
package enum DiscoveryTiming {
    /// A name that is not ours after a minute is reported as failing (RFC 6762 §9).
    package static let namingFailure: Duration = .seconds(60)
    /// How long changes of an interface's addresses are gathered before they are announced:
    /// duplicate address detection and DHCP bring them one by one.
    package static let addressSettling: Duration = .milliseconds(500)
    /// How long a resolution waits for the second address family once it has the first:
    /// some responders never say that a family is absent.
    package static let familyGrace: Duration = .milliseconds(100)
    /// How long a resolution waits for a TXT record once all else is known; without one a
    /// service has no attributes (RFC 6763 §6.1).
    package static let textGrace: Duration = .seconds(2)
    /// How long a resolution waits for all parts before it reports those that it has: the first
    /// question and its repetition after a second can both be answered by then.
    package static let partialGrace: Duration = .seconds(2)
    /// How long after a changed unique set its old members may still be about (RFC 6762 §10.2).
    package static let flushGrace: Duration = .seconds(1)
}
