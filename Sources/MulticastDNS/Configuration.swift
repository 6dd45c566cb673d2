package import NetworkPrimitives

/// What a user of the engine may choose.
package struct Configuration: Hashable, Sendable {
    /// The interfaces that multicast DNS runs on.
    package var interfaces: InterfaceSelection
    /// The families it runs over.
    package var families: Set<AddressFamily>
    /// Whether questions may ask for unicast answers. Not so where another process was first to
    /// bind port 5353: the answers would reach that one (RFC 6762 §15.1).
    package var mayAskForUnicast: Bool
    /// Whether every record received is cached, asked for or not.
    package var cachesEverything: Bool
    /// Whether unicast answers have a budget of bytes for each source and in all: what is over it
    /// is multicast, or to a legacy querier not sent.
    package var limitsAmplification: Bool
    /// The bounds on memory and work.
    package var limits: Limits

    package init(
        interfaces: InterfaceSelection = .all,
        families: Set<AddressFamily> = [.ipv4, .ipv6],
        mayAskForUnicast: Bool = true,
        cachesEverything: Bool = false,
        limitsAmplification: Bool = true,
        limits: Limits = Limits()
    ) {
        self.interfaces = interfaces
        self.families = families
        self.mayAskForUnicast = mayAskForUnicast
        self.cachesEverything = cachesEverything
        self.limitsAmplification = limitsAmplification
        self.limits = limits
    }
}
