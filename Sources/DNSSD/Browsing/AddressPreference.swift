package import NetworkPrimitives

/// Which of a host's addresses are listed, and in which order they are tried.
///
/// Addresses in a subnet of the link come first: nothing but the link is needed to reach them.
/// Then other global ones; link-local ones last, because many programs can't handle their scope.
package enum AddressPreference {
    /// Whether a peer on that interface can be reached at the address: not at a group's, the
    /// unspecified or the broadcast address, and at a loopback address on the loopback only.
    package static func isUsable(_ address: IPAddress, on interface: NetworkInterface?) -> Bool {
        if case .v4(let four) = address, four.isBroadcast { return false }
        if address.isLoopback { return interface?.flags.contains(.loopback) ?? false }
        return !address.isMulticast && !address.isUnspecified
    }

    /// The usable ones of these addresses, best first, each once.
    package static func ordered(
        _ addresses: some Sequence<IPAddress>, on interface: NetworkInterface?
    ) -> [IPAddress] {
        Set(addresses).filter { isUsable($0, on: interface) }.sorted { left, right in
            (rank(left, interface), left) < (rank(right, interface), right)
        }
    }

    /// Where an address stands among a host's: the lower, the sooner it is tried.
    package static func rank(_ address: IPAddress, _ interface: NetworkInterface?) -> Int {
        if address.isLinkLocal { return 2 }
        return interface?.isOnLink(address) ?? false ? 0 : 1
    }
}
