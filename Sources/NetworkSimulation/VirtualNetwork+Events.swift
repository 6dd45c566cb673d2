import DNSMessages
import DNSSD
import NetworkPrimitives

// What a virtual network is made of, and what can be due on it.

extension VirtualNetwork {
    /// A link and what it does to datagrams.
    struct Link: Sendable {
        let id: LinkID
        var conditions: LinkConditions
        /// Hosts with an interface on it, in the order of their joining.
        var hosts: [HostID] = []
        /// When it last lost a datagram or changed which hosts are connected.
        var disturbed = Instant.zero
        /// Whether somebody who is no stack of ours speaks on it.
        var hasForeignSenders = false
        /// Further links on the same wire.
        var bridged: [LinkID] = []
    }

    /// What is going to happen.
    enum Event: Sendable {
        case delivery(flight: Int, to: HostID)
        case timer(HostID)
        case sending(flight: Int, by: HostID)
        case check(Check)
    }

    /// What is to be true some time after it changed.
    enum Check: Sendable {
        case owners(DomainName)
        case browsers(DomainName)
        case browse(HostID, OperationID)
    }
}
