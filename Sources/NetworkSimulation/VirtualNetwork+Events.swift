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
        /// Whether what is on it comes from hosts of the network alone, once each.
        var isPlain: Bool { !hasForeignSenders && bridged.isEmpty }
    }

    /// What is going to happen.
    enum Event: Sendable {
        case delivery(flight: Int, to: HostID)
        case timer(HostID)
        case sending(flight: Int, by: HostID)
        case check(Check)
    }

    /// A name that its holder gave up.
    struct Farewell: Sendable {
        let name: DomainName
        let types: [DomainName]
        let host: HostID
        /// The links that it was on.
        let links: [LinkID]
        /// The browses that listed it then, by their interfaces.
        let listers: [Lister]
        let time: Instant
    }

    /// A browse that lists something on a link.
    struct Lister: Hashable, Sendable {
        let host: HostID
        let operation: OperationID
        let link: LinkID
    }

    /// Queries that a host has to have sent since then, for all of its browses or one, on all of
    /// its links or one.
    struct QuerySeries: Sendable {
        let host: HostID
        let operation: OperationID?
        let link: LinkID?
        let since: Instant
        let count: Int
    }

    /// What is to be true some time after it changed.
    enum Check: Sendable {
        case owners(DomainName)
        case browsers(DomainName)
        case browse(HostID, OperationID)
        /// A browse that has begun a moment ago knows what was there.
        case begun(HostID, OperationID, since: Instant)
        /// A name is announced twice on every link, and known to who looks for it.
        case announced(HostID, OperationID?, since: Instant)
        /// An update is announced twice on every link.
        case updated(HostID, OperationID, since: Instant)
        /// A name was taken back with goodbyes, and nobody lists it any more.
        case goodbyes(Farewell)
        case withdrawn(Farewell)
        /// What a host wants is asked for anew.
        case queries(QuerySeries)
    }
}

/// Which watches look at the arrival of a datagram.
struct Concern: OptionSet, Sendable {
    let rawValue: UInt8

    static let claims = Concern(rawValue: 1)
    static let caches = Concern(rawValue: 2)
}

extension DecodingResult {
    /// Whether it is a query that proposes nothing.
    var isPlainQuery: Bool {
        guard case .success(let decoded) = self else { return false }
        return !decoded.message.header.isResponse && decoded.message.authorities.isEmpty
    }
}
