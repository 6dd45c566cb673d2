package import DNSMessages
package import MulticastDNS

/// What a user of discovery may choose.
package struct DiscoveryConfiguration: Hashable, Sendable {
    /// When this host's own name and addresses are published.
    package enum HostPublication: Hashable, Sendable {
        /// Once a service on this host is registered.
        case whenNeeded
        /// From the start.
        case always
        /// Never; services then need a host of their own.
        case never
    }

    /// The engine's choices.
    package var engine: Configuration
    /// The label of this host's name, see `HostNaming.defaultLabel`.
    package var hostLabel: Label
    /// The name of a service that was given none: short and for people, without numbers that
    /// only machines need (RFC 6763 §4.1.1).
    package var defaultInstanceName: String
    /// When this host's own name is published.
    package var hostPublication: HostPublication
    /// Whether names outside the link-local domains are asked for by multicast too
    /// (RFC 6762 §13, M13-1, M13-2).
    package var multicastsAnyName: Bool

    package init(
        engine: Configuration = Configuration(), hostLabel: Label,
        defaultInstanceName: String, hostPublication: HostPublication = .whenNeeded,
        multicastsAnyName: Bool = false
    ) {
        self.engine = engine
        self.hostLabel = hostLabel
        self.defaultInstanceName = defaultInstanceName
        self.hostPublication = hostPublication
        self.multicastsAnyName = multicastsAnyName
    }
}
